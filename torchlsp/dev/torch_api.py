"""Writes what torch's releases have: `torch-api PLACE …`, each a wheel or an unpacked one, gives names and parameters.

No torch is installed or imported: the sources and stubs of each release are read with `ast`. A namespace is kept only
where reading tells all of it: what a module sets by computed names, or answers by `__getattr__`, is left out, and so
are parameters behind `**kwargs` or a decorator that is not known to keep them.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from torchlsp.facts import torch_names

_SKIPPED = (
    "torch/testing/_internal/",
    "torch/include/",
    "torch/_inductor/",
    "torch/_dynamo/",
    "torch/_vendor/",
)
_MAX_PARTS = 4
"""Parts of a namespace's name: torch.optim.lr_scheduler.StepLR is one of four."""
_KEEPS_PARAMETERS = frozenset(
    """overload staticmethod classmethod no_grad enable_grad contextmanager deprecated deprecate_method property wraps lru_cache
    cache final override typing.overload compatibility set_module _exception_logger _time_logger _deprecated_dtensor
    export onnx_symbolic exposed_in custom_op _disable_dynamo disable abstractmethod ignore _use_grad_for_differentiable
    runtime_checkable torch_function_dispatch disable_dynamo allow_in_graph leaf_function _disallow_in_graph""".split()
)
"""Decorators, by the last part of their names, after which a function takes what its definition says."""
_SAY_LITTLE = frozenset(
    {"NamedTuple", "TypedDict", "Enum", "IntEnum", "Protocol", "Generic", "tuple", "dict"}
)
_PUBLIC_NAME = re.compile(r"[A-Za-z]\w*\Z")
_TYPED = [f"{kind}Tensor" for kind in "BFloat16 Bool Byte Char Double Float Half Int Long Short".split()]
_WITHOUT_STUB = {
    "torch": """AVG ArgumentSpec Capsule Code CompleteArgumentSpec DeepCopyMemoTable ExcludeDispatchKeyGuard ExecutionPlan FatalError
        Gradient OperatorInfo PyObjectType SUM ScriptClass ScriptClassFunction ScriptDictIterator ScriptDictKeyIterator
        ScriptListIterator ScriptObjectProperty StaticModule bit cpp get_autocast_ipu_dtype get_autocast_xla_dtype int1 int2 int3
        int4 int5 int6 int7 is_autocast_ipu_enabled is_autocast_xla_enabled set_autocast_ipu_dtype set_autocast_ipu_enabled
        set_autocast_xla_dtype set_autocast_xla_enabled uint1 uint2 uint3 uint4 uint5 uint6 uint7 set_vital has_mps has_cuda
        has_cudnn has_mkldnn has_mkl has_openmp has_lapack has_spectral""".split(),
    "torch.Tensor": "cdouble cfloat const_data_ptr ipu is_xla mtia name volatile".split(),
    "torch.cuda": _TYPED, "torch.xpu": _TYPED, "torch.mtia": _TYPED, "torch.mps": _TYPED, "torch.cpu": _TYPED, "torch.cuda.sparse": _TYPED, "torch.sparse": _TYPED,
}  # fmt: skip
"""Names that torch's binary parts set and no stub lists, as found in torch 2.13."""
_ONLY_IN_STUBS = {"torch": {"Module", "Device"}}
"""Names that only the stubs of torch's binary parts have: `from torch import Module` fails."""
_DOCUMENTED = {"torch/_torch_docs.py": "torch", "torch/_tensor_docs.py": "torch.Tensor"}


@dataclass(slots=True)
class Module:
    """One module's names, each with the nodes that define it, and whether these are all. `stars` are modules whose names
    come too, `origins` where imported names come from: a module and a name in it, or a module."""

    names: dict[str, list[ast.AST]] = field(default_factory=dict)
    origins: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    listed: list[str] | None = None
    is_whole: bool = True


