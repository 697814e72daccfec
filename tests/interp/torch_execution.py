"""Runs a program in torch, notes what every assigned name really is, and reports the claims that are wrong about it."""

from __future__ import annotations

import ast
import importlib
import random
from typing import Any

import numpy as np
import torch
from claimed_facts import Claims, Listed, Made

from torchlsp import ops
from torchlsp.facts import dim as dims
from torchlsp.facts import values as v
from torchlsp.facts.device import Device
from torchlsp.facts.dim import Dim, Poly, Symbol
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri

SHORT_NAMES = {getattr(torch, name): short for short, name in TORCH_NAMES.items() if hasattr(torch, name)}
DEPTH = 5


class Reality:
    """What one run bound: by span, the text of what was wrong with the claims, once per kind of mistake."""

    def __init__(self, text: str, claims: Claims):
        self.claims = claims
        self.text = text
        self.wrong: list[str] = []
        self.bound = 0
        self.unclaimed: set[tuple[int, int]] = set()
        self.starts = [0]
        for line in text.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def run(self) -> BaseException | None:
        """Executes the program, seeded; gives the exception that ended it."""
        tree = _Noting().visit(ast.parse(self.text))
        code = compile(ast.fix_missing_locations(tree), "program.py", "exec")
        torch.manual_seed(0)
        random.seed(0)
        np.random.seed(0)
        grad, dtype, switches = torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads()
        try:
            exec(code, {"__name__": "__main__", "__seen__": self.seen})
        except Exception as error:
            return error
        finally:
            torch.set_grad_enabled(grad)
            torch.set_default_dtype(dtype)
            torch.set_num_threads(switches)
        return None

    def seen(self, line: int, column: int, end_line: int, end_column: int, real: Any) -> None:
        span = (self.starts[line - 1] + column, self.starts[end_line - 1] + end_column)
        self.bound += 1
        claims = self.claims.get(span)
        if claims is None:
            self.unclaimed.add(span)
            return
        for of_root in (True, False):
            group = [claim for claim in claims if claim.of_root is of_root]
            problems = []
            for claim in group:
                comparison = Comparison(claim.assumes_grad)
                comparison.compare(claim.value, real, self.text[span[0] : span[1]])
                if not comparison.wrong:
                    break
                problems = problems or comparison.wrong
            else:
                if group:
                    kind = "analysed for itself" if of_root else "as called"
                    self.wrong.extend(f"line {line} ({kind}): {problem}" for problem in problems)


