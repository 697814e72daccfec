"""Reads a file of the user's for slicing: its tree without what has no effect on tensors, and what its names import."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

from torchlsp.core.text import Document
from torchlsp.slicing.command_line import with_defaults
from torchlsp.slicing.dotted import dotted
from torchlsp.slicing.scopes import bound_names, nodes_of

Node = TypeVar("Node", bound=ast.AST)

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MAX_TEXT_LENGTH = 300_000

# Modules whose functions and objects write, draw, measure or look around, and leave tensors and modules as they are.
OUTPUT_MODULES = frozenset(
    """
    absl atexit colorama csv datetime gc glob json logging loguru matplotlib mlflow neptune os pathlib pickle platform pprint
    psutil random rich seaborn shutil signal subprocess sys tensorboard tensorboardX tensorboard_logger termcolor thop time timeit torchinfo
    torchsummary torchviz tqdm traceback visdom wandb warnings yaml
    """.split()
)
# Functions that only set what does not change a tensor's shape, dtype, device or graph.
_WITHOUT_EFFECT = frozenset(
    """
    numpy.random.seed torch.autograd.set_detect_anomaly torch.cuda.empty_cache torch.cuda.manual_seed
    torch.cuda.manual_seed_all torch.cuda.synchronize torch.save torch.set_num_threads torch.set_printoptions
    torch.use_deterministic_algorithms
    """.split()
)
# They end the program, or change what they are given.
_NOT_ONLY_OUTPUT = frozenset(["os._exit", "os.abort", "random.shuffle", "sys.exit"])
_EVALUATED = (ast.Call, ast.NamedExpr, ast.Attribute, ast.Yield, ast.Await)
_OUTPUT_OF_TORCH = (
    "torch.cuda.memory_", "torch.cuda.reset_", "torch.hub.", "torch.jit.save", "torch.onnx.", "torch.profiler.",
)  # fmt: skip
_OF_PROGRESS_BARS = frozenset(["set_description", "set_description_str", "set_postfix", "set_postfix_str"])
_SETTINGS = ("torch.backends.", "os.environ")


class Source:
    """A file: its path, its document, its simplified tree, and the dotted path that each imported name means.

    Where the command line is parsed, the tree has the defaults instead.
    """

    __slots__ = (
        "bound_otherwise", "definitions", "document", "importing", "imports", "lines", "nodes", "path", "starts", "tree",
    )  # fmt: skip

    def __init__(self, path: str, document: Document, flagged: Collection[int] = ()) -> None:
        """Raises ValueError where the text does not parse. Statements at the `flagged` offsets are kept as they are."""
        self.path = path
        self.document = document
        try:
            if len(document.text) > MAX_TEXT_LENGTH:
                raise ValueError("the file is too large")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(document.text)
            self.imports = _imports(tree)
            rows = {document.text.count("\n", 0, offset) + 1 for offset in flagged}
            with_defaults(tree, self.imports)
            self.tree = _with_imports_on_top(_Simplified(tree, self.imports, rows).visit(tree))
        except (SyntaxError, RecursionError, MemoryError) as problem:
            raise ValueError(str(problem)) from None
        self.lines = document.text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.nodes = nodes_of(self.tree)
        self._read_bindings()

    def _read_bindings(self) -> None:
        """Reads which statements at the top bind each name: as function or class, by an import, or otherwise."""
        self.importing: dict[str, list[tuple[ast.Import | ast.ImportFrom, ast.alias]]] = {}
        self.definitions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]] = {}
        self.bound_otherwise: set[str] = set()
        for one in statements(self.tree.body):
            match one:
                case ast.Import(names=names) | ast.ImportFrom(names=names):
                    for alias in names:
                        name = alias.asname or alias.name
                        if isinstance(one, ast.Import):
                            name = name.partition(".")[0]
                        self.importing.setdefault(name, []).append((one, alias))
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    self.definitions.setdefault(one.name, []).append(one)
                case _:
                    for part in header(one):
                        for node in nodes_of(part):
                            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                                self.bound_otherwise.add(node.id)
        for node in self.nodes:
            if isinstance(node, ast.Global):
                self.bound_otherwise.update(node.names)
        for name in self.bound_otherwise:
            self.definitions.pop(name, None)
        self.bound_otherwise |= self.definitions.keys() & self.importing.keys()

    def path_of(self, node: ast.expr) -> str | None:
        """Returns the dotted path that an expression means by what its first name imports; None for anything else."""
        return dotted(node, self.imports)

    def start(self, node: ast.stmt | ast.expr) -> int:
        """Returns the code-point offset at which a node begins."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: ast.stmt | ast.expr) -> int:
        """Returns the code-point offset at which a node ends."""
        return self._offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def _offset(self, row: int, column: int) -> int:
        line = self.lines[row - 1]
        if not line.isascii():
            column = len(line.encode()[:column].decode(errors="replace"))
        return self.starts[row - 1] + column


def is_output(path: str | None) -> bool:
    """Returns whether a dotted path is in a module that only writes, draws, measures or looks around."""
    return (
        path is not None
        and path not in _NOT_ONLY_OUTPUT
        and (path.partition(".")[0] in OUTPUT_MODULES or path.startswith("torch.utils.tensorboard"))
    )


def is_without_effect(path: str) -> bool:
    """Returns whether a function of torch changes nothing that a later statement could see."""
    return path in _WITHOUT_EFFECT or path.startswith(_OUTPUT_OF_TORCH)


