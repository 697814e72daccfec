"""What the table says about sharing memory is what torch does, and what the operator table says where it knows."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from torchlsp.dev.facts import analysed
from torchlsp.docs_db.memory import (
    Case,
    Memory,
    MemoryTableError,
    all_memory,
    memory,
    parse_memory,
)
from torchlsp.docs_db.notes import load_note, note, note_paths
from torchlsp.facts.layout import is_contiguous
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import TupleValue

CASES = [
    pytest.param(one, case, id=f"{case.call} of {case.base}") for one in all_memory() for case in one.cases
]


def first(result: Any) -> Any:
    while isinstance(result, tuple | list):
        result = result[0]
    return result


@pytest.mark.torch
@pytest.mark.parametrize(("one", "case"), CASES)
def test_torch_shares_memory_as_the_table_says(one: Memory, case: Case):
    torch = pytest.importorskip("torch")
    from torchlsp.probe.worker.logical import one_logical_cuda_device

    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    needs_cuda = "cuda" in case.call + case.base
    with warnings.catch_warnings(), one_logical_cuda_device() if needs_cuda else nullcontext():
        warnings.simplefilter("ignore")
        x = eval(case.base, names)
        result = first(eval(case.call, {**names, "x": x}))
    shared = result.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    measured = "self" if result is x else "view" if shared else "copy"
    assert measured == case.result
    assert result.is_contiguous() is case.contiguous


@pytest.mark.parametrize(("one", "case"), CASES)
def test_the_operator_table_agrees_where_it_knows(one: Memory, case: Case, tmp_path: Path):
    """Two sources: this table, measured, and the storage and layout columns of `torchlsp.ops`."""
    program = tmp_path / "program.py"
    imports = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
    program.write_text(f"{imports}x = {case.base}\ny = {case.call}\n")
    document, analysis = analysed(str(program))
    known = {document.text[start:end]: value for (start, end), value in analysis.names.items()}
    x, y = known["x"], known.get("y")
    while isinstance(y, TupleValue) and y.items:
        y = y.items[0]
    if not isinstance(x, TensorFact) or not isinstance(y, TensorFact):
        return
    shared = x.storage.may_share(y.storage)
    assert shared is Tri.UNKNOWN or shared is (Tri.NO if case.result == "copy" else Tri.YES)
    contiguous = is_contiguous(y.shape, y.layout)
    assert contiguous is Tri.UNKNOWN or contiguous is (Tri.YES if case.contiguous else Tri.NO)


@pytest.mark.torch
@pytest.mark.parametrize("one", all_memory(), ids=lambda one: one.names[0])
def test_every_name_exists(one: Memory):
    torch = pytest.importorskip("torch")
    for name in one.names:
        found = torch
        for part in name.split(".")[1:]:
            assert hasattr(found, part), name
            found = getattr(found, part)


def test_notes_and_table_agree():
    compared, wrong = 0, []
    for path in note_paths():
        here = load_note(path)
        allowed = set(here.returns.replace(" or ", ", ").split(", ")) if here.returns else set()
        one = memory(here.symbols[0])
        if one is not None and allowed:
            compared += 1
            wrong += [(path.stem, case.result) for case in one.cases if case.result not in allowed]
    assert compared and not wrong


def test_a_symbol_is_found_under_each_of_its_names():
    assert memory("Tensor.reshape") is memory("torch.reshape") is memory("torch.Tensor.reshape")
    assert memory("Tensor.reshape").result == "depends"
    assert memory("torch.no_such_name") is None


GOOD = """[[symbol]]
names = ["torch.one"]
result = "depends"
on = "dtype"
cases = [{ call = "torch.one(x)", result = "view", contiguous = false }, { call = "x", result = "self" }]
"""


def test_an_entry_is_read_whole():
    (one,) = parse_memory(GOOD, Path("m.toml"))
    cases = (Case("torch.one(x)", "view", contiguous=False), Case("x", "self"))
    assert one == Memory(("torch.one",), "depends", "dtype", cases)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('on = "dtype"\n', ""), "symbol 1 (torch.one): `on` belongs to `depends`"),
        (('"depends"\non = "dtype"', '"view"'), "its cases say self, view"),
        (('"self"', '"view"'), "needs cases with different results"),
        (('"self"', '"same"'), "results are view, copy, self"),
        (("call = ", "text = "), "symbol 1 (torch.one): "),
        (('result = "depends"\n', ""), "symbol 1 (torch.one): 'result'"),
        (('["torch.one"]', '["torch.one", "torch.one"]'), "torch.one is there twice"),
        (('["torch.one"]', '"torch.one"'), "names is a list"),
        (("]]", "]"), "m.toml: "),
    ],
)
def test_a_broken_entry_is_refused_with_its_place(change: tuple[str, str], message: str):
    assert change[0] in GOOD
    with pytest.raises(MemoryTableError) as error:
        parse_memory(GOOD.replace(*change, 1), Path("m.toml"))
    assert str(error.value).startswith("m.toml: ") and message in str(error.value)


def test_the_note_on_a_view_is_there_where_memory_is_shared_silently():
    """`reshape` and its like are what the notes are for."""
    for one in all_memory():
        if one.result == "depends" and one.on.startswith("strides"):
            assert note(one.names[0]) is not None, one.names[0]
