"""What crosses a boundary: the wire schema, domain types, conversion, the session protocol machine, the trip file."""
