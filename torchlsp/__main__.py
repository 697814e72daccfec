"""`python -m torchlsp`."""

from torchlsp.cli.main import entry

if __name__ == "__main__":
    entry()
