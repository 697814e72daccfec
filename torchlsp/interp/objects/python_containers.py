"""Evaluates methods of lists, dicts, tuples and strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.dim import Dim
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.checks.data import joined_batches
from torchlsp.interp.model import given_functions, heap_access, heap_values
from torchlsp.interp.model.heap_access import Entries, Items, KnownEntries
from torchlsp.interp.objects.iteration import element_of, known_items
from torchlsp.interp.store import join
from torchlsp.interp.store.possible_objects import one_of
from torchlsp.ops.call import are_known
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from types import NotImplementedType

    from torchlsp.interp.store.evaluator import Evaluator


def call_method(
    it: Evaluator, receiver: Value, name: str, arguments: Arguments, node: ir.Node
) -> Value | NotImplementedType:
    """Calls a method of a container, a string or a plain value; NotImplemented for all other receivers."""
    match receiver:
        case v.ListRef(ref=ref):
            name, arguments = _of_list(name, arguments)
            if name in _LIST_CHANGES:
                return change_list(it, ref, name, arguments)
            if name == "copy":
                content = heap_access.items_at(it, ref)
                return heap_values.new_list(
                    it, node, content if isinstance(content, (tuple, v.Repeated)) else None
                )
            return UNKNOWN_VALUE
        case v.DictRef(ref=ref):
            return _dict_method(it, ref, name, arguments, node)
        case v.DictValue(entries=entries):
            return _read_dict(it, dict(entries), name, arguments)
        case v.TupleValue() | v.Repeated():
            if name == "numel" and isinstance(receiver, v.TupleValue) and receiver.is_size:
                product: Dim = 1
                for item in receiver.items:
                    size = v.as_dim(item)
                    if size is None:
                        return v.Scalar("int")
                    product = product * size
                return v.integer(product)
            is_array = isinstance(receiver, v.Repeated) and isinstance(receiver.element, v.Engine)
            return receiver if is_array and name in ("ravel", "flatten") else UNKNOWN_VALUE
        case v.Scalar(kind="str", value=text):
            if name == "split" and text is not None and not arguments.keywords:
                return _words(it, text, arguments, node)
            return _text_method(it, text, name, arguments)
        case v.Scalar():
            return UNKNOWN_VALUE
        case v.ShapeOf():
            return v.Scalar("int") if name == "numel" else UNKNOWN_VALUE
        case v.ParametersOf() | v.RankValue() | v.Condition() | v.DTypeValue() | v.DeviceValue():
            return UNKNOWN_VALUE
        case v.LoaderValue() | v.DatasetValue():
            return UNKNOWN_VALUE
    return NotImplemented


_LIST_CHANGES = frozenset({"append", "extend", "insert", "pop", "clear", "remove", "reverse", "sort"})


def _of_list(name: str, arguments: Arguments) -> tuple[str, Arguments]:
    """Returns the method of a list that stands for a deque's; `sort` where the order is lost."""
    if name == "appendleft":
        return "insert", Arguments((v.integer(0), *arguments.positional))
    if name == "popleft":
        return "pop", Arguments((v.integer(0),))
    return {"rotate": "sort", "extendleft": "extend"}.get(name, name), arguments


