"""Memory that two names share, as small programs: what is written through one of them is read through the other."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.replay_autograd import program


def _of_twin(fault: Fault) -> ProbeRequest:
    dtype = fault["input"].dtype
    kept = f", dtype=torch.{TORCH_NAMES[dtype]}" if dtype not in (None, "f32", "bool") else ""
    tensor = f"torch.ones(3{kept})"
    if fault["array"]:
        lines = [f"array = {tensor}.numpy()", "t = torch.from_numpy(array)", "before = t.tolist()"]
        flagged, twin = "array += 1", "t"
    else:
        lines = [f"t = {tensor}", "array = t.numpy()", "before = array.tolist()"]
        flagged, twin = "t += 1", "array"
    proof = f'assert {twin}.tolist() == before, "the other one is changed as well"'
    return program(lines, flagged, proof, fault, False)


def _of_argument(fault: Fault) -> ProbeRequest:
    lines = ["def change(t):", "    t += 1", "    return t", "", "", "given = torch.zeros(3)"]
    proof = 'assert not given.any(), "the tensor of the caller is changed"'
    return program(lines, "result = change(given)", proof, fault, False)


OF_SHARING = {
    FaultKind.TWIN_WRITTEN: _of_twin,
    FaultKind.CALLERS_TENSOR: _of_argument,
}
