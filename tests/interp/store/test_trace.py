"""Traces: events in the order and nesting in which the program has them."""

from __future__ import annotations

from typing import Any

from small_programs import lowered

from torchlsp.interp.run.analyse import analyse
from torchlsp.interp.store.trace import (
    BranchItem,
    CallItem,
    Event,
    EventKind,
    Exit,
    Item,
    IterationItem,
    LoopItem,
    Recorder,
)

SETUP = """
import torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 2)), batch_size=2)
"""
WANTED = {EventKind.ZERO_GRAD, EventKind.BACKWARD, EventKind.STEP}


def outline(items: tuple[Item, ...]) -> list[Any]:
    """The training events of a trace as nested lists; what holds none of them is left out."""
    found: list[Any] = []
    for item in items:
        match item:
            case Event(kind=kind):
                found += [kind.value] if kind in WANTED else []
            case Exit(kind=kind):
                found.append(kind)
            case BranchItem(body=body, orelse=orelse):
                found.append(("if", outline(body), outline(orelse)))
            case LoopItem(body=body):
                found.append(("loop", outline(body)))
            case IterationItem(body=body):
                found.append(("iteration", outline(body)))
            case CallItem(name=name, body=body):
                found.append((name, outline(body)))
    return [one for one in found if not isinstance(one, tuple) or any(one[1:])]


def traced(text: str) -> dict[str, list[Any]]:
    analysis = analyse(lowered(SETUP + text), strict=True)
    return {root.name: outline(root.trace) for root in analysis.roots}


def test_a_recorder_nests_what_is_recorded_between_open_and_close() -> None:
    recorder = Recorder()
    one, two, three = (Event(EventKind.STEP, start, start + 1) for start in (1, 2, 3))
    recorder.open()
    recorder.add(one)
    recorder.open()
    recorder.add(two)
    recorder.add(LoopItem(0, 9, recorder.close()))
    recorder.add(three)
    assert recorder.close() == (one, LoopItem(0, 9, (two,)), three)
    assert recorder.stack == [[]]


def test_a_loop_over_data_is_one_item_with_its_events_in_order() -> None:
    found = traced("""
for (x,) in data:
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
""")
    assert found["<module>"] == [("loop", ["zero_grad", "backward", "step"])]


def test_an_undecided_branch_has_both_arms_and_the_exit_of_one() -> None:
    found = traced("""
def train(skip):
    for (x,) in data:
        if skip:
            continue
        else:
            optimizer.zero_grad()
        model(x).sum().backward()
""")
    assert found["train"] == [("loop", [("if", ["continue"], ["zero_grad"]), "backward"])]


def test_a_call_of_a_function_of_the_file_is_nested() -> None:
    found = traced("""
def update(loss):
    optimizer.zero_grad()
    loss.backward()

update(model(torch.ones(1, 2)).sum())
optimizer.step()
""")
    assert found["<module>"] == [("update", ["zero_grad", "backward"]), "step"]
    assert found["update"] == ["zero_grad", "backward"]


def test_events_carry_the_place_of_their_call() -> None:
    call = "model(torch.ones(1, 2)).sum().backward()"
    text = SETUP + call
    analysis = analyse(lowered(text), strict=True)
    events = [item for root in analysis.roots for item in root.trace if isinstance(item, Event)]
    (backward,) = [event for event in events if event.kind is EventKind.BACKWARD]
    assert text[backward.start : backward.end] == call
