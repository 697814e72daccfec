"""Collects the facts at one place for hover, and facts worth showing as inlay hints.

Nothing here is worded for a particular client: `report.hover` makes Markdown or plain text of a Description.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, TypeGuard

from torchlsp.core.records import dataclass, field, replace
from torchlsp.core.span import Span
from torchlsp.engine.annotated import is_variable
from torchlsp.engine.calls_shown import argument_name, symbol_called, symbol_of, told
from torchlsp.engine.config import TOOL_RULES
from torchlsp.engine.modules_shown import notes_on_module
from torchlsp.engine.recorded import Recorded, invented_sizes, owner_of, recorded, says_less
from torchlsp.engine.values_shown import (
    AS_CALLED,
    BY_ANNOTATION,
    Note,
    Step,
    layer_parameters,
    said,
    tensor_notes,
)
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.lint.ir_nodes import path_to
from torchlsp.lint.pages import PageError, declared, load_page
from torchlsp.lint.registry import find
from torchlsp.program import ir
from torchlsp.syntax.suppressions import suppressions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchlsp.engine.examination import Examination
    from torchlsp.engine.padding import Displacement, Padding
    from torchlsp.engine.pitfalls import CallMade
    from torchlsp.syntax.parse import SyntaxTree

AGED = "~"
"""Stands before the fact of a hint that rests on a run of an earlier version of its function."""

MAX_HINT_LENGTH = 60
_MAX_HINT_DISTANCE = 1_000
MAX_SHARING = 4

_SUPPRESSIONS_KEY = "engine.inspection.suppressions"
_TABLE = re.compile(r"^[ \t]*\[+([^\[\]\r\n]*)\]+[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_OUR_TABLE = re.compile(r"tool\.torchlsp(\.|$)")
_OTHER_TOOLS = frozenset({"tool", "project", "build-system", "dependency-groups"})
_INSIDE_SUBSCRIPT = (ir.Constant, ir.Slice, ir.Unary, ir.Display)


@dataclass(frozen=True, slots=True)
class Description:
    """The content of a hover.

    `kind` is `value`, `call`, `symbol` (something of a library that is not called here), `argument` (`symbol` is what it
    is given to, `name` the parameter) or `rule`. Otherwise `name` is what the
    user wrote; `fact` is in the notation, for a call as `f32[8, 3] → f32[8, 10]`, and may be empty; `symbol` is the
    public dotted name of what is meant; `path` is the file of those steps that name none. For a rule `name` is its
    code, `symbol` its name, `fact` its summary, and `page` its page in Markdown. `layer` is the layer that is called, as its
    class would be called.
    """

    kind: str
    span: Span
    name: str
    fact: str = ""
    symbol: str | None = None
    notes: tuple[Note, ...] = ()
    trail: tuple[Step, ...] = ()
    path: str = ""
    page: str = ""
    layer: str = ""
    call: CallMade | None = field(default=None, compare=False)
    """Its facts name places of the text that was analysed, which an editor's text need not have."""


@dataclass(frozen=True, slots=True)
class HintKinds:
    """The kinds of facts shown beside the code: of tensors, NumPy arrays, layers, and whole numbers."""

    shape: bool = True
    array: bool = True
    module: bool = False
    size: bool = False


SHAPES_AND_ARRAYS = HintKinds()


@dataclass(frozen=True, slots=True)
class Hint:
    """A fact to show at `offset`. `kind` is a field of HintKinds; `tooltip` has the whole fact where `text` is cut, and
    says so where the fact is only what this file's calls make of it."""

    offset: int
    text: str
    kind: str
    tooltip: str = ""


def at(examination: Examination, offset: int) -> Description | None:
    """Returns the description of an offset; None where there is nothing to say."""
    if not 0 <= offset <= len(examination.document.text):
        return None
    rule = _suppressed_rule(examination.tree, offset)
    facts = recorded(examination)
    if rule is not None or facts is None:
        return rule
    if examination.passed is not None:
        facts = replace(facts, elsewhere=examination.passed)
    padding = examination.padding
    found = _told_at(facts, padding.inside(offset)) if padding.has(offset) else None
    return _outside(found, padding) if found is not None and padding.is_needed else found


