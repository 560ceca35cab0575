"""Real noise and real people, 16 kHz mono; `sounds.yaml` says what each file is. Licences: docs/licences.md."""
