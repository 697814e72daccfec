"""Every finding on the public wheels of benchmarks/corpus.toml has been read; the ledger says which are true.

The wheels are not in the repository. `python -m torchlsp.dev corpus --fetch FOLDER` gets them once, and the environment
variable TORCHLSP_CORPUS names that folder.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torchlsp.dev import corpus

LEDGER = corpus.read_ledger()
FOLDER = Path(os.environ.get("TORCHLSP_CORPUS", corpus.DEFAULT_FOLDER))


def test_every_entry_is_judged_and_says_why():
    for entry in LEDGER.findings:
        assert entry["verdict"] in ("true", "false"), entry
        assert len(entry["cause"].split()) >= 4, entry
        assert entry["file"].split("/")[0] in LEDGER.wheels, entry
        assert entry["line"] == entry["line"].strip(), entry


def test_at_most_one_warning_in_ten_is_false_and_no_error():
    false = [entry for entry in LEDGER.findings if entry["verdict"] == "false"]
    assert not [entry for entry in false if entry.get("severity") == "error"]
    assert 10 * len(false) <= len(LEDGER.findings)


@pytest.mark.slow
@pytest.mark.parametrize("wheel", sorted(LEDGER.wheels))
def test_findings_equal_the_ledger(wheel):
    folder = FOLDER / wheel
    if not (folder / f"{wheel}-{LEDGER.wheels[wheel]}.dist-info").is_dir():
        pytest.skip(
            f"{wheel} {LEDGER.wheels[wheel]} is not there: python -m torchlsp.dev corpus --fetch FOLDER"
        )
    found = corpus.check(str(folder))
    assert not found.internal_errors
    expected = corpus.ledger_places(LEDGER.findings, wheel)
    assert found.places - expected == {}, "not in the ledger"
    assert expected - found.places == {}, "no longer found"
