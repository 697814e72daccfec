"""The command `truth`: what the analysis claims of a program is compared with a run of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchlsp.dev import truth
from torchlsp.dev.oracle.comparing import Result, compare
from torchlsp.dev.oracle.observations import run
from torchlsp.engine.recorded import Recorded
from torchlsp.facts.tensor import TensorFact

pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.processes, pytest.mark.slow]

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)

    def forward(self, x):
        h = self.first(x)
        return h.relu()
"""

PROGRAM = (
    MODEL
    + """

net = Net()
out = net(torch.randn(2, 3))
turned = out.t()
print(turned.shape)
"""
)


def compared(folder: Path, *command: str) -> Result:
    observed = run([sys.executable, *command], str(folder))
    assert observed.files, observed.status
    return compare(observed, observed.files)


def written(folder: Path, text: str, name: str = "program.py") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def about(result: Result) -> set[tuple[int, str, str, str]]:
    return {(one.row, one.about, one.expression, one.source) for one in result.contradictions}


def test_true_claims_hold(tmp_path: Path):
    result = compared(tmp_path, written(tmp_path, PROGRAM))
    assert not result.contradictions and not result.findings and not result.problems
    assert result.tensors >= 7
    for column in ("rank", "sizes", "dtype", "device", "contiguity", "strides", "grad", "leaf", "class"):
        assert result.claims[column] and not result.contradicted[column], column
    assert result.known["rank"] == result.tensors


@pytest.mark.parametrize(
    ("column", "planted"),
    [
        ("rank", {"shape": (4, 2, 1), "layout": None}),
        ("sizes", {"shape": (4, 3), "layout": None}),
        ("dtype", {"dtype": "f64"}),
        ("strides", {"layout": (1, 5)}),
    ],
)
def test_planted_false_claim_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, planted: dict
):
    path = written(tmp_path, PROGRAM)
    start = PROGRAM.index("turned =")
    own = Recorded.own

    def untrue(self: Recorded, first: int, last: int):
        value = own(self, first, last)
        return value.but(**planted) if first == start and isinstance(value, TensorFact) else value

    monkeypatch.setattr(Recorded, "own", untrue)
    result = compared(tmp_path, path)
    row = PROGRAM.count("\n", 0, start) + 1
    assert (row, column, "turned", "shown") in about(result)
    assert {one.row for one in result.contradictions} == {row}
    assert result.contradicted[column] >= 1


def test_symbol_has_one_number_in_one_activation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text = """\
import torch


def scores(q, k):
    b, n, d = q.shape
    twice = torch.cat([q, q], 1)
    other = k * 2.0
    return twice, other


scores(torch.randn(2, 3, 4), torch.randn(2, 5, 4))
scores(torch.randn(6, 7, 4), torch.randn(6, 1, 4))
"""
    path = written(tmp_path, text)
    result = compared(tmp_path, path)
    assert not result.contradictions
    own = Recorded.own
    query, other = text.index("q.shape"), text.index("other =")

    def tied(self: Recorded, start: int, end: int):
        # As if the sizes of k were those of q.
        return own(self, query, query + 1) if start == other else own(self, start, end)

    monkeypatch.setattr(Recorded, "own", tied)
    result = compared(tmp_path, path)
    assert {("other", "ties")} == {(one.expression, one.about) for one in result.contradictions}
    assert "5 where n is 3" in result.contradictions[0].observed[0]


def test_formula_of_symbols_is_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text = """\
import torch


def twice(x):
    b, n = x.shape
    y = torch.cat([x, x], 1)
    return y


twice(torch.randn(2, 3))
"""
    path = written(tmp_path, text)
    assert not compared(tmp_path, path).contradictions
    own = Recorded.own
    start = text.index("y =")

    def wrong(self: Recorded, first: int, last: int):
        value = own(self, first, last)
        if first != start or not isinstance(value, TensorFact) or value.shape is None:
            return value
        return value.but(shape=(value.shape[0], value.shape[1] + 1), layout=None)

    monkeypatch.setattr(Recorded, "own", wrong)
    found = compared(tmp_path, path).contradictions
    assert ["6 where it is 7"] in [one.observed for one in found]


