"""Reports long lists of Python objects in a dataset: reference counts make each worker copy their memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.interp.model.imported_names import imported, name_of
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes, walk

if TYPE_CHECKING:
    from torchlsp.interp.store.analysis import Analysis


_MANY = frozenset(
    """os.listdir os.scandir os.walk glob.glob glob.iglob json.load json.loads pickle.load csv.reader csv.DictReader""".split()
)
_METHODS = frozenset({"glob", "rglob", "iterdir", "readlines", "splitlines", "iterrows", "itertuples"})
"""Methods that return an item for each file, line or row."""
_SAME = frozenset({"sorted", "list", "reversed", "enumerate", "set", "tuple", "dict", "filter", "map"})
_LOADERS = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})


def find_lists_in_workers(analysis: Analysis) -> Iterator[Fault]:
    """Yields the long lists that datasets of the file keep."""
    module = analysis.module
    if module is None:
        return
    names = imported(module)
    stars = any(bound == "*" and source.startswith("torch.utils.data") for bound, source in names.items())
    if not _has_workers(module, names, stars):
        return
    for cls in module.classes:
        setup = cls.methods.get("__init__")
        if (
            setup is None
            or not setup.params
            or not any(_is_dataset(base, names, stars) for base in cls.bases)
        ):
            continue
        own = setup.params[0].name
        given: dict[str, list[ir.Assign]] = {}
        for node in walk(setup.body):
            if isinstance(node, ir.Assign) and len(node.targets) == 1:
                name = _attribute(node.targets[0], own)
                if name is not None:
                    given.setdefault(name, []).append(node)
        opened = _opened(setup.body)
        lists: list[tuple[str, ir.Node]] = [
            (name, node)
            for name, node in _appended(setup.body, own, names, opened)
            if len(given.get(name, ())) == 1 and not _is_long(given[name][0].value, names, opened)
        ]
        lists += [
            (name, assigned[0])
            for name, assigned in given.items()
            if len(assigned) == 1 and _is_long(assigned[0].value, names, opened)
        ]
        for name, node in lists:
            data = (("name", name), ("cls", cls.name))
            yield Fault(
                FaultKind.LIST_IN_WORKERS,
                node.start,
                node.end,
                "torch.utils.data.Dataset",
                data,
                path=analysis.path,
            )


def _has_workers(module: ir.Module, names: dict[str, str], stars: bool) -> bool:
    """Returns whether a loader of the file may have workers, or there is no loader in it."""
    loaders = [
        node
        for node in module_nodes(module)
        if isinstance(node, ir.Call)
        and (
            name_of(node.function, names) in _LOADERS
            or stars
            and getattr(node.function, "id", "") == "DataLoader"
        )
    ]
    return not loaders or any(map(_may_work, loaders))


def _may_work(loader: ir.Call) -> bool:
    given = dict(loader.keywords)
    value = given.get("num_workers", loader.args[5] if len(loader.args) > 5 else None)
    return None in given or (value is not None and not (type(value) is ir.Constant and value.value == 0))


def _is_dataset(base: ir.Node, names: dict[str, str], stars: bool) -> bool:
    if type(base) is ir.Subscript:
        base = base.object
    name = name_of(base, names) or (f"torch.utils.data.{base.id}" if stars and type(base) is ir.Name else "")
    return name in ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset")


def _attribute(target: ir.Node, own: str) -> str | None:
    if type(target) is ir.Attribute and type(target.object) is ir.Name and target.object.id == own:
        return target.name
    return None


def _appended(
    body: tuple[ir.Node, ...], own: str, names: dict[str, str], opened: frozenset[str]
) -> Iterator[tuple[str, ir.Node]]:
    """Yields the attributes to which a loop over files or lines adds, each with its first such call."""
    seen: set[str] = set()
    for loop in walk(body):
        if not isinstance(loop, ir.For) or not _is_many(loop.iterable, names, opened):
            continue
        for node in walk(loop.body):
            if (
                type(node) is ir.Call
                and type(node.function) is ir.Attribute
                and node.function.name == "append"
            ):
                name = _attribute(node.function.object, own)
                if name is not None and name not in seen:
                    seen.add(name)
                    yield name, node


def _opened(body: tuple[ir.Node, ...]) -> frozenset[str]:
    """Returns the names that `with open(…) as f` binds."""
    return frozenset(
        target.id
        for node in walk(body)
        if isinstance(node, ir.With)
        for manager, target in node.items
        if type(target) is ir.Name
        and type(manager) is ir.Call
        and getattr(manager.function, "id", "") == "open"
    )


def _is_long(value: ir.Node, names: dict[str, str], opened: frozenset[str]) -> bool:
    """Returns whether a value is a list or dict with an item for each file, line or row."""
    match value:
        case ir.Comprehension(kind="list" | "dict", clauses=clauses):
            return any(_is_many(iterable, names, opened) for _, iterable, _ in clauses)
        case ir.Call():
            return _is_many(value, names, opened) and getattr(value.function, "name", "") not in (
                "glob",
                "rglob",
                "iterdir",
                "reader",
            )
    return False


def _is_many(node: ir.Node, names: dict[str, str], opened: frozenset[str]) -> bool:
    match node:
        case ir.Name(id=name):
            return name in opened
        case ir.Call(function=function, args=args):
            if name_of(function, names) in _MANY:
                return True
            if type(function) is ir.Attribute and function.name in _METHODS:
                return True
            return (
                type(function) is ir.Name
                and function.id in _SAME
                and any(_is_many(arg, names, opened) for arg in args)
            )
        case ir.Comprehension(clauses=clauses):
            return any(_is_many(iterable, names, opened) for _, iterable, _ in clauses)
    return False