def _outside(found: Description, padding: Padding | Displacement) -> Description:
    """Returns the description of a place of the analysed text, with positions in the document."""
    steps = tuple(
        replace(step, span=padding.span_outside(step.span)) if step.path is None else step
        for step in found.trail
    )
    return replace(found, span=padding.span_outside(found.span), trail=steps)


def _told_at(facts: Recorded, offset: int) -> Description | None:
    text = facts.document.text
    word = _identifier(text, offset)
    if word is None:
        return _subscript(facts, offset)
    path = path_to(facts.module, word.start, word.end)
    node = path[-1] if path else None
    match node:
        case ir.Name() if (node.start, node.end) == (word.start, word.end):
            return _expression(facts, path, word)
        case ir.Attribute() if node.end == word.end and node.object.end < word.start:
            return _expression(facts, path, word)
        case ir.Param() if node.start == word.start:
            return _value(facts, node, word, path)
        case ir.Call() | ir.Constant(value=str()):
            return _argument(facts, path, word)
    return None


def _argument(facts: Recorded, path: Path, word: Span) -> Description | None:
    """Returns the description of a keyword argument of something of torch, or of a string passed for one."""
    call = next((node for node in reversed(path) if isinstance(node, ir.Call)), None)
    if call is None or word.start < call.function.end:
        return None
    span, name = word, None
    if path[-1] is call:
        written = facts.document.slice(word)
        is_keyword = facts.document.text[word.end : word.end + 20].lstrip().startswith("=")
        name = written if is_keyword and any(key == written for key, _ in call.keywords) else None
    else:
        span = Span(path[-1].start, path[-1].end)
        name = argument_name(facts, call, path[-1])
    symbol = symbol_called(facts, call) if name else None
    if name is None or symbol is None or not symbol.startswith("torch."):
        return None
    return Description("argument", span, name, symbol=symbol, path=facts.document.path)


def rule_at(text: str, offset: int) -> Description | None:
    """Returns the rule whose code or name is at an offset of a configuration file.

    In a file that holds other tools' tables too (pyproject.toml) only inside ours.
    """
    if not 0 <= offset <= len(text):
        return None
    tables = [(found.start(), re.sub(r"[\s\"']", "", found[1])) for found in _TABLE.finditer(text)]
    if any(name.split(".")[0] in _OTHER_TOOLS for _, name in tables):
        around = next((name for start, name in reversed(tables) if start <= offset), "")
        if not _OUR_TABLE.match(around):
            return None
    start = end = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
        end += 1
    return _rule(text[start:end], Span(start, end))


def hints(examination: Examination, span: Span, kinds: HintKinds = SHAPES_AND_ARRAYS) -> list[Hint]:
    """Returns facts of what is assigned inside a span, in order.

    An assignment that leaves a name's fact as the one before it in the same function says nothing new and gets no hint:
    in `h = relu(h)` only changes are news. What stands above the span counts too, so that hints do not come and go
    while the text is scrolled.
    """
    facts = recorded(examination)
    if facts is None:
        return []
    padding = examination.padding
    span = Span(padding.inside(span.start), padding.inside(span.end))
    found: list[Hint] = []
    # A hint stands after what it is about, or after its annotation.
    for start, end in facts.bound[bisect_left(facts.bound, (span.start - _MAX_HINT_DISTANCE,)) :]:
        if start > span.end:
            break
        hint = _hint(facts, start, end)
        if hint is not None and getattr(kinds, hint.kind) and span.start <= hint.offset <= span.end:
            found.append(replace(hint, offset=padding.outside(hint.offset)))
    return found


# ---- hints --------------------------------------------------------------------------------------------------------------


