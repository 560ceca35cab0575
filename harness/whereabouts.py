"""How far it is from one place to another, and in which direction. Pure. Does not know roads."""

from __future__ import annotations

import math


def distance_km(latitude_a: float, longitude_a: float, latitude_b: float, longitude_b: float) -> float:
    """Great-circle distance."""
    a, b = math.radians(latitude_a), math.radians(latitude_b)
    across = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(math.radians(longitude_b - longitude_a) / 2) ** 2
    return 2 * 6371.0 * math.asin(math.sqrt(across))


def bearing_deg(latitude_a: float, longitude_a: float, latitude_b: float, longitude_b: float) -> float:
    """From a towards b, clockwise from north, 0..360."""
    a, b, across = math.radians(latitude_a), math.radians(latitude_b), math.radians(longitude_b - longitude_a)
    east = math.sin(across) * math.cos(b)
    north = math.cos(a) * math.sin(b) - math.sin(a) * math.cos(b) * math.cos(across)
    return math.degrees(math.atan2(east, north)) % 360.0