class Release:
    """The sources of one release."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.modules: dict[str, Module] = {}
        self.children: dict[str, set[str]] = {}
        for path in texts:
            name = _dotted(path)
            parent, _, child = name.rpartition(".")
            self.children.setdefault(parent, set()).add(child)

    def module(self, name: str) -> Module | None:
        if name not in self.modules:
            base = name.replace(".", "/")
            found = [f"{base}{end}" for end in (".py", "/__init__.py", ".pyi", "/__init__.pyi")]
            trees = [ast.parse(self.texts[path]) for path in found if path in self.texts]
            if not trees:
                return None
            is_package = any(
                path.endswith(("__init__.py", "__init__.pyi")) for path in found if path in self.texts
            )
            module = self.modules[name] = Module()
            for tree in trees:
                _Reader(name, is_package, module).block(tree.body)
        return self.modules[name]

    def names(self, name: str, seen: frozenset[str] = frozenset()) -> set[str] | None:
        """Returns every public name of a module; None where that is unknown."""
        module = self.module(name)
        if module is None or not module.is_whole or name in seen:
            return None
        found = set(module.names) | set(module.origins) | self.children.get(name, set())
        for star in module.stars:
            if star in sys.stdlib_module_names:
                found.update(dir(importlib.import_module(star)))
                continue
            other = self.module(star)
            listed = other.listed if other is not None else None
            if listed is not None:
                found.update(listed)
                continue
            inner = self.names(star, seen | {name})
            if inner is None:
                if star in seen | {name}:
                    continue
                return None
            found |= inner
        return {one for one in found if _PUBLIC_NAME.match(one)}

    def definitions(self, module: str, name: str, depth: int = 0) -> tuple[str, list[ast.AST]]:
        """Returns the nodes that define a name, through imports, and the module that they are in."""
        found = self.module(module)
        if found is None or depth > 8:
            return module, []
        nodes = list(found.names.get(name, ()))
        if nodes:
            return module, nodes
        if name in found.origins:
            where, attribute = found.origins[name]
            return self.definitions(where, attribute, depth + 1) if attribute else (module, [])
        for star in found.stars:
            place, nodes = self.definitions(star, name, depth + 1)
            if nodes:
                return place, nodes
        return module, []

    def parameters(self, module: str, name: str) -> set[str] | None:
        """Returns names that arguments may have; None where that is unknown."""
        place, nodes = self.definitions(module, name)
        if f"{module}.{name}" == "torch.from_numpy":
            return set()
        if place.startswith("torch._C") and place not in ("torch._C._VariableFunctions", "torch._C._nn"):
            return None  # what pybind11 makes has other names for its arguments than its stubs
        defined = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        if defined and len(defined) == len(nodes):
            return _of_functions(defined, 0)
        if nodes and all(isinstance(node, ast.Call) and _last(node) == "boolean_dispatch" for node in nodes):
            return self._of_either(place, nodes)
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        if len(classes) == len(nodes) == 1:
            return self._of_class(place, classes[0])
        return None

    def _of_either(self, module: str, nodes: list[ast.Call]) -> set[str] | None:
        """Returns what either of two functions takes, where a flag chooses between them."""
        found: set[str] = set()
        for node in nodes:
            for one in node.keywords:
                if one.arg in ("if_true", "if_false"):
                    inner = self.parameters(module, getattr(one.value, "id", "?"))
                    if inner is None:
                        return None
                    found |= inner
        return found

    def _of_class(self, module: str, cls: ast.ClassDef, depth: int = 0) -> set[str] | None:
        if depth > 6 or cls.keywords or any(_last(one) != "final" for one in cls.decorator_list):
            return None
        made = [
            one
            for one in cls.body
            if isinstance(one, ast.FunctionDef) and one.name in ("__init__", "__new__")
        ]
        if any(one.name == "__new__" for one in made):
            return None
        if made:
            return _of_functions(made, 1)
        for base in cls.bases:
            if _last(base) in _SAY_LITTLE or not isinstance(base, ast.Name):
                return None
            place, nodes = self.definitions(module, base.id)
            if len(nodes) != 1 or not isinstance(nodes[0], ast.ClassDef):
                return None
            return self._of_class(place, nodes[0], depth + 1)
        return None

    def methods(self) -> tuple[set[str], dict[str, set[str]]]:
        """Returns attributes of Tensor, and the parameters of its methods."""
        names: set[str] = set()
        functions: dict[str, list[ast.FunctionDef]] = {}
        opaque: set[str] = set()
        for module, cls in (
            ("torch._C", "TensorBase"),
            ("torch._C", "_TensorBase"),
            ("torch._tensor", "Tensor"),
        ):
            for node in self.definitions(module, cls)[1]:
                if not isinstance(node, ast.ClassDef):
                    continue
                for name, one in _members(node.body):
                    names.add(name)
                    if isinstance(one, ast.FunctionDef):
                        functions.setdefault(name, []).append(one)
                    else:
                        opaque.add(name)
        given = {
            name: found
            for name, nodes in functions.items()
            if name not in opaque and (found := _of_functions(nodes, 1)) is not None
        }
        return {name for name in names if _PUBLIC_NAME.match(name)}, given


class _Reader:
    """Reads the statements of a module's top level, on all paths through them."""

    def __init__(self, name: str, is_package: bool, module: Module) -> None:
        self.package = name if is_package else name.rpartition(".")[0]
        self.module = module
        self.is_torch = name == "torch"

    def block(self, body: Iterable[ast.stmt]) -> None:
        for node in body:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name == "__getattr__" and not self.is_torch:
                    self.module.is_whole = False
                self.define(name, node)
            case ast.Import(names=names):
                for one in names:
                    self.module.origins[one.asname or one.name.partition(".")[0]] = (one.name, None)
            case ast.ImportFrom(names=names):
                self.imported(node, names)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self.bound(target, value)
                    if isinstance(target, ast.Name) and target.id == "__all__":
                        self.listed(value)
            case ast.AnnAssign(target=target, value=value) | ast.AugAssign(target=target, value=value):
                self.bound(target, value or node)
                if isinstance(target, ast.Name) and target.id == "__all__" and value is not None:
                    self.listed(value, more=isinstance(node, ast.AugAssign))
            case ast.If() | ast.While() | ast.For() | ast.With() | ast.Try():
                if isinstance(node, ast.For):
                    self.bound(node.target, node)
                if isinstance(node, ast.With):
                    for item in node.items:
                        if item.optional_vars is not None:
                            self.bound(item.optional_vars, node)
                for part in ("body", "orelse", "finalbody"):
                    self.block(getattr(node, part, ()))
                for handler in getattr(node, "handlers", ()):
                    self.block(handler.body)
            case ast.Expr(value=ast.Call(func=func)):
                self.called(ast.unparse(func))

    def called(self, text: str) -> None:
        """Records the names that a call may set or add to `__all__`."""
        if text.startswith("__all__."):
            self.module.listed = None
        if not self.is_torch and re.match(
            r"install_config_module|setattr|globals\(\)|vars\(\)|locals\(\)|exec|sys\.modules", text
        ):
            self.module.is_whole = False

    def define(self, name: str, node: ast.AST) -> None:
        self.module.names.setdefault(name, []).append(node)

    def bound(self, target: ast.expr, value: ast.AST) -> None:
        match target:
            case ast.Name(id=name):
                self.define(name, value)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                for item in items:
                    self.bound(item, value)
            case ast.Subscript() if not self.is_torch:
                if re.match(r"sys\.modules\[__name__\]|(globals|vars|locals)\(\)", ast.unparse(target)):
                    self.module.is_whole = False

    def imported(self, node: ast.ImportFrom, names: list[ast.alias]) -> None:
        base = node.module or ""
        if node.level:
            parts = self.package.split(".")
            head = ".".join(parts[: len(parts) - node.level + 1])
            base = f"{head}.{base}" if base else head
        for one in names:
            if one.name == "*":
                self.module.stars.append(base)
            else:
                self.module.origins[one.asname or one.name] = (base, one.name)

    def listed(self, value: ast.AST, more: bool = False) -> None:
        if isinstance(value, ast.List | ast.Tuple) and all(
            isinstance(item, ast.Constant) for item in value.elts
        ):
            found = [item.value for item in value.elts]
            self.module.listed = [*(self.module.listed or ()), *found] if more else found
        else:
            self.module.listed = None


