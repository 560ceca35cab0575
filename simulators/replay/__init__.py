"""Replaying a trip through the device agent, the link, the node and the simulated car."""
