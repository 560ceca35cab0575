"""Training of the Thinker: records from files, one loss, an optimiser, and what is kept so that a run can be killed and go on.

    folder of records -> lessons (rows, targets) -> batches -> loss -> step -> state, loss log -> a checkpoint like the one it began with

Source: spec venus.md A and G. Encoders and talker are frozen; their rows are input. Knows no scenario: who made the records wrote files
(`simulators.training`). `records` and `layout` import no torch.
"""
