"""Ridealong: an edge-cloud assistant for smart glasses and cars."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Read when numpy is first imported. Its products here are small: worker threads only spin, and beside busy neighbours they take longer."""

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
"""onnxruntime's packages report to their maker unless told not to, from 1.32 on. A car or a pair of glasses reports to nobody that its owner hasn't named."""

__version__ = "0.4.0.dev0"
