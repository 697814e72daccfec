"""What the server offers, one file each; `app` registers them."""
