"""Skills from outside, each package in processes of its own. `inside` is the program that they run; all else is the node's side of it."""
