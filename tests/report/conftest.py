"""Findings and results built by hand, and one real run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def outside_of_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are relative to the checkout of a CI service, if the tests run in one."""
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.delenv("CI_PROJECT_DIR", raising=False)


@pytest.fixture
def checked(project):
    """The result of the real engine on two findings: an error with a trail and fixes, and an unused comment."""
    from torchlsp.engine.engine import Engine

    project(
        {
            "sub/faulty.py": "import torch\n\n"
            "é = torch.zeros(2, 3).t().view(6)\n"
            "y = 1  # torchlsp: ignore[TL501]\n"
        }
    )
    result = Engine().check(["."])
    assert [finding.rule for finding in result.findings] == ["TL101", "TL001"]
    return result
