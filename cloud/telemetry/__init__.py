"""What the node tells of itself: counters and times for a Prometheus scrape, spans for OpenTelemetry."""
