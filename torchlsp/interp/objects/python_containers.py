"""Methods of lists, dicts, tuples and strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import heap_values
from torchlsp.interp.objects.iteration import element_of, known_items
from torchlsp.interp.store import join
from torchlsp.interp.store.state import MISSING
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def method(it: Evaluator, receiver: Value, name: str, arguments: Arguments, node: ir.Node):
    """The result, or NotImplemented for a receiver or a method that is not known here."""
    match receiver:
        case v.ListRef(ref=ref):
            name, arguments = _of_list(name, arguments)
            if name in _LIST_CHANGES:
                return change_list(it, ref, name, arguments)
            if name == "copy":
                content = it.state.heap.get((ref, "[]"), UNKNOWN_VALUE)
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
                product = 1
                for item in receiver.items:
                    size = v.as_dim(item)
                    if size is None:
                        return v.Scalar("int")
                    product = product * size
                return v.integer(product)
            return UNKNOWN_VALUE
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
    """What a list does where a deque is asked for something at its left end; the order of what is known is lost there."""
    if name == "appendleft":
        return "insert", Arguments((v.integer(0), *arguments.positional))
    if name == "popleft":
        return "pop", Arguments((v.integer(0),))
    return {"rotate": "sort", "extendleft": "extend"}.get(name, name), arguments


def change_list(it: Evaluator, ref: str, name: str, arguments: Arguments, result: Value = v.NONE) -> Value:
    heap = it.state.heap
    content = heap.get((ref, "[]"), MISSING)
    given = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
    heap_values.kept(it, arguments.positional)
    if name == "append":
        if isinstance(content, tuple):
            # in a loop the list grows without end: its elements are then summed up in one
            changed = (
                (*content, given) if not _grows_on(it, ref) and len(content) < 64 else _grown(content, given)
            )
        elif isinstance(content, v.Repeated):
            changed = v.Repeated(join.join(content.element, given, f"{ref}.e"))
        else:
            changed = UNKNOWN_VALUE
        it.state.set(heap, (ref, "[]"), changed)
        return result
    if name == "extend":
        items = it.elements(given)
        if (
            isinstance(content, tuple)
            and items is not None
            and not _grows_on(it, ref)
            and len(items) + len(content) < 64
        ):
            it.state.set(heap, (ref, "[]"), content + items)
        else:
            it.state.set(heap, (ref, "[]"), together(it, content, given))
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
        position = v.as_int(given)
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
        rest = together(it, content, v.TupleValue(added))
        it.state.set(heap, (ref, "[]"), rest)
        return rest.element if name == "pop" and isinstance(rest, v.Repeated) else v.NONE
    if name == "insert" and isinstance(content, v.Repeated):
        content = together(it, content, v.TupleValue(arguments.positional[1:2] or (UNKNOWN_VALUE,)))
    picked = content.element if isinstance(content, v.Repeated) and name == "pop" else UNKNOWN_VALUE
    it.state.set(heap, (ref, "[]"), UNKNOWN_VALUE if not isinstance(content, v.Repeated) else content)
    return picked if name == "pop" else v.NONE


def _grows_on(it: Evaluator, ref: str) -> bool:
    """Is the running code in a loop whose iterations all change this one list, each not known which?"""
    loop = heap_values.open_loop(it)
    return loop is not None and it.list_loops.get(ref) is not loop


def together(it: Evaluator, content, given: Value):
    """What a list holds after others are added to it of which it is not known how many."""
    parts = [content] if not isinstance(given, v.ListRef) else [content, it.state.heap.get((given.ref, "[]"))]
    if not isinstance(given, v.ListRef):
        parts.append(given.items if isinstance(given, v.TupleValue) else given)
    element: Value | None = None
    for part in parts:
        if isinstance(part, v.Repeated):
            items: tuple[Value, ...] = (part.element,)
        elif isinstance(part, tuple):
            items = part
        else:
            return UNKNOWN_VALUE
        for i, item in enumerate(items):
            element = item if element is None else join.join(element, item, f"together.{i}")
    return v.Repeated(element) if element is not None else ()


def _grown(content: tuple[Value, ...], given: Value) -> v.Repeated:
    element = given
    for i, item in enumerate(content):
        element = join.join(element, item, f"grown.{i}")
    return v.Repeated(element)


def _dict_method(it: Evaluator, ref: str, name: str, arguments: Arguments, node: ir.Node) -> Value:
    heap = it.state.heap
    entries = heap.get((ref, "{}"))
    if name in ("update", "setdefault", "pop", "clear", "popitem", "__setitem__"):
        changed: object = UNKNOWN_VALUE
        result: Value = UNKNOWN_VALUE
        if isinstance(entries, dict):
            key = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
            if name == "update" and not arguments.open_keywords:
                other = (
                    heap.get((key.ref, "{}"))
                    if isinstance(key, v.DictRef)
                    else None
                    if arguments.positional
                    else {}
                )
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
    return UNKNOWN_VALUE


def _read_dict(it: Evaluator, entries: dict, name: str, arguments: Arguments) -> Value:
    if name == "get" and arguments.positional and isinstance(arguments.positional[0], v.Scalar):
        key = arguments.positional[0].value
        if key in entries:
            return entries[key]
        return arguments.positional[1] if len(arguments.positional) > 1 else v.NONE
    return dict_view(it, entries, name)


def dict_of(it: Evaluator, arguments: Arguments, node: ir.Node) -> Value:
    """`dict(...)` and `OrderedDict(...)`."""
    if arguments.open_keywords or arguments.positional:
        first = arguments.positional[0] if arguments.positional else UNKNOWN_VALUE
        entries = it.state.heap.get((first.ref, "{}")) if isinstance(first, v.DictRef) else None
        if isinstance(entries, dict) and not arguments.open_keywords:
            return heap_values.new_dict(it, node, {**entries, **dict(arguments.keywords)})
        if not arguments.keywords and not arguments.open_keywords:
            return heap_values.new_dict(it, node, _of_pairs(it, first, node))
        return heap_values.new_dict(it, node, None)
    return heap_values.new_dict(it, node, dict(arguments.keywords))


def _of_pairs(it: Evaluator, pairs: Value, node: ir.Node) -> dict | v.Repeated | None:
    """What `dict(pairs)` holds."""
    items = known_items(it, pairs)
    items = (element_of(it, pairs, node),) if items is None and isinstance(pairs, v.Repeated) else items
    if not items or not all(isinstance(one, v.TupleValue) and len(one.items) == 2 for one in items):
        return None
    if isinstance(pairs, v.Repeated):
        return v.Repeated(items[0].items[1])
    return heap_values.entries_of([one.items[0] for one in items], [one.items[1] for one in items])


def dict_view(it: Evaluator, entries, name: str) -> Value:
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
    """`text.split()` of a known text."""
    given = [v.known(value, str) for value in arguments.positional]
    if None in given or len(given) > 1 or "" in given or arguments.open_positional or len(text) > 400:
        return UNKNOWN_VALUE
    return heap_values.new_list(it, node, tuple(v.Scalar("str", word) for word in text.split(*given)))


def _text_method(it: Evaluator, text: str | None, name: str, arguments: Arguments) -> Value:
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
