"""Commands for those who work on torchlsp: `python -m torchlsp.dev`. Not part of what a user runs."""
