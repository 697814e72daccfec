"""A check that runs along declares its events and is listed once; hooks are called in the order of the list."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

from torchlsp.core.text import Document
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.checks import running
from torchlsp.interp.checks.hooks import ANY, Hooks, for_names
from torchlsp.interp.run.analyse import analyse
from torchlsp.lint.files import lowered
from torchlsp.syntax.parse import parse

CHECKS = Path(running.__file__).parent


def with_hooks(hooks: Hooks) -> ModuleType:
    module = ModuleType("check")
    module.HOOKS = hooks
    return module


def test_every_check_that_declares_hooks_is_listed_once() -> None:
    declaring = {
        path.relative_to(CHECKS).with_suffix("").as_posix().replace("/", ".")
        for path in CHECKS.glob("*/*.py")
        if "\nHOOKS = Hooks(" in path.read_text(encoding="utf-8")
    }
    listed = [module.__name__.removeprefix("torchlsp.interp.checks.") for module in running.RUNNING]
    assert sorted(listed) == sorted(declaring)


def test_every_event_has_a_check_and_a_table() -> None:
    for event in fields(Hooks):
        assert any(getattr(module.HOOKS, event.name) for module in running.RUNNING), event.name
        names = {"external_result": "EXTERNAL_RESULTS", "object_method": "OBJECT_METHODS"}
        name = names.get(event.name, event.name.upper())
        table = getattr(running, name)
        assert table or table.any, name


def test_hooks_of_a_name_are_called_in_the_order_of_the_list() -> None:
    called: list[str] = []

    def hook(name: str):
        return lambda *arguments: called.append(name)

    declared = (
        Hooks(external_call=for_names(["torch.zeros", "torch.ones"], hook("first"))),
        Hooks(external_call={ANY: hook("any")}),
        Hooks(external_call={"torch.zeros": hook("last")}),
    )
    table = running.ByName([hooks.external_call for hooks in declared])
    for name in ("torch.zeros", "torch.ones", "torch.eye"):
        for one in table.get(name, table.any):
            one()
    assert called == ["first", "any", "last", "first", "any", "any"]


def test_two_checks_cannot_give_the_value_of_one_function() -> None:
    one = Hooks(external_result={"torch.load": lambda it, arguments, node: None})
    with pytest.raises(ValueError, match=r"torch\.load"):
        running._handlers([one.external_result, one.external_result])


def test_a_check_sees_its_events_and_reports(monkeypatch) -> None:
    def created(it, name, config, arguments, node) -> None:
        path = it.frame.module.path
        it.report([Fault(FaultKind.ARGUMENT, node.start, node.end, name, path=path)])

    hooks = Hooks(layer_created={"torch.nn.Linear": created})
    monkeypatch.setattr(running, "LAYER_CREATED", running.ByName([hooks.layer_created]))
    text = "import torch\n\nlayer = torch.nn.Linear(3, 4)\nother = torch.nn.ReLU()\n"
    module = lowered(parse(Document.from_bytes("program.py", text.encode())))
    (fault,) = analyse(module, strict=True).faults
    assert (fault.op, text[fault.start : fault.end]) == ("torch.nn.Linear", "torch.nn.Linear(3, 4)")
