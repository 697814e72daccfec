"""Facts that become known in the background, after the findings of a text are there."""

from __future__ import annotations

import time
from typing import Any

import pytest
from raw_client import LIMIT, RawClient

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.timeout(120)]

COSTLY = "def costly(x):\n" + "    x = torch.relu(x + 1) * 2 - torch.tanh(x)\n" * 60 + "    return x.sum(0)\n"
USED = "\n\n".join(
    f"def use_{n}():\n    y_{n} = costly(torch.ones(3, {n + 2}))\n    return y_{n}" for n in range(12)
)
TEXT = f"import torch\n\n\n{COSTLY}\n\n{USED}\n"
HINTS: dict[str, Any] = {"workspace": {"inlayHint": {"refreshSupport": True}}}


def shown_later(client: RawClient, uri: str, word: str, fact: str) -> bool:
    """Returns whether a hover says a fact within the time that a test may take."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if fact in str(client.hover(uri, word)):
            return True
        time.sleep(0.2)
    return False


def test_a_hover_says_more_once_the_text_was_analysed_in_detail(start) -> None:
    client: RawClient = start()
    client.initialize(HINTS)
    uri = client.open(client.uri("a.py"), TEXT)
    assert "f32[13]" not in str(client.hover(uri, "y_11"))
    client.wait_for("workspace/inlayHint/refresh")
    assert "f32[13]" in client.hover(uri, "y_11")["contents"]["value"]
    client.replace(uri, "ones(3, 13)", "ones(3, 14)")
    assert shown_later(client, uri, "y_11", "f32[14]")


def test_a_text_that_nobody_looks_at_is_not_analysed_in_detail(start) -> None:
    client: RawClient = start()
    client.initialize(HINTS)
    client.open(client.uri("a.py"), TEXT)
    other = client.open(client.uri("b.py"), TEXT)
    client.hover(other, "y_11")
    client.wait_for("workspace/inlayHint/refresh")
    time.sleep(2)
    assert len(client.received("workspace/inlayHint/refresh")) == 1
