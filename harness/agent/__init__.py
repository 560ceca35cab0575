"""A language model with tool calling, asked where the local router finds nothing: transport, tools, grounding, and the loop between them."""
