"""Documents torch: what the installed packages say (`extract`, `build`, `store`), what errors mean
(`errors`), our notes (`notes`)."""

if __name__ != "torchlsp.docs_db":
    raise ImportError(f"import torchlsp.docs_db, not {__name__}")
