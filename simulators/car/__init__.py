"""A simulated car: a plant with plausible dynamics behind the databroker's interface, in process or over gRPC."""
