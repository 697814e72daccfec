"""Facts that become known in the background, after the findings of a text are there."""

from __future__ import annotations

from typing import Any

import pytest
from raw_client import RawClient

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.timeout(120)]

COSTLY = "def costly(x):\n" + "    x = torch.relu(x + 1) * 2 - torch.tanh(x)\n" * 60 + "    return x.sum(0)\n"
USED = "\n\n".join(
    f"def use_{n}():\n    y_{n} = costly(torch.ones(3, {n + 2}))\n    return y_{n}" for n in range(12)
)
TEXT = f"import torch\n\n\n{COSTLY}\n\n{USED}\n"
HINTS: dict[str, Any] = {"workspace": {"inlayHint": {"refreshSupport": True}}}


def refreshed(message: dict[str, Any]) -> bool:
    return message.get("method") == "workspace/inlayHint/refresh"


def test_a_hover_says_more_once_the_text_was_analysed_in_detail(start) -> None:
    client: RawClient = start()
    client.initialize(HINTS)
    uri = client.open(client.uri("a.py"), TEXT)
    assert "f32[13]" not in str(client.hover(uri, "y_11"))
    client.wait(refreshed)
    assert "f32[13]" in client.hover(uri, "y_11")["contents"]["value"]
    client.replace(uri, "ones(3, 13)", "ones(3, 14)")
    client.wait(refreshed, len(client.seen))
    assert "f32[14]" in client.hover(uri, "y_11")["contents"]["value"]


def test_a_text_that_nobody_looks_at_is_not_analysed_in_detail(start) -> None:
    client: RawClient = start()
    client.initialize(HINTS)
    unseen = client.open(client.uri("a.py"), TEXT)
    seen = client.open(client.uri("b.py"), TEXT)
    client.hover(seen, "y_11")
    client.wait(refreshed)
    assert "f32[13]" in str(client.hover(seen, "y_11"))
    assert "f32[13]" not in str(client.hover(unseen, "y_11"))