def change_list(it: Evaluator, ref: str, name: str, arguments: Arguments, result: Value = v.NONE) -> Value:
    """Applies a method that changes a list or a container of modules.

    `result` is what the call returns if it adds items.
    """
    heap = it.state.heap
    content = heap_access.items_at(it, ref)
    argument = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
    given_functions.forget_changed_by_stored(it, arguments.positional)
    if name in ("pop", "clear", "remove"):
        joined_batches.forget_changed(it, ref)
    if name == "append":
        joined_batches.record_append(it, ref, argument)
        changed: Items
        if isinstance(content, tuple):
            # in a loop the list grows without bound: one element then stands for all
            changed = (
                (*content, argument)
                if not _grows_on(it, ref) and len(content) < 64
                else _grown(content, argument)
            )
        elif isinstance(content, v.Repeated):
            changed = v.Repeated(join.join(content.element, argument, f"{ref}.e"))
        else:
            changed = one_of(content, argument)
        it.state.set(heap, (ref, "[]"), changed)
        return result
    if name == "extend":
        items = it.elements(argument)
        if (
            isinstance(content, tuple)
            and items is not None
            and not _grows_on(it, ref)
            and len(items) + len(content) < 64
        ):
            it.state.set(heap, (ref, "[]"), content + items)
        else:
            it.state.set(heap, (ref, "[]"), merged_content(it, content, argument))
        return result
    if (
        name == "pop"
        and isinstance(content, tuple)
        and content
        and not arguments.positional
        and not _grows_on(it, ref)
    ):
        it.state.set(heap, (ref, "[]"), content[:-1])
        return content[-1]
    if name == "clear":
        it.state.set(heap, (ref, "[]"), ())
        return v.NONE
    if name == "insert" and isinstance(content, tuple) and len(arguments.positional) == 2:
        position = v.as_int(argument)
        if position is not None and not _grows_on(it, ref):
            changed_list = list(content)
            changed_list.insert(position, arguments.positional[1])
            it.state.set(heap, (ref, "[]"), tuple(changed_list))
            return result
    if name == "reverse" and isinstance(content, tuple) and not _grows_on(it, ref):
        it.state.set(heap, (ref, "[]"), content[::-1])
        return v.NONE
    if name in ("remove", "sort", "pop", "insert") and isinstance(content, tuple) and content:
        added = arguments.positional[1:2] if name == "insert" else ()
        rest = merged_content(it, content, v.TupleValue(added))
        it.state.set(heap, (ref, "[]"), rest)
        return rest.element if name == "pop" and isinstance(rest, v.Repeated) else v.NONE
    if name == "insert" and isinstance(content, v.Repeated):
        content = merged_content(it, content, v.TupleValue(arguments.positional[1:2] or (UNKNOWN_VALUE,)))
    picked = content.element if isinstance(content, v.Repeated) and name == "pop" else one_of(content)
    kept = (
        v.Repeated(content.element)
        if isinstance(content, v.Repeated)
        else one_of(content, *arguments.positional)
    )
    it.state.set(heap, (ref, "[]"), kept)
    return picked if name == "pop" else v.NONE


def _grows_on(it: Evaluator, ref: str) -> bool:
    """Returns whether the list is older than the innermost loop that is not run iteration by iteration."""
    loop = heap_values.open_loop(it)
    return loop is not None and it.list_loops.get(ref) is not loop


def merged_content(it: Evaluator, content: Items | None, added: Value) -> Items:
    """Returns the content of a list after an unknown number of items is added."""
    more: Items | Value | None
    if isinstance(added, v.ListRef):
        more = heap_access.items_at(it, added.ref)
    else:
        more = added.items if isinstance(added, v.TupleValue) else added
    element: Value | None = None
    for part in (content, more):
        if isinstance(part, v.Repeated):
            items: tuple[Value, ...] = (part.element,)
        elif isinstance(part, tuple):
            items = part
        else:
            return one_of(content, more)
        for i, item in enumerate(items):
            element = item if element is None else join.join(element, item, f"together.{i}")
    return v.Repeated(element) if element is not None else ()


def _grown(content: tuple[Value, ...], item_added: Value) -> v.Repeated:
    """Joins the items of a list and one that is appended into an element that stands for all."""
    element = item_added
    for i, item in enumerate(content):
        element = join.join(element, item, f"grown.{i}")
    return v.Repeated(element)


