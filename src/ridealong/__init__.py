"""Ridealong: an edge-cloud assistant for smart glasses and cars."""

__version__ = "0.1.0"