class Comparison:
    """One claim and one real value.  Symbols take the first size they meet and must keep it."""

    def __init__(self, assumes_grad: bool = False) -> None:
        self.assumes_grad = assumes_grad
        self.sizes: dict[str, int] = {}
        self.wrong: list[str] = []

    def say(self, where: str, claimed: object, real: object) -> None:
        self.wrong.append(f"{where}: claims {claimed}, really {real}")

    def compare(self, claim: Any, real: Any, where: str, depth: int = 0) -> None:
        if depth > DEPTH or isinstance(claim, (v.Unknown, v.Parameter, v.BoundExternal, v.SuperValue)):
            return

        def inner(part: Any, item: Any, name: object) -> None:
            self.compare(part, item, f"{where}{name}", depth + 1)

        match claim:
            case TensorFact():
                self.tensor(claim, real, where)
            case v.ArrayValue():
                self.array(claim, real, where)
            case v.Scalar():
                self.scalar(claim, real, where)
            case v.TupleValue(items=items, names=names):
                if claim.is_size and not isinstance(real, torch.Size):
                    self.say(where, "a torch.Size", type(real))
                elif isinstance(real, list) and not names:
                    self.say(where, "a tuple", "a list")
                else:
                    self.items(items, real, where, inner)
            case v.Repeated(element=element, length=length):
                self.repeated(element, length, real, where, inner)
            case Listed(kind=kind, content=content):
                self.listed(kind, content, real, where, inner)
            case Made():
                self.made(claim, real, where, inner)
            case v.ShapeOf():
                if not isinstance(real, torch.Size):
                    self.say(where, "a shape", type(real))
            case v.DTypeValue(dtype=dtype):
                name = SHORT_NAMES.get(real) if isinstance(real, torch.dtype) else None
                if not claim.numpy and dtype is not None and dtype != name:
                    self.say(where, dtype, real)
            case v.DeviceValue(device=device):
                if isinstance(real, str):  # a device's name is as good as the device
                    real = torch.device(real)
                if not isinstance(real, torch.device) or not _same_device(device, real):
                    self.say(where, device, real)
            case v.ClassValue(ir=ir) | v.FunctionValue(ir=ir):
                code = getattr(getattr(real, "__func__", real), "__code__", None)
                name = getattr(real, "__name__", None) if code is None else code.co_name
                if name != ir.name:
                    self.say(where, ir.name, real)
                receiver = getattr(real, "__self__", None)
                held = getattr(claim, "receiver", None)
                if isinstance(held, v.InstanceValue) and type(receiver).__name__ != held.cls.ir.name:
                    self.say(where, f"a method of {held.cls.ir.name}", receiver)
            case v.OptimizerValue(qualname=qualname):
                if type(real).__name__ != qualname.rpartition(".")[2]:
                    self.say(where, qualname, type(real))
            case v.Condition():
                if not isinstance(real, bool) and not isinstance(real, torch.Tensor):
                    self.say(where, "a truth value", real)
            case v.RankValue():
                if type(real) is not int:
                    self.say(where, "a rank", real)
            case v.LoaderValue():
                if not isinstance(real, torch.utils.data.DataLoader):
                    self.say(where, "a loader", type(real))
            case v.DatasetValue(element=element):
                if not hasattr(real, "__getitem__"):
                    self.say(where, "a dataset", type(real))
                else:
                    inner(element, real[0], "[0]")
            case v.External(name=name):
                found = _resolved(name)
                if found is not None and found is not real:
                    self.say(where, name, real)
            case v.WorkspaceModule() | v.Imported():
                if type(real).__name__ != "module":
                    self.say(where, "a module", real)

    def size(self, claimed: Dim | None, real: int, where: str) -> bool:
        """Can the claimed size be this number?"""
        if claimed is None:
            return True
        known = dims.substitute(claimed, self.sizes) if self.sizes else claimed
        if isinstance(known, int):
            return known == real
        name = _lone_symbol(known)
        if name is not None:
            self.sizes[name] = real
        return True

    def tensor(self, fact: TensorFact, real: Any, where: str) -> None:
        if not isinstance(real, torch.Tensor):
            self.say(where, "a tensor", type(real))
            return
        if "matrix" in fact.assumed and real.dim() != 2:
            fact = fact.but(shape=None, layout=None)
        if "mask" in fact.assumed and fact.shape is not None and len(fact.shape) != real.dim():
            # The program's mask was larger than what it masks: the claim is made for the others.
            fact = fact.but(shape=None, layout=None)
        if fact.shape is not None:
            fits = len(fact.shape) == real.dim()
            if not fits or not all(self.size(size, n, where) for size, n in zip(fact.shape, real.shape)):
                self.say(f"{where}.shape", [str(size) for size in fact.shape], tuple(real.shape))
        if fact.dtype is not None and fact.dtype != SHORT_NAMES.get(real.dtype):
            self.say(f"{where}.dtype", fact.dtype, real.dtype)
        if fact.device is not None and not _same_device(fact.device, real.device):
            self.say(f"{where}.device", fact.device, real.device)
        self.layout(fact, real, where)
        if self.assumes_grad and not torch.is_grad_enabled():
            return
        if fact.grad.requires is not Tri.UNKNOWN and (fact.grad.requires is Tri.YES) != real.requires_grad:
            self.say(f"{where}.requires_grad", fact.grad.requires, real.requires_grad)
        if fact.grad.leaf is not Tri.UNKNOWN and (fact.grad.leaf is Tri.YES) != real.is_leaf:
            self.say(f"{where}.is_leaf", fact.grad.leaf, real.is_leaf)

    def layout(self, fact: TensorFact, real: torch.Tensor, where: str) -> None:
        if real.layout is not torch.strided or real.numel() == 0 or fact.layout is None:
            return
        if fact.layout is ROW_MAJOR:
            if "layout" not in fact.assumed and not real.is_contiguous():
                self.say(where, "contiguous", (tuple(real.shape), real.stride()))
        elif len(fact.layout) != real.dim() or not all(
            size == 1 or self.size(claimed, stride, where)
            for claimed, stride, size in zip(fact.layout, real.stride(), real.shape)
        ):
            if "layout" not in fact.assumed:
                self.say(f"{where}.stride", [str(stride) for stride in fact.layout], real.stride())

    def array(self, fact: v.ArrayValue, real: Any, where: str) -> None:
        if not isinstance(real, (np.ndarray, np.generic)):
            self.say(where, "an array", type(real))
            return
        if fact.shape is not None:
            fits = len(fact.shape) == len(real.shape)
            if not fits or not all(self.size(size, n, where) for size, n in zip(fact.shape, real.shape)):
                self.say(f"{where}.shape", [str(size) for size in fact.shape], real.shape)
        if fact.dtype is not None:
            try:
                short = SHORT_NAMES[torch.from_numpy(np.zeros(1, real.dtype)).dtype]
            except TypeError:
                short = str(real.dtype)
            if fact.dtype != short:
                self.say(f"{where}.dtype", fact.dtype, real.dtype)

    def scalar(self, claim: v.Scalar, real: Any, where: str) -> None:
        if isinstance(real, np.float64):
            real = float(real)
        kind = {type(None): "none", type(...): "ellipsis"}.get(type(real), type(real).__name__)
        if claim.kind != kind:
            self.say(where, f"{claim.kind} {claim.value}", f"{kind} {real!r}"[:60])
        elif claim.value is not None:
            if kind == "int":
                if not self.size(claim.value, real, where):
                    self.say(where, claim.value, real)
            elif claim.value != real and real == real:
                self.say(where, claim.value, real)

    def items(self, items: tuple, real: Any, where: str, inner) -> None:
        real = _plain_sequence(real)
        if real is None:
            return
        if len(items) != len(real):
            self.say(where, f"{len(items)} items", len(real))
            return
        for i, (part, item) in enumerate(zip(items, real)):
            inner(part, item, f"[{i}]")

    def repeated(self, element: Any, length: Dim | None, real: Any, where: str, inner) -> None:
        real = _plain_sequence(real)
        if real is None:
            return
        if length is not None and not self.size(length, len(real), where):
            self.say(where, f"{length} items", len(real))
        for i, item in enumerate(real):
            sizes, self.sizes = self.sizes, {}  # each element has sizes of its own
            inner(element, item, f"[{i}]")
            self.sizes = sizes

    def listed(self, kind: str, content: Any, real: Any, where: str, inner) -> None:
        if not isinstance(real, list if kind == "list" else dict):
            self.say(where, f"a {kind}", type(real))
        elif isinstance(content, v.Repeated):
            self.repeated(content.element, content.length, real, where, inner)
        elif isinstance(content, tuple):
            self.items(content, real, where, inner)
        elif isinstance(content, dict):
            if list(content) != list(real):
                self.say(where, f"keys {list(content)}", list(real))
            for key, part in content.items():
                if key in real:
                    inner(part, real[key], f"[{key!r}]")

    def made(self, claim: Made, real: Any, where: str, inner) -> None:
        value = claim.value
        name = value.qualname.rpartition(".")[2] if isinstance(value, v.LayerValue) else value.cls.ir.name
        if type(real).__name__ != name:
            self.say(where, name, type(real))
            return
        if isinstance(real, torch.nn.Module) and isinstance(claim.content, (tuple, dict, v.Repeated)):
            children = list(real._modules.values()) or list(real._parameters.values())
            content = claim.content
            if isinstance(content, v.Repeated):
                self.repeated(content.element, content.length, children, where, inner)
            else:
                self.items(
                    tuple(content.values() if isinstance(content, dict) else content), children, where, inner
                )
        if isinstance(value, v.LayerValue):
            self.layer(value, claim.state, real, where)
        for key, part in claim.attributes.items():
            if not hasattr(real, key):
                self.say(where, f"an attribute {key}", "none")
            else:
                inner(part, getattr(real, key), f".{key}")

    def layer(self, value: v.LayerValue, state: Any, real: torch.nn.Module, where: str) -> None:
        for key, option in value.config:
            if isinstance(option, v.Scalar) and option.kind == "int" and hasattr(real, key):
                found = getattr(real, key)
                if type(found) is int and not self.size(option.value, found, where):
                    self.say(f"{where}.{key}", option.value, found)
        if state.training is not Tri.UNKNOWN and (state.training is Tri.YES) != real.training:
            self.say(f"{where}.training", state.training, real.training)
        row = ops.layer(value.qualname)
        if row is None or row.parameters is None:
            return
        shapes = row.parameters(state)
        for key, parameter in real.named_parameters(recurse=False):
            shape = shapes.get(key)
            requires = state.requires_grad
            if parameter is None:
                continue
            fact = TensorFact(shape, state.dtype, state.device)
            self.tensor(fact, parameter, f"{where}.{key}")
            if requires is not Tri.UNKNOWN and (requires is Tri.YES) != parameter.requires_grad:
                self.say(f"{where}.{key}.requires_grad", requires, parameter.requires_grad)