def _dict_method(it: Evaluator, ref: str, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """Calls a method of a dict."""
    heap = it.state.heap
    entries = heap_access.entries_at(it, ref)
    if name in ("update", "setdefault", "pop", "clear", "popitem", "__setitem__", "move_to_end"):
        changed: Entries = one_of(entries, *arguments.positional, dict(arguments.keywords))
        result: Value = one_of(entries, *arguments.positional[1:])
        if isinstance(entries, dict):
            key = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
            if name == "update" and not arguments.open_keywords:
                other: Entries | None = None if arguments.positional else {}
                if isinstance(key, v.DictRef):
                    other = heap_access.entries_at(it, key.ref)
                if isinstance(other, dict):
                    changed = {**entries, **other, **dict(arguments.keywords)}
            elif name in ("pop", "setdefault") and isinstance(key, v.Scalar) and key.is_known:
                given = arguments.positional[1] if len(arguments.positional) > 1 else v.NONE
                result = entries.get(key.value, given)
                if name == "pop":
                    changed = {k: val for k, val in entries.items() if k != key.value}
                else:
                    changed = {**entries, key.value: result}
            elif name == "clear":
                changed = {}
        it.state.set(heap, (ref, "{}"), changed)
        return result
    if isinstance(entries, v.Repeated):
        return dict_view(it, entries, name)
    if isinstance(entries, dict):
        if name == "copy":
            return heap_values.new_dict(it, node, dict(entries))
        return _read_dict(it, entries, name, arguments)
    return one_of(entries, *arguments.positional[1:])


def _read_dict(it: Evaluator, entries: KnownEntries, name: str, arguments: Arguments) -> Value:
    """Calls a method that reads a dict of known entries."""
    if name == "get" and arguments.positional:
        key, *default = arguments.positional
        if isinstance(key, v.Scalar) and key.is_known:
            return entries[key.value] if key.value in entries else default[0] if default else v.NONE
        return one_of(entries, *default)
    return dict_view(it, entries, name)


def create_dict(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `dict(...)` and `OrderedDict(...)`."""
    if arguments.open_keywords or arguments.positional:
        first = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
        entries = heap_access.entries_at(it, first.ref) if isinstance(first, v.DictRef) else None
        if isinstance(entries, dict) and not arguments.open_keywords:
            return heap_values.new_dict(it, node, {**entries, **dict(arguments.keywords)})
        if not arguments.keywords and not arguments.open_keywords:
            return heap_values.new_dict(it, node, _of_pairs(it, first, node))
        return heap_values.new_dict(it, node, None)
    return heap_values.new_dict(it, node, dict(arguments.keywords))


def _of_pairs(it: Evaluator, pairs: Value, node: ir.Node) -> KnownEntries | v.Repeated | None:
    """Returns the entries of `dict(pairs)`; None if they are not known."""
    items = known_items(it, pairs)
    items = (element_of(it, pairs, node),) if items is None and isinstance(pairs, v.Repeated) else items
    if not items:
        return None
    known = [one.items for one in items if isinstance(one, v.TupleValue) and len(one.items) == 2]
    if len(known) < len(items):
        return None
    if isinstance(pairs, v.Repeated):
        return v.Repeated(known[0][1])
    return heap_values.entries_of([key for key, _ in known], [value for _, value in known])


def dict_view(it: Evaluator, entries: Entries, name: str) -> Value:
    """Evaluates `keys()`, `values()` and `items()` of a mapping."""
    if isinstance(entries, v.Repeated) and name in ("values", "items"):
        one = entries.element
        return v.Repeated(one if name == "values" else v.TupleValue((UNKNOWN_VALUE, one)))
    if not isinstance(entries, dict):
        return UNKNOWN_VALUE
    if name == "values":
        return v.TupleValue(tuple(entries.values()))
    keys = tuple(v.Scalar(type(key).__name__, key) for key in entries)
    if name == "keys":
        return v.TupleValue(keys)
    if name == "items":
        return v.TupleValue(tuple(v.TupleValue(pair) for pair in zip(keys, entries.values())))
    return UNKNOWN_VALUE


def _words(it: Evaluator, text: str, arguments: Arguments, node: ir.Node) -> Value:
    """Evaluates `text.split()` of a known text."""
    separators = [v.known(value, str) for value in arguments.positional]
    if (
        not are_known(separators)
        or len(separators) > 1
        or "" in separators
        or arguments.open_positional
        or len(text) > 400
    ):
        return UNKNOWN_VALUE
    return heap_values.new_list(
        it, node, tuple(v.Scalar("str", word) for word in text.split(separators[0] if separators else None))
    )


def _text_method(it: Evaluator, text: str | None, name: str, arguments: Arguments) -> Value:
    """Calls a method of a string; `text` is None if only that it is a string is known."""
    if text is None:
        return (
            v.Scalar("str")
            if name in ("format", "join", "lower", "upper", "strip", "replace")
            else UNKNOWN_VALUE
        )
    plain = [v.known(value, str) for value in arguments.positional]
    if (
        name in ("lower", "upper", "strip", "startswith", "endswith", "replace", "removeprefix")
        and None not in plain
    ):
        try:
            result = getattr(text, name)(*plain)
        except TypeError:
            return UNKNOWN_VALUE
        return v.Scalar(type(result).__name__, result)
    return v.Scalar("str") if name in ("format", "join") else UNKNOWN_VALUE