def test_functions_of_a_pytest_run_are_observed(tmp_path: Path):
    written(tmp_path, MODEL, "model.py")
    written(
        tmp_path,
        """\
import pytest
import torch
from model import Net


def test_shape():
    out = Net()(torch.randn(5, 3))
    assert out.shape == (5, 4)


def test_error():
    with pytest.raises(RuntimeError):
        torch.randn(2, 3) @ torch.randn(2, 3)
""",
        "test_model.py",
    )
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist", str(tmp_path))
    result = compared(tmp_path, "-m", "pytest", "--rootdir", str(tmp_path), *options)
    assert result.files == 2 and not result.problems
    assert result.tensors >= 7 and not result.untrue
    assert not result.untrue_findings
    assert not list(tmp_path.rglob("*.pyc"))


def test_module_of_a_package_is_observed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    package = tmp_path / "package"
    package.mkdir()
    written(package, "", "__init__.py")
    written(package, MODEL, "model.py")
    written(
        package, "import torch\nfrom package.model import Net\nout = Net()(torch.ones(2, 3))\n", "__main__.py"
    )
    monkeypatch.chdir(tmp_path)
    result = compared(tmp_path, "-m", "package")
    assert result.tensors >= 6 and not result.contradictions


def test_error_that_was_not_raised_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text = "import torch\n\nx = torch.randn(2, 3)\ny = x.view(5)\n"
    path = written(tmp_path, text)
    observed = run([sys.executable, path], str(tmp_path))
    assert observed.status == 1
    assert not compare(observed, observed.files).findings  # it did raise
    written(tmp_path, text.replace("view(5)", "view(6)"))
    observed = run([sys.executable, path], str(tmp_path))
    written(tmp_path, text)  # what is analysed now differs from what has run
    result = compare(observed, observed.files)
    (finding,) = result.untrue_findings
    assert (finding.row, finding.expression, finding.evaluations) == (4, "x.view(5)", 1)


def test_program_that_ends_by_an_exception_is_compared(tmp_path: Path):
    result = compared(tmp_path, written(tmp_path, PROGRAM + "raise SystemExit(3)\n"))
    assert result.tensors >= 7 and not result.contradictions
    result = compared(tmp_path, written(tmp_path, PROGRAM + "import os\nos._exit(0)\n"))
    assert result.tensors >= 7 and not result.contradictions


def test_call_from_outside_without_gradients_is_an_assumption(tmp_path: Path):
    library, script = tmp_path / "library", tmp_path / "script.py"
    library.mkdir()
    written(library, MODEL, "model.py")
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(library)!r})\nimport torch\nfrom model import Net\n"
        "with torch.no_grad():\n    Net()(torch.ones(2, 3))\n"
    )
    result = compared(library, str(script))
    assert not result.untrue and result.contradicted_resting["grad"] >= 2
    written(library, MODEL + "\n\nwith torch.no_grad():\n    Net()(torch.ones(2, 3))\n", "model.py")
    assert not compared(library, str(script)).contradictions  # seen, and not claimed


def test_annotated_variable_of_an_unknown_value_is_an_assumption(tmp_path: Path):
    text = """\
from typing import cast

import torch


def f(given):
    a: torch.Tensor = cast(torch.Tensor, given)
    return a


f(0.5)
"""
    result = compared(tmp_path, written(tmp_path, text))
    assert not result.untrue and result.contradicted_resting["kind"] == 3