def _hinted(facts: Recorded, start: int, end: int) -> tuple[str, str, Note | None]:
    """Returns the kind and the fact that a hint shows, and whether it holds only for this file's calls. Empty
    where there is nothing to show."""
    value, remark = facts.value(start, end)
    kind = _hint_kind(value)
    return kind, (facts.text(value, start, end) or "") if kind else "", remark


def _hint_kind(value: v.Value) -> str:
    """Returns the kind of hint for a value; empty for none, as where only the kind of value is known."""
    match value:
        case TensorFact(shape=None, dtype=None) if value.device is None or str(value.device) == "cpu":
            return ""
        case v.ArrayValue(shape=None, dtype=None):
            return ""
        case TensorFact():
            return "shape"
        case v.ArrayValue():
            return "array"
        case v.LayerValue():
            return "module"
        case v.Scalar(kind="int", value=known) if known is not None:
            return "size"
        case v.TupleValue(is_size=True):
            return "size"
        case v.TupleValue(items=items):
            kinds = [_hint_kind(item) for item in items]
            return next((kind for kind in kinds if kind in ("shape", "array")), "")
    return ""


def _hint(facts: Recorded, start: int, end: int) -> Hint | None:
    kind, fact, note = _hinted(facts, start, end)
    if not fact or facts.document.text[start:end] == "_":
        return None
    above = facts.previous.get((start, end))
    if above is not None and _hinted(facts, *above)[:2] == (kind, fact):
        return None
    remark = "" if note is None else note.words
    if note is not None and note.is_aged:
        fact = AGED + fact
    path = path_to(facts.module, start, end)
    if any(isinstance(node, ir.Comprehension | ir.Lambda) for node in path):
        return None
    offset, text = end, f": {fact}"
    for node in path:
        if isinstance(node, ir.Annotated) and node.target.end == end:
            offset, text = (
                node.annotation.end,
                f" {fact}",
            )  # `x: Tensor f32[3] = …`: a second colon would read as wrong
        if kind == "size" and isinstance(node, ir.Assign) and isinstance(node.value, ir.Constant):
            return None
    if len(text) <= MAX_HINT_LENGTH:
        return Hint(offset, text, kind, remark)
    tooltip = f"{fact} ({remark})" if remark else fact
    return Hint(offset, text[: MAX_HINT_LENGTH - 1] + "…", kind, tooltip)


def _identifier(text: str, offset: int) -> Span | None:
    """Returns the identifier at an offset or just before it."""
    start = end = offset
    while start > 0 and _continues_identifier(text[start - 1]):
        start -= 1
    while end < len(text) and _continues_identifier(text[end]):
        end += 1
    return Span(start, end) if text[start:end].isidentifier() else None


def _continues_identifier(character: str) -> bool:
    return character == "_" or ("a" + character).isidentifier()


# ---- values -------------------------------------------------------------------------------------------------------------

Path = list["ir.Node | ir.Param"]


def _expression(facts: Recorded, path: Path, word: Span) -> Description | None:
    """Describes a name or an attribute, as a callee or as a value."""
    depth = len(path) - 1
    while depth > 0 and _is_part_of_a_dotted_name(facts, path[depth - 1], path[depth]):
        depth -= 1
    node, parent = path[depth], path[depth - 1] if depth else None
    span = Span(node.start, node.end) if _is_dotted(node) else word
    if isinstance(parent, ir.Call) and parent.function is node:
        call = told(facts, parent)
        if call is not None:
            name, notes = facts.document.slice(span), call.notes
            if not call.fact and call.symbol is None and notes:
                name, notes = notes[0].code or name, notes[1:]  # the signature
            return Description(
                "call",
                span,
                name,
                call.fact,
                call.symbol,
                notes,
                call.trail,
                facts.document.path,
                layer=call.layer,
                call=call.made,
            )
    if isinstance(parent, ir.Walrus) and parent.target is node:
        node = parent.value
    return _value(facts, node, span, path)


