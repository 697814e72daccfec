"""The rules, one pair of files each: how (`.py`) and why (`.md`)."""

# This folder is the package `torchlsp.rules`. Imported as plain `rules` every module would exist twice.
if __name__ != "torchlsp.rules":
    raise ImportError(f"import torchlsp.rules, not {__name__}")
