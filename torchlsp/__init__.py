"""torchlsp: finds PyTorch mistakes in code that carries no annotations."""

__version__ = "0.1.0"