def _lone_symbol(size: Dim) -> str | None:
    if isinstance(size, Poly) and len(size.terms) == 1:
        monomial, factor = size.terms[0]
        if factor == 1 and len(monomial) == 1 and monomial[0][1] == 1 and isinstance(monomial[0][0], Symbol):
            return monomial[0][0].name
    return None


def _same_device(claimed: Device | None, real: torch.device) -> bool:
    if claimed is None:
        return True
    if claimed.relative:
        return real.type in ("cuda", "cpu")
    return claimed.kind == real.type and (claimed.index is None or claimed.index == real.index)


def _plain_sequence(real: Any) -> list | None:
    """The items of something that can be read twice."""
    if isinstance(real, (list, tuple, range, torch.nn.ModuleList, torch.nn.Sequential, torch.Tensor)):
        return list(real)
    return list(real) if type(real).__name__ in ("dict_keys", "dict_values", "dict_items") else None


def _resolved(name: str) -> Any:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part, None)
        return found
    return None


class _Noting(ast.NodeTransformer):
    """Puts a call of `__seen__` after each binding."""

    def noted(self, targets: list[ast.expr]) -> list[ast.stmt]:
        calls: list[ast.stmt] = []
        for target in targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                calls.extend(self.noted(target.elts))
            elif isinstance(target, ast.Starred):
                calls.extend(self.noted([target.value]))
            elif isinstance(target, (ast.Name, ast.Attribute)):
                place = (target.lineno, target.col_offset, target.end_lineno, target.end_col_offset)
                read = ast.parse(ast.unparse(target), mode="eval").body
                call = ast.Call(ast.Name("__seen__", ast.Load()), [*map(ast.Constant, place), read], [])
                calls.append(ast.copy_location(ast.Expr(call), target))
        return calls

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        return [node, *self.noted(node.targets)]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        return [node, *self.noted([node.target])]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        return [node] if node.value is None else [node, *self.noted([node.target])]

    def visit_For(self, node: ast.For) -> ast.stmt:
        self.generic_visit(node)
        node.body[:0] = self.noted([node.target])
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        self.generic_visit(node)
        node.body[:0] = self.noted([item.optional_vars for item in node.items if item.optional_vars])
        return node
