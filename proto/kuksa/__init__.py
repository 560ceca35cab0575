"""Our own subset of kuksa.val.v2 (names and field numbers are the contract) and its generated stubs."""