def test_object_with_a_name_is_of_its_class(tmp_path: Path):
    text = """\
import functools

import torch


class Wrapped:
    def __init__(self, function):
        functools.update_wrapper(self, function)

    def __call__(self):
        return 1


def f(x):
    return x + 1


wrapped = Wrapped(f)
print(wrapped.__name__, torch.cat)
"""
    result = compared(tmp_path, written(tmp_path, text))
    assert not result.contradictions and result.claims["class"] >= 2


def test_what_stands_for_values_in_a_trace_is_not_compared(tmp_path: Path):
    text = MODEL + "\n\nfrom torch import fx\nnet = Net()\nnet(torch.ones(2, 3))\nfx.symbolic_trace(net)\n"
    result = compared(tmp_path, written(tmp_path, text))
    assert not result.contradictions and result.claims["rank"] >= 4


STRANGE = '''\
"""Prints what a program can see of itself."""
from __future__ import annotations

import dataclasses
import enum
import inspect
import sys


class Kind(enum.Enum):
    """Of what."""

    A = enum.auto()
    B = A


@dataclasses.dataclass
class Record:
    x: int = 1
    y: "list[int]" = dataclasses.field(default_factory=list)

    def both(self):
        """Gives both."""
        return {**vars(self), **locals()}


class Base:
    __slots__ = ("__hidden",)

    def __init__(self, hidden):
        self.__hidden = hidden

    def get(self):
        return self.__hidden


class Derived(Base):
    def get(self):
        return [super(Derived, self).get() for _ in range(2)], super().get()


def generator(n):
    for i in range(n):
        got = yield i
        if got:
            return


def outer():
    count = 0

    def inner():
        nonlocal count
        count += 1
        return (lambda step=1, *more: count + step)

    return inner()(2), inner()()


total = 0


def add(*args, key=None, **more):
    global total
    total += sum(args)
    a, (b, *c) = 1, (2, 3, 4)
    if (n := len(args)) > 1:
        del a
    return n, b, c, sorted(locals())


def sums(xs):
    return {k: [i * j for i in xs if i for j in xs] for k in xs}, f"{xs[0]:>{len(xs)}}"


print(__doc__, __name__, __spec__, __package__, sys.argv[1:], Kind.B, Record.both.__doc__)
print(Record().both().keys(), Derived(3).get(), list(generator(3)), outer(), add(1, 2, key=3, z=4), total)
print(sums([1, 2]), inspect.signature(add), inspect.getsource(outer)[:12], sys.path[0] == sys.argv[1])
print(inspect.getdoc(Derived), [name for name in globals() if not name.startswith("__")])
try:
    [1, 2][5]
except IndexError as error:
    print(error, error.__traceback__.tb_lineno)
'''


def test_program_prints_the_same_with_and_without_observation(tmp_path: Path):
    path = written(tmp_path, STRANGE)
    command = [sys.executable, path, str(tmp_path)]
    plain = subprocess.run(command, capture_output=True, text=True, check=False)
    out = tmp_path / "out"
    out.mkdir()
    agent = str(Path(truth.__file__).parent / "oracle" / "agent")
    environment = {
        **os.environ,
        "PYTHONPATH": agent,
        "TORCHLSP_OBSERVE_OUT": str(out),
        "TORCHLSP_OBSERVE_ROOT": str(tmp_path),
    }
    seen = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (seen.returncode, seen.stdout, seen.stderr) == (0, plain.stdout, "") and plain.stdout
    (observed,) = out.iterdir()
    ((_, places),) = json.loads(observed.read_text())["files"]
    assert len(places) > 80


def test_report_and_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture):
    path, kept = written(tmp_path, PROGRAM), tmp_path / "facts.json"
    options = ["--root", str(tmp_path), "--json", str(kept)]
    assert truth.main([*options, "--", sys.executable, path]) == 0
    printed = capsys.readouterr().out
    assert "1 files" in printed and "known of tensor expressions: rank 100%" in printed
    assert json.loads(kept.read_text())["contradictions"] == []
    assert truth.main([*options, "--only", "other/*", "--", sys.executable, path]) == 2
