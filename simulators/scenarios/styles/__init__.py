"""Two more style vectors of Kokoro-82M (Apache-2.0, hexgrad; from npm kokoro-js 1.2.1): raw float32 [510, 1, 256], one row per length."""
