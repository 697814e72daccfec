"""What runs under the user's Python: files in 3.8 syntax that import nothing of torchlsp outside this folder."""
