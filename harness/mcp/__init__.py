"""MCP servers as sources of capabilities: programs and HTTP endpoints of others, whose tools become skills."""