def _is_part_of_a_dotted_name(facts: Recorded, outer: ir.Node | ir.Param, inner: ir.Node | ir.Param) -> bool:
    """Returns whether this is the `F` of `F.relu`, or the `torch.nn` of `torch.nn.Linear`."""
    if not isinstance(outer, ir.Attribute) or outer.object is not inner:
        return False
    is_outside = isinstance(facts.own(inner.start, inner.end), v.External)
    if facts.is_recorded(outer):
        return is_outside
    return not is_outside and facts.imported(inner) is not None


def _is_dotted(node: ir.Node | ir.Param) -> bool:
    while isinstance(node, ir.Attribute):
        node = node.object
    return isinstance(node, ir.Name)


def _subscript(facts: Recorded, offset: int) -> Description | None:
    """Describes the item that a bracket or a constant index at an offset selects."""
    path = path_to(facts.module, offset, offset + 1)
    while path and isinstance(path[-1], _INSIDE_SUBSCRIPT):
        path.pop()
    node = path[-1] if path else None
    if not isinstance(node, ir.Subscript) or offset < node.object.end:
        return None
    return _value(facts, node, Span(node.start, node.end), path)


def _value(facts: Recorded, node: ir.Node | ir.Param, span: Span, path: Path) -> Description | None:
    value, remark = facts.value(node.start, node.end)
    name = facts.document.slice(span)
    if isinstance(value, v.External | v.BoundExternal) or not facts.is_recorded(node):
        symbol = symbol_of(value) or facts.imported(node)
        is_known = symbol is not None and symbol.startswith("torch.")
        return Description("symbol", span, name, symbol=symbol) if is_known else None
    function = owner_of(path)
    value, remark = headline(facts, node, function)
    if isinstance(value, v.Scalar) and value.value is None and not isinstance(node, ir.Name):
        if isinstance(node, ir.Param) or not facts.is_bound(node):
            return None  # `np.pi`: that it is a number, type checkers say
    fact = facts.text(value, node.start, node.end)
    if fact is None or fact == name or name == "self":  # a size that is known by this very name
        return None
    notes = list(tensor_notes(value))
    if isinstance(value, v.LayerValue):
        notes.extend(layer_parameters(value))
    notes.extend(notes_on_module(facts, value, node, remark))
    if facts.annotations.is_assumed(value, node, function) and _is_a_parameter(value, node):
        notes.append(BY_ANNOTATION)
    notes.extend(_sharing(facts, value, name, node.start, function))
    notes.extend(_called(facts, node, fact, remark))
    here = facts.document.path
    steps = facts.origins(value)
    if remark is not None and remark.is_differing:
        steps = ()  # of several values each has an origin of its own
    elif remark is not None and remark.calls > 1:
        steps = tuple(step for step in steps if step.path is None)
    if isinstance(node, ir.Param):
        steps = tuple(step for step in steps if (step.path, step.span.start) != (None, node.start))
    return Description("value", span, name, fact, notes=tuple(notes), trail=steps, path=here)


def headline(
    facts: Recorded, node: ir.Node | ir.Param, function: ir.Function | None
) -> tuple[v.Value, Note | None]:
    """Returns the value that hover shows for a place, and what is to be said of where it comes from."""
    value, remark = facts.value(node.start, node.end)
    own = facts.own(node.start, node.end)
    if function is not None and _may_be_a_parameter(own) and remark in (None, AS_CALLED):
        used, checked = facts.used_as(own, function)
        if remark is None or isinstance(used, TensorFact) and used.shape is not None:
            return used, checked if used != own else None
    return value, remark


def _is_a_parameter(value: v.Value, node: ir.Node | ir.Param) -> bool:
    """Is a value the very argument that a caller passes, or that of an annotated variable?"""
    if isinstance(value, TensorFact):
        return is_variable(value) or value.origin is not None and value.origin.op == "parameter"
    return isinstance(node, ir.Param)


def _may_be_a_parameter(value: v.Value) -> TypeGuard[v.Parameter | TensorFact]:
    if isinstance(value, TensorFact):
        return value.shape is None and value.origin is not None and value.origin.op == "parameter"
    return isinstance(value, v.Parameter)


