"""Generated from proto/v1/*.proto by `make proto`; never edited."""