def _imports(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                joint = "" if module.endswith(".") else "."
                found[alias.asname or alias.name] = f"{module}{joint}{alias.name}"
    return found


def _with_imports_on_top(tree: ast.Module) -> ast.Module:
    """Moves the imports inside of functions to the top, where the probe wants them."""
    moved: list[ast.stmt] = []
    if not any(isinstance(one, ast.Import | ast.ImportFrom) and one.col_offset for one in nodes_of(tree)):
        return tree
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for holder in ast.walk(function):
                for field in ("body", "orelse", "finalbody"):
                    block = getattr(holder, field, None)
                    if isinstance(block, list):
                        found = [one for one in block if isinstance(one, ast.Import | ast.ImportFrom)]
                        moved += found
                        if found:
                            left = [one for one in block if one not in found]
                            setattr(holder, field, left or [ast.copy_location(ast.Pass(), found[0])])
    tree.body[:0] = moved
    return tree


class _Simplified(ast.NodeTransformer):
    """Takes away annotations, documentation, output and progress bars; positions stay."""

    def __init__(self, tree: ast.Module, imports: dict[str, str], flagged: set[int]) -> None:
        self.imports = imports
        self.flagged = flagged
        self.loggers: set[str] = set()
        """The names that hold objects of output modules, in the function that is visited and at the top of the file."""
        self.bound = bound_names(tree)

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.loggers = _loggers(node, self.imports)
        return self._with_bodies(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        around = self.loggers
        self.loggers = (around - bound_names(node)) | _loggers(node, self.imports)
        made = self._with_bodies(node)
        self.loggers = around
        return made

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self._with_bodies(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        targets = [ast.unparse(one) for one in node.targets if isinstance(one, ast.Attribute | ast.Subscript)]
        if len(targets) == len(node.targets) and all(one.startswith(_SETTINGS) for one in targets):
            return None
        return self._with_bodies(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        value = node.value
        if isinstance(value, ast.Constant):
            return None
        is_flagged = any(node.lineno <= row <= (node.end_lineno or node.lineno) for row in self.flagged)
        if isinstance(value, ast.Call) and not is_flagged and self._only_writes(value):
            # What is written may be computed by calls that do more.
            arguments = [*value.args, *(one.value for one in value.keywords)]
            given = [one for one in arguments if any(isinstance(part, _EVALUATED) for part in nodes_of(one))]
            if not given:
                return None
            node.value = ast.copy_location(ast.Tuple(given, ast.Load()), value)
        return self._with_bodies(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        path = dotted(node.func, self.imports)
        if path is not None and path.partition(".")[0] == "tqdm" and node.args:
            last = path.rpartition(".")[2]
            if last == "tqdm":
                return self.visit(node.args[0])
            if last == "trange":
                node.func = ast.copy_location(ast.Name("range", ast.Load()), node.func)
                node.keywords = []
        return self._with_bodies(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        return self._with_bodies(node)

    def _with_bodies(self, node: Node) -> Node:
        super().generic_visit(node)
        if isinstance(node, ast.stmt | ast.ExceptHandler) and getattr(node, "body", None) == []:
            setattr(node, "body", [ast.copy_location(ast.Pass(), node)])  # noqa: B010
        return node

    def _only_writes(self, call: ast.Call) -> bool:
        called = call.func
        path = dotted(called, self.imports)
        if path in _NOT_ONLY_OUTPUT:
            return False
        if is_output(path) or path in _WITHOUT_EFFECT:
            return True
        if isinstance(called, ast.Name):
            return called.id == "print" and "print" not in self.bound
        if not isinstance(called, ast.Attribute):
            return False
        root: ast.expr = called
        while isinstance(root, ast.Attribute):
            root = root.value
        return called.attr in _OF_PROGRESS_BARS or (isinstance(root, ast.Name) and root.id in self.loggers)


def _loggers(scope: ast.Module | ast.FunctionDef, imports: dict[str, str]) -> set[str]:
    """Returns the names that a scope binds only to objects of output modules."""
    made: set[str] = set()
    other: set[str] = set()
    for one in statements(scope.body):
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func)) if is_output(
                dotted(func, imports)
            ):
                made.add(name)
            case ast.With(items=items):
                for item in items:
                    if isinstance(item.optional_vars, ast.Name):
                        call = item.context_expr
                        is_made = isinstance(call, ast.Call) and is_output(dotted(call.func, imports))
                        (made if is_made else other).add(item.optional_vars.id)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                other.add(one.name)
            case _:
                stored = (node for part in header(one) for node in nodes_of(part))
                other.update(
                    node.id
                    for node in stored
                    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
                )
    return made - other


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements of a body and of the blocks in it, not those of functions and classes."""
    for one in body:
        yield one
        if not isinstance(one, DEFINITIONS):
            for block in blocks(one):
                yield from statements(block)


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yields the blocks of a compound statement."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(statement, field, None)
        if block and isinstance(block, list):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body
    for case in getattr(statement, "cases", ()):
        yield case.body


def header(statement: ast.stmt) -> list[ast.AST]:
    """Lists the parts of a statement that are no statements: of a compound one its header."""
    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.ExceptHandler):
            found += [child.type] if child.type is not None else []
        elif not isinstance(child, ast.stmt | ast.match_case):
            found.append(child)
    return found
