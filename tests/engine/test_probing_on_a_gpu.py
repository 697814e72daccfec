"""Programs about devices on a real GPU: what its worker answers goes before what was emulated. No GPU is needed here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from torchlsp.core.finding import Finding, Outcome, ProbeRequest, Severity, Verdict
from torchlsp.core.span import Span
from torchlsp.engine.probing import Prober, Unavailable
from torchlsp.engine.verdict_store import VerdictStore
from torchlsp.lint.pages import load_page
from torchlsp.lint.registry import find
from torchlsp.probe.request import Answer, Error, Hello, Request
from torchlsp.report.words import verdict_words

REFUSED = "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
RAISED = Answer("raised", Error("TypeError", REFUSED, 2), reached=False)
PASSED = Answer("passed", reached=True)
NUMPY = ProbeRequest(
    "import torch\ntorch.ones(3, device='cuda').numpy()\n", kind="logical-device", flag=(2, 2)
)


def finding(request: ProbeRequest = NUMPY, rule: str = "TL301") -> Finding:
    return Finding(rule, "some-name", "a.py", Span(0, 1), "it fails", Severity.ERROR, probe=request)


class Fake:
    """A worker: `ends` says how a program of its kind ends, and the examples of the page end as the page says."""

    def __init__(self, kind: str, ends: Callable[[], Answer]) -> None:
        info = find("TL301")
        assert info is not None
        self.page = {block.plain for block in load_page(info.page_path).of_role("bad")}
        self.kind, self.ends, self.runs = kind, ends, 0

    def hello(self) -> Hello:
        return Hello("9.9", "3.11.0", frozenset({self.kind}), {}, gpu="NVIDIA H100")

    def run(self, requests: list[Request], deadline: float) -> list[Answer]:
        self.runs += 1
        assert {one.kind for one in requests} == {self.kind}
        given = []
        for one in requests:
            end = RAISED if one.program in self.page else self.ends()
            row = end.error and Error(end.error.name, end.error.text, (one.flag or (2, 2))[0])
            given.append(Answer(end.outcome, row, end.reached, key=one.key))
        return given

    def close(self) -> None:
        pass


def no_gpu() -> Answer:
    raise Unavailable("there is no GPU")


def judged(
    on_gpu: Callable[[], Answer], emulated: Answer = RAISED, request: ProbeRequest = NUMPY
) -> tuple[Verdict, Prober, Fake]:
    gpu = Fake("real-cuda", on_gpu)
    prober = Prober("", (), worker=Fake(request.kind, lambda: emulated), store=VerdictStore(), gpu=gpu)  # type: ignore[arg-type]
    (verdict,) = prober.verdicts([finding(request)])
    assert verdict is not None
    return verdict, prober, gpu


def test_what_a_gpu_refuses_is_said_of_that_gpu() -> None:
    verdict, prober, _ = judged(lambda: RAISED)
    assert (verdict.outcome, verdict.kind, verdict.device) == (Outcome.REPRODUCED, "real-cuda", "NVIDIA H100")
    assert verdict_words(verdict).startswith(
        "torch 9.9 on NVIDIA H100 refuses these operands: TypeError: can't convert"
    )
    assert prober.why_no_gpu is None and prober.known(finding()) == verdict


def test_what_a_gpu_runs_is_refuted_whatever_was_emulated() -> None:
    verdict, _, _ = judged(lambda: PASSED)
    assert verdict.outcome is Outcome.REFUTED
    assert verdict_words(verdict).startswith("refuted by torch 9.9 on NVIDIA H100")


@pytest.mark.parametrize("end", ["timeout", "denied"])
def test_what_a_gpu_does_not_decide_stays_emulated(end: str) -> None:
    verdict, _, _ = judged(lambda: Answer(end, Error("", "no answer", None)))
    assert (verdict.outcome, verdict.kind) == (Outcome.REPRODUCED, "logical-device")
    assert verdict_words(verdict).startswith("would raise (emulated device)")


def test_without_a_gpu_it_is_emulated_and_asked_again_another_time() -> None:
    verdict, prober, gpu = judged(no_gpu)
    assert verdict.kind == "logical-device" and prober.why_no_gpu == "there is no GPU"
    assert prober.known(finding()) is None
    prober.verdicts([finding()])
    assert gpu.runs == 1


def test_what_needs_no_device_does_not_go_there() -> None:
    request = ProbeRequest("import torch\ntorch.ones(3).numpy()\n", kind="eager-cpu", flag=(2, 2))
    verdict, _, gpu = judged(no_gpu, request=request)
    assert verdict.kind == "eager-cpu" and gpu.runs == 0
