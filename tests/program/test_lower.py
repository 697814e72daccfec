"""A function's body is lowered when it is asked for, and what a module knows of all its functions is the same whenever that is."""

from __future__ import annotations

from torchlsp.core.text import Document
from torchlsp.program import ir
from torchlsp.program.lower import MAX_DEPTH, lower
from torchlsp.program.walking import below
from torchlsp.syntax.parse import parse

TEXT = '''\
import torch

LAYERS = []


class Net(torch.nn.Module):
    """One."""

    def __init__(self, width=3):
        super().__init__()
        self.width = width
        self.other.width = 2

        class Inner:
            def held(self):
                return lambda: (yield)

        LAYERS.append(Inner)

    def forward(self, x):
        def first(y):
            y.marked = True
            return y

        def second(y):
            for _ in range(2):
                yield y

        return first(x)


def outside(items):
    items += [1]
    return [item for item in items]
'''


def lowered() -> ir.Module:
    return lower(parse(Document("a.py", TEXT)))


def is_lowered(function: ir.Function) -> bool:
    try:
        type(function).body.__get__(function)
    except AttributeError:
        return False
    return True


def functions(body: tuple[ir.Node, ...]) -> dict[str, ir.Function]:
    found = {}
    for node in body:
        if isinstance(node, ir.Define):
            found[node.function.name] = node.function
        elif isinstance(node, ir.DefineClass):
            found |= functions(node.cls.body)
    return found


def test_bodies_wait_until_they_are_asked_for() -> None:
    own = functions(lowered().body)
    assert own.keys() == {"__init__", "forward", "outside"}
    assert not any(map(is_lowered, own.values()))
    assert own["forward"].size > 10 and not own["forward"].is_generator
    assert [name for name, function in own.items() if is_lowered(function)] == ["forward"]


def test_a_module_knows_all_of_its_functions_whatever_was_asked_for_before() -> None:
    at_once, piecemeal = lowered(), lowered()
    inside = functions(functions(piecemeal.body)["forward"].body)
    assert inside["second"].is_generator and not inside["first"].is_generator
    for module in (at_once, piecemeal):
        assert [function.qualname for function in module.functions] == [
            "Net.__init__.Inner.held", "Net.__init__", "Net.forward.first", "Net.forward.second", "Net.forward", "outside",
        ]  # fmt: skip
        assert [cls.qualname for cls in module.classes] == ["Net.__init__.Inner", "Net"]
        assert list(module.statement_starts) == sorted(module.statement_starts, key=lambda place: place[0])
        assert len(module.statement_starts) == TEXT.count("\n") - TEXT.count("\n\n") - TEXT.count("\n\n\n")
        assert module.changed_names == {"LAYERS", "items"}
        assert module.changed_attributes == {"width", "marked"}
    assert (
        at_once.size == piecemeal.size > sum(function.size for function in functions(at_once.body).values())
    )


def test_a_body_is_the_same_whoever_asks() -> None:
    module = lowered()
    forward = functions(module.body)["forward"]
    assert forward in module.functions and forward.body is forward.body
    assert functions(forward.body)["first"] in module.functions


def test_target_of_a_walrus_is_a_name_at_every_depth() -> None:
    targets = []
    for depth in range(MAX_DEPTH - 10, MAX_DEPTH + 10):
        module = lower(parse(Document("a.py", f"x = {'-' * depth}(y := 1)\n")))
        targets += [node.target for node in below(module.body) if isinstance(node, ir.Walrus)]
    assert 0 < len(targets) < 20
    assert {type(target) for target in targets} == {ir.Name}
