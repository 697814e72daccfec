"""The documentation of the user's own torch. Empty so far: extraction and notes are still to come."""

if __name__ != "torchlsp.docs_db":
    raise ImportError(f"import torchlsp.docs_db, not {__name__}")
