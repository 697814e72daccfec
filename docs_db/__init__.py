"""What is known of torch itself: what the user's own says (`extract`, `build`, `store`), what its errors mean (`errors`),
and our notes (`notes`)."""

if __name__ != "torchlsp.docs_db":
    raise ImportError(f"import torchlsp.docs_db, not {__name__}")
