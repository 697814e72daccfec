"""Serves the engine's results to editors over the Language Server Protocol.

Only this package imports pygls and lsprotocol. What is true of a place in a file is answered by `engine.inspection`.
"""
