"""How findings are shown: text for people, JSON for tools."""
