"""What the server offers, one file each; `server.main` registers them."""
