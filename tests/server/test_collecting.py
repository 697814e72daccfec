"""The collector looks at what an analysis has made after its answer, not before."""

from __future__ import annotations

import gc

from torchlsp.core.text import Document
from torchlsp.server.analyst import Analyst
from torchlsp.server.settings import EditorSettings

ONE = """
def shuffled_{n}(x: torch.Tensor, y: torch.Tensor):
    z = torch.cat([x.permute(0, 2, 1), y.reshape(2, 4, 3)], 1)
    for step in range(3):
        z = torch.relu(z + step) * 2
    return z.transpose(1, 2).contiguous().view(2, -1), x.sum(), y.mean(0)
"""
TEXT = "import torch\n" + "".join(ONE.format(n=n) for n in range(300))


def test_nothing_is_collected_before_the_answer_and_young_cycles_behind_it() -> None:
    seen: list[int] = []

    def told(phase: str, about: dict[str, int]) -> None:
        if phase == "start":
            seen.append(about["generation"])

    analyst = Analyst()
    analyst.examine(Document("program.py", TEXT), EditorSettings())
    gc.callbacks.append(told)
    try:
        answer = analyst.examine(Document("program.py", TEXT + "\n"), EditorSettings())
        assert seen == []
        analyst.collect()
        assert seen == [0]
    finally:
        gc.callbacks.remove(told)
    assert answer.examination.analysis is not None
