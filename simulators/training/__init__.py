"""Records for training the duplex model, from the scenario generator: what is said in a car, and what a good assistant says when.

    plans, utterances -> sound with labels (scenarios) -> units of one second with control tokens -> files (cloud.model.training.records)

Only the material to tune on is used, never what figures are reported on. Knows no tensors.
"""