def _called(facts: Recorded, node: ir.Node | ir.Param, fact: str, remark: Note | None) -> Iterator[Note]:
    """Returns the value that this file's calls give a place of which less is known for all callers."""
    if remark is not None:
        yield remark
        return
    yield from _passed(facts, node, fact)
    if isinstance(node, ir.Param) and facts.observations is not None:
        disagreement = facts.observations.disagreement(node.start, node.name)
        if disagreement is not None:
            yield disagreement
    called = facts.called(node.start, node.end)
    text = said(called, facts.content(node.start, node.end)) if called is not None else None
    own = facts.own(node.start, node.end)
    if text is not None and text != fact and not says_less(called, own):
        yield Note(f"{AS_CALLED.words}:", text)


def _passed(facts: Recorded, node: ir.Node | ir.Param, fact: str) -> Iterator[Note]:
    """Yields what the calls of other files give a place of which at least as much is known without them."""
    passed = facts.passed(node.start, node.end)
    if passed is None:
        return
    value, note = passed
    if note.is_differing:
        yield note
    elif (text := said(value)) is not None and text != fact and not invented_sizes(value):
        yield replace(note, words=f"{note.words}:", code=text)
        if isinstance(value, v.LayerValue):
            yield from layer_parameters(value)


def _sharing(
    facts: Recorded, value: v.Value, name: str, before: int, function: ir.Function | None
) -> Iterator[Note]:
    """Returns names above a place, in the same function, whose tensors share its memory."""
    if not isinstance(value, TensorFact | v.ArrayValue) or value.storage.ids is None:
        return
    surely: list[str] = []
    perhaps: list[str] = []
    for other, held, place in _names_above(facts, before, function):
        if other == name or not isinstance(held, TensorFact | v.ArrayValue) or held.storage.ids is None:
            continue
        if not held.storage.ids.isdisjoint(value.storage.ids) and not facts.is_hidden(place):
            shared = held.storage.may_share(value.storage) is Tri.YES
            (surely if shared else perhaps).append(other)
            if len(surely) + len(perhaps) == MAX_SHARING:
                break
    if surely:
        yield Note("shares memory with", ", ".join(surely))
    if perhaps:
        yield Note("may share memory with", ", ".join(perhaps))


def _names_above(
    facts: Recorded, before: int, function: ir.Function | None
) -> Iterator[tuple[str, v.Value, tuple[int, int]]]:
    seen: set[str] = set()
    for name, place in facts.latest(function, before):
        seen.add(name)
        yield name, facts.own(*place), place
    if function is None:
        return
    for param in function.params:
        if param.name not in seen:
            value = facts.own(param.start, param.end)
            value = facts.used_as(value, function)[0] if _may_be_a_parameter(value) else value
            yield param.name, value, (param.start, param.end)


# ---- rules --------------------------------------------------------------------------------------------------------------


def _suppressed_rule(tree: SyntaxTree, offset: int) -> Description | None:
    """Returns the rule whose code or name is at an offset inside a suppression comment."""
    document = tree.document
    row = document.line_text(document.lines.row(offset))
    if "#" not in row or ("torchlsp:" not in row and "noqa" not in row.lower()):
        return None
    kept = tree.memo.get(_SUPPRESSIONS_KEY)
    if not isinstance(kept, tuple):
        kept = tree.memo[_SUPPRESSIONS_KEY] = suppressions(tree)
    for comment in kept:
        for word, span in comment.codes:
            if span.start <= offset <= span.end:
                return _rule(word, span)
    return None


def _rule(word: str, span: Span) -> Description | None:
    info = find(word)
    if info is None:
        own = next((rule for rule in TOOL_RULES if word.upper() == rule.code or word == rule.name), None)
        return None if own is None else Description("rule", span, own.code, symbol=own.name)
    try:
        page = load_page(info.page_path).markdown
    except (OSError, PageError):
        page = ""
    return Description("rule", span, info.code, info.summary, info.name, (Note(declared(info)),), page=page)
