"""Recorded trips: import, expected outcomes, the record of a run."""
