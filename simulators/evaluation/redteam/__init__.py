"""Attacks through the microphone and the camera: what must never reach the car, whatever is said or shown."""
