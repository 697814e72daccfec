"""Implements the server's features, one file each; `server.main` registers them."""
