"""Names the statement that autograd does not allow, as the rules have found it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchlsp.engine.remedies.told import Remedy, Told
from torchlsp.program import ir

_CHANGED = re.compile(r"^`(?P<written>[^`]+)` changes in place what the backward pass of (?P<op>\w+) needs")
_HELD = re.compile(r"^`(?P<object>[^`]+)` holds `(?P<name>[^`]+)`")


def overwritten(told: Told) -> Iterator[Remedy]:
    """Names the write between a forward and its backward: an optimizer's step, or an operation in place."""
    for found in told.found:
        match = _CHANGED.match(found.message)
        if match is None:
            continue
        written, row = match["written"], found.steps[0][0] if found.steps else found.row
        saved = next((one for one, message in found.steps if "saves" in message), None)
        where = f" (line {saved})" if saved is not None else ""
        says = f"`{written}` at line {row} changes what the backward of {match['op']}{where} needs."
        if written.endswith(".step()"):
            fix = f"Do this backward before `{written}`: compute all gradients first, then let the optimizers step."
            other = "Or compute the second loss again after the step, by another forward."
            yield Remedy(says, (fix, other), is_whole=True)
            return
        fixes = (found.fix + ".",) if found.fix else ()
        yield Remedy(says, (*fixes, "Or write to a copy: `.clone()` before the write."), is_whole=bool(fixes))
        return


def kept_in_object(told: Told) -> Iterator[Remedy]:
    """Names the attribute that holds a tensor of the graph, and the line that keeps it."""
    scene = told.scene
    for found in told.found:
        match = _HELD.match(found.message)
        if match is None or scene is None or not found.steps:
            continue
        row = found.steps[0][0]
        line = scene.source.line(row)
        says = (
            f"`{match['object']}` holds `{match['name']}`, which is in a graph since line {row} (`{line}`)."
        )
        name, _, value = line.partition(" = ")
        own = name.removeprefix("self.")
        if value and name != own and own.isidentifier() and "…" not in value:
            fix = f"Compute in a variable, and keep a detached copy: `{own} = {value}`, then `{name} = {own}.detach()`."
            yield Remedy(says, (fix, "Or copy the object before it has run."), is_whole=True)
        else:
            yield Remedy(says)
        return


def written_out(told: Told) -> Iterator[Remedy]:
    """Writes the call without `out=`, its result under the name of what was written."""
    scene = told.scene
    for call in scene.calls() if scene is not None else ():
        out = next((node for name, node in call.keywords if name == "out"), None)
        if out is None or scene is None:
            continue
        given = [*map(scene.text, call.args)]
        given.extend(f"{name}={scene.text(node)}" for name, node in call.keywords if name and name != "out")
        operands = [one for node in call.args if (one := scene.operand(node)) is not None]
        source = operands[0].text if operands and not isinstance(operands[0].node, ir.Call) else "an operand"
        yield Remedy(
            f"`{scene.text(out)}` is written with `out=`, and {f'`{source}`' if operands else source} takes part in gradients.",
            (
                f"Use the result that is returned: `{scene.text(out)} = {scene.text(call.function)}({', '.join(given)})`.",
                "If no gradient is needed here, compute under `torch.no_grad()`.",
            ),
            is_whole=True,
        )
        return
