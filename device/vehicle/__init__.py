"""The vehicle gateway: the only part of the device that reads or changes the car."""
