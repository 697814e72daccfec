"""Writes what recorded runs have observed of a file's functions as jaxtyping annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from torchlsp.core.records import dataclass
from torchlsp.engine.record_facts import LETTERS
from torchlsp.engine.result import Change
from torchlsp.recorder.described import ObservedSequence, ObservedTensor
from torchlsp.syntax.annotated import CannotAnnotate, Signature, TensorType, annotated
from torchlsp.syntax.edits import edited
from torchlsp.syntax.function_digests import functions_of_text
from torchlsp.syntax.parse import parse
from torchlsp.syntax.partial import parses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchlsp.core.text import Document
    from torchlsp.engine.records import FileRecord
    from torchlsp.recorder.described import Observed
    from torchlsp.recorder.reading import ObservedCall
    from torchlsp.syntax.function_digests import FunctionSource

Kind = TypeVar("Kind")

_PLAIN_TENSORS = frozenset({"Tensor", "Parameter"})
_KINDS = {
    "float16": "Float16", "bfloat16": "BFloat16", "float32": "Float32", "float64": "Float64",
    "int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64",
    "uint8": "UInt8", "uint16": "UInt", "uint32": "UInt", "uint64": "UInt",
    "complex64": "Complex64", "complex128": "Complex128", "bool": "Bool",
}  # fmt: skip
_GROUPS = (
    ("Float", ("Float", "BFloat")),
    ("Int", ("Int",)),
    ("UInt", ("UInt",)),
    ("Complex", ("Complex",)),
    ("Integer", ("Int", "UInt")),
    ("Inexact", ("Float", "BFloat", "Complex")),
    ("Real", ("Float", "BFloat", "Int", "UInt")),
    ("Num", ("Float", "BFloat", "Int", "UInt", "Complex")),
)
"""Classes of jaxtyping for several dtypes, the narrowest first: those whose names begin so."""


@dataclass(frozen=True, slots=True)
class Annotated:
    """The change of a file, None where nothing is to be written, and the recorded functions that were changed since.

    `problem` says why annotations cannot be written into this file.
    """

    change: Change | None
    changed_functions: tuple[str, ...]
    problem: str | None = None


def annotate(document: Document, record: FileRecord) -> Annotated:
    """Annotates the recorded functions of a file that are as they were when they were recorded."""
    tree = parse(document)
    recorded = {one.qualname for one in record.all_functions if one.name not in ("<module>", "<lambda>")}
    calls: dict[tuple[str, str], list[ObservedCall]] = {}
    parameters: dict[tuple[str, str], tuple[str, ...]] = {}
    for one in record.all_functions:
        calls.setdefault((one.qualname, one.digest), []).extend(one.calls)
        parameters[one.qualname, one.digest] = one.parameters
    found: list[tuple[FunctionSource, Signature]] = []
    changed: dict[str, None] = {}
    for source in functions_of_text(document.text):
        key = source.qualname, source.digest()
        if key in calls and source.qualname in recorded:
            found.append((source, signature_of(parameters[key], calls[key])))
        elif source.qualname in recorded:
            changed[source.qualname] = None
    try:
        edits, count = annotated(tree, found)
    except CannotAnnotate as reason:
        return Annotated(None, tuple(changed), str(reason))
    if not count:
        return Annotated(None, tuple(changed))
    after = edited(document, edits)
    if not parses(after.text):
        raise AssertionError("the annotated text does not parse")
    return Annotated(Change(document, after, count), tuple(changed))


def signature_of(parameters: Sequence[str], calls: Sequence[ObservedCall]) -> Signature:
    """Returns what parameters and results were in all calls that have not raised."""
    calls = [call for call in calls if not call.is_late and call.raised is None]
    if not calls:
        return Signature()
    names = _SizeNames()
    types = {}
    for name in parameters:
        seen = [call.parameters[name] for call in calls if name in call.parameters]
        found = _type(seen, names) if len(seen) == len(calls) else None
        if found is not None:
            types[name] = found
    ended = [call.returned if call.is_ended else None for call in calls]
    returned: TensorType | tuple[TensorType, ...] | None = None
    if any(one is not None for one in ended) and not any(
        one is None and call.is_ended for one, call in zip(ended, calls)
    ):
        returned = _type(ended, names) or _tuple(ended, names)
    return Signature(types, returned)


class _SizeNames:
    """Names for the sizes that differ between calls: one for those that are equal in each."""

    def __init__(self) -> None:
        self._names: dict[tuple[int | None, ...], str] = {}

    def of(self, sizes: Sequence[int | None]) -> str:
        """Spells the size that has these values in the calls; None for a call that has not ended."""
        known = [one for one in sizes if one is not None]
        if len(known) == len(sizes) and len(set(known)) == 1:
            return str(known[0])
        alike = [
            name
            for values, name in self._names.items()
            if all(one is None or one == value for one, value in zip(sizes, values))
        ]
        if alike:
            return alike[0]
        if len(set(known)) == 1:
            return str(known[0])
        if min(known) <= 1:
            # 1 is broadcast, and 0 is empty: such a size is no other by another name.
            return "_"
        number = len(self._names)
        name = self._names[tuple(sizes)] = LETTERS[number] if number < len(LETTERS) else f"N{number}"
        return name


def _all(kind: type[Kind], seen: Sequence[object]) -> list[Kind]:
    """Returns what was seen if all of it is of one kind; nothing at all does not count."""
    found = [one for one in seen if isinstance(one, kind)]
    return found if len(found) == sum(one is not None for one in seen) else []


def _type(seen: Sequence[Observed | None], names: _SizeNames) -> TensorType | None:
    tensors = _all(ObservedTensor, seen)
    if not tensors or any(one.name not in _PLAIN_TENSORS or one.layout != "strided" for one in tensors):
        return None
    ranks = {len(one.sizes) for one in tensors}
    if len(ranks) != 1:
        return None
    sizes = [
        names.of([one.sizes[number] if isinstance(one, ObservedTensor) else None for one in seen])
        for number in range(ranks.pop())
    ]
    return TensorType(_class_of({one.dtype for one in tensors}), " ".join(sizes))


def _tuple(seen: Sequence[Observed | None], names: _SizeNames) -> tuple[TensorType, ...] | None:
    tuples = _all(ObservedSequence, seen)
    if not tuples or any(
        not one.is_tuple or one.path is not None or one.length != len(one.items) for one in tuples
    ):
        return None
    if len({one.length for one in tuples}) != 1 or not tuples[0].length:
        return None
    types = [
        _type([one.items[number] if isinstance(one, ObservedSequence) else None for one in seen], names)
        for number in range(tuples[0].length)
    ]
    known = [one for one in types if one is not None]
    return tuple(known) if len(known) == len(types) else None


def _class_of(dtypes: set[str]) -> str:
    """Returns the narrowest class of jaxtyping that holds these dtypes."""
    classes = {_KINDS.get(one, "Float" if one.startswith("float8") else "Shaped") for one in dtypes}
    if len(classes) == 1:
        return classes.pop()
    stems = {one.rstrip("0123456789") for one in classes}
    return next((name for name, members in _GROUPS if stems.issubset(members)), "Shaped")
