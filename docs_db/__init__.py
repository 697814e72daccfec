"""What is known of torch itself. So far: what its errors mean (`errors`); extraction and notes are still to come."""

if __name__ != "torchlsp.docs_db":
    raise ImportError(f"import torchlsp.docs_db, not {__name__}")
