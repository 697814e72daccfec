"""Serves the Model Context Protocol to coding agents: six tools, over standard input and output.

Only `serving` imports the SDK; the tools themselves know nothing of the protocol.
"""
