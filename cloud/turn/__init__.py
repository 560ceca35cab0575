"""Turn taking in the cloud: what an overlap is, and for whom words are. Pure; models give it their figures."""
