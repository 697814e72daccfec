"""The language server: the engine's answers in the words of the Language Server Protocol.

Only this package imports pygls and lsprotocol.
"""
