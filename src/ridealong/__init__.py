"""Ridealong: an edge-cloud assistant for smart glasses and cars."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Read when numpy is first imported. Its products here are small: worker threads only spin, and beside busy neighbours they take longer."""

__version__ = "0.4.0.dev0"