def _members(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name):
                is_property = any(
                    _last(one) in ("property", "setter", "deleter") for one in node.decorator_list
                )
                yield name, ast.Pass() if is_property else node
            case ast.Assign(targets=targets):
                yield from ((target.id, node) for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node
            case ast.If(body=inner, orelse=orelse):
                yield from _members([*inner, *orelse])


def _of_functions(functions: list[ast.FunctionDef], skipped: int) -> set[str] | None:
    """Returns the parameters of any of the definitions; None where one of them may take others."""
    found: set[str] = set()
    for function in functions:
        if any(_last(one) not in _KEEPS_PARAMETERS for one in function.decorator_list):
            return None
        spec = function.args
        if spec.kwarg is not None:
            return None
        is_static = any(_last(one) == "staticmethod" for one in function.decorator_list)
        positional = [*spec.posonlyargs, *spec.args][0 if is_static else skipped :]
        found.update(one.arg for one in (*positional, *spec.kwonlyargs))
    return found


def _last(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        return _last(node.func)
    if isinstance(node, ast.Subscript):
        return _last(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "?")


def _dotted(path: str) -> str:
    name = re.sub(r"\.pyi?$", "", path).replace("/", ".")
    return name.removesuffix(".__init__")


def read(place: Path) -> tuple[str, Release]:
    """Returns the version and the sources of a wheel or an unpacked one."""
    texts: dict[str, str] = {}
    if place.is_file():
        with zipfile.ZipFile(place) as wheel:
            for name in filter(_is_wanted, wheel.namelist()):
                texts[name] = wheel.read(name).decode("utf-8", "replace")
    else:
        for path in place.rglob("*.py*"):
            name = path.relative_to(place).as_posix()
            if _is_wanted(name):
                texts[name] = path.read_text(encoding="utf-8", errors="replace")
    found = re.search(r"__version__ = '(\d+)\.(\d+)", texts.get("torch/version.py", ""))
    if found is None:
        raise SystemExit(f"{place}: no torch/version.py in it")
    return f"{found[1]}.{found[2]}", Release(texts)


def _is_wanted(name: str) -> bool:
    return name.startswith("torch/") and name.endswith((".py", ".pyi")) and not name.startswith(_SKIPPED)


def facts_of(release: Release) -> dict[str, set[str]]:
    """Returns namespaces with their names, and functions (`torch.add()`) with their parameters."""
    found = dict(_read_facts(release))
    for namespace, names in _WITHOUT_STUB.items():
        if namespace in found:
            found[namespace] |= set(names)
    for namespace, names in _ONLY_IN_STUBS.items():
        if namespace in found:
            found[namespace] -= names
            for name in names:
                found.pop(f"{namespace}.{name}()", None)
    for path, namespace in _DOCUMENTED.items():
        for name, parameters in _documented(release.texts.get(path, "")):
            key = f"{namespace}.{name}()"
            if key in found:
                found[key] |= parameters
    for key, parameters in found.items():
        if key.endswith("()"):
            # Written so in stubs where it is `input`; and all that makes a tensor takes the layout and the memory.
            if "self" in parameters:
                parameters.add("input")
            if {"dtype", "device", "requires_grad"} <= parameters:
                parameters |= {"layout", "pin_memory", "memory_format"}
    return found


def _is_shown(module: str) -> bool:
    """Returns whether a module is listed: public ones, and private ones at the top (programs did import
    torch._six)."""
    parts = module.split(".")
    return len(parts) <= (2 if any(part.startswith("_") for part in parts) else _MAX_PARTS)


def _documented(text: str) -> Iterator[tuple[str, set[str]]]:
    """Returns the parameters that the documentation of C functions names: some stubs omit some."""
    for line in re.findall(r"^(?:r?\"\"\")?(\w+\(.*\))(?: ->.*)?$", text, re.MULTILINE):
        name, _, inside = line.partition("(")
        words = re.findall(r"(?:^|[,*] ?)\**([a-z_]\w*)(?=[=:,)])", inside)
        yield name, set(words)


def _read_facts(release: Release) -> Iterator[tuple[str, set[str]]]:
    modules = sorted({_dotted(path) for path in release.texts})
    yield torch_names.MODULES, {name for name in modules if _is_shown(name)} | {"torch.ops", "torch.classes"}
    for module in modules:
        parts = module.split(".")
        if len(parts) > _MAX_PARTS - 1 or any(part.startswith("_") for part in parts):
            continue
        names = release.names(module)
        if names is None:
            continue
        yield module, names
        for name in sorted(names):
            parameters = release.parameters(module, name)
            if parameters is not None:
                yield f"{module}.{name}()", parameters
    names, methods = release.methods()
    yield "torch.Tensor", names
    for name, parameters in methods.items():
        if _PUBLIC_NAME.match(name):
            yield f"torch.Tensor.{name}()", parameters


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev torch-api", description=__doc__)
    parser.add_argument(
        "places",
        nargs="+",
        type=Path,
        metavar="PLACE",
        help="a wheel of torch, or a folder with one unpacked",
    )
    parser.add_argument("--output", type=Path, default=Path(torch_names.__file__).with_name("torch_table.py"))
    options = parser.parse_args(argv)
    found: dict[tuple[int, ...], dict[str, set[str]]] = {}
    for place in options.places:
        version, release = read(place)
        found[tuple(map(int, version.split(".")))] = facts_of(release)
        print(
            f"torch {version}: {len(found[tuple(map(int, version.split('.')))])} namespaces and functions",
            file=sys.stderr,
        )
    options.output.write_text(torch_names.written(found), encoding="utf-8")
    return 0
