"""Decides from a program's text alone whether the probe runs it.

The text is taken to be written by an enemy. Everything is an allow-list: kinds of syntax, names of Python, paths under torch and
math, attributes and methods (`names.py`). What makes the lists hold:

- Modules are never values: an imported name that means a module must be followed by a listed name, and is bound once.
- An attribute is reached by its name in the text only; nothing that takes an attribute's name as a string is listed.
- A class of torch is called, derived from or asked for by `isinstance`. Layers may be values, but not in a program that could set
  an attribute on one, so that no program changes torch for the next one.
- `self` is the first parameter of a method and nothing else. Where more rests on it (private attributes, layers as values), nothing
  in the program may call a method on an object that is not an instance of its class.
- A name that the installed torch lacks (`missing.py`) may stand alone, as a statement or an import at the top: it can only raise.

What no text can show, endless loops and memory used up little by little, is left to the limits of the sandbox.

Long because the rules hold only together, and are read together.
"""

from __future__ import annotations

import ast
import builtins
import re
import warnings

import names

MAX_TEXT_LENGTH = 20000
MAX_NODES = 8000
MAX_DEPTH = 100
# Sizes and counts from here on are memory or time that no probe needs, and past it kernels count in 32 bits.
TOO_BIG = 2**31
MAX_REPETITION_LENGTH = 100000

SYNTAX = frozenset(
    """
    AnnAssign Assert Assign Attribute AugAssign BinOp BoolOp Break Call ClassDef Compare Constant Continue
    Delete Dict DictComp ExceptHandler Expr ExtSlice For FormattedValue FunctionDef GeneratorExp Global If
    IfExp Import ImportFrom Index JoinedStr Lambda List ListComp Module Name NamedExpr Nonlocal Pass Raise
    Return Set SetComp Slice Starred Subscript Try Tuple UnaryOp While With Yield alias arg arguments
    comprehension keyword withitem
    """.split()
)
# Fields that hold no part of the program's own: contexts and operators.
NOT_WALKED = ("ctx", "op", "ops", "type_comment")
EXCEPTIONS = frozenset(
    """
    ArithmeticError AssertionError AttributeError Exception FloatingPointError IndexError KeyError
    LookupError NotImplementedError OverflowError RuntimeError StopIteration TypeError ValueError
    ZeroDivisionError
    """.split()
)
# Names of Python that mean what they say only if nobody else can take them.
SPECIAL = frozenset(["classmethod", "isinstance", "property", "staticmethod", "super", "type"])
MARKS = frozenset(["classmethod", "property", "staticmethod"])
BUILTINS = EXCEPTIONS | frozenset(
    """
    Ellipsis abs all any bool callable complex dict divmod enumerate float frozenset int iter len list map
    max min next print range repr reversed round set slice sorted str sum tuple zip
    """.split()
)
# Names of Python that programs like to use for their own; harmless even where they still mean Python's.
SHADOWABLE = frozenset(
    """
    abs all any ascii bin callable chr dir divmod filter format hash hex id input iter map max min next oct
    ord pow print repr reversed round slice sorted sum zip
    """.split()
)
BUILTIN_NAMES = frozenset(dir(builtins))
DUNDER_METHODS = frozenset(
    """
    __add__ __call__ __contains__ __getitem__ __init__ __iter__ __len__ __mul__ __next__ __repr__ __setitem__
    __str__ __sub__
    """.split()
)
REGISTERS_A_NAME = ("register_buffer", "register_parameter", "register_module", "add_module")
GENERIC = ("list", "tuple", "dict", "set", "frozenset")
FORMAT = re.compile(r"(.?[<>=^])?[-+ ]?#?0?\d{0,3}[,_]?(\.\d{1,2})?[a-zA-Z%]?\Z")
LOADER_ARGUMENTS = frozenset(
    """
    dataset batch_size shuffle sampler batch_sampler num_workers collate_fn pin_memory drop_last generator
    persistent_workers prefetch_factor multiprocessing_context
    """.split()
)
# Places in a program, to be added up.
NOWHERE, MUST_END, IN_FINALLY, IN_METHOD = 0, 1, 2, 4
GROUP_ARGUMENTS = frozenset(["backend", "init_method", "rank", "world_size"])


class Refused(Exception):
    """The reason why a program is not run."""


def refusal(source: str, missing: object = None) -> str | None:
    """Returns why the program is not run, with its line; None when it may run.

    `missing` answers which names torch lacks (`missing.Missing`); without it the text alone decides.
    """
    try:
        _Gate(_parsed(source), missing).check()
    except Refused as reason:
        return str(reason)
    return None


def _parsed(source: str) -> ast.Module:
    if len(source) > MAX_TEXT_LENGTH:
        raise Refused(f"the program is longer than {MAX_TEXT_LENGTH} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the program's strings
            return ast.parse(source)
    except SyntaxError as error:
        raise Refused(f"line {error.lineno or 1}: it does not parse: {error.msg}") from None
    except ValueError as error:  # a null or half of a surrogate pair
        raise Refused(f"it does not parse: {error}") from None
    except (OverflowError, RecursionError, MemoryError):
        raise Refused("it is nested too deep to be parsed") from None


def _refuse(node: ast.AST, text: str) -> None:
    raise Refused(f"line {getattr(node, 'lineno', 1)}: {text}")


class _Gate:
    """Checks a program in two passes over one tree, parents before children and in the order of the text."""

    def __init__(self, tree: ast.Module, missing: object = None) -> None:
        self.tree = tree
        self.missing = missing
        self.top = {id(statement) for statement in tree.body}
        self.nodes = []
        self.imported = {}  # name -> dotted path
        self.bound = {}  # name -> where it was bound first, by anything but an import or a class
        self.rebound = set()  # those that are bound again
        self.classes = {}  # name -> its first definition
        self.members = {}  # functions of classes -> their definitions
        self.methods = set()  # those that take an object
        self.own = set()  # attributes that the program defines
        self.own_private = set()
        self.receivers = set()  # ids of the parameters that are `self`
        self.function_classes = set()  # names of autograd Functions
        self.in_method = set()  # ids of names in methods, without the functions inside them
        self.class_scope = set()  # ids of names that are looked up in the body of a class
        self.in_class = set()  # ids of the statements of class bodies
        self.roles = {}  # id of a node -> (what its parent does with it, the parent)
        self.settled = set()  # ids of names and attributes inside a path that was checked as a whole
        self.constants = {}
        # Where the program does what the last check weighs against each other.
        self.layer_value = None
        self.trusts_self = None
        self.foreign_store = None
        self.class_value = None
        self.method_of_other = None

    def check(self) -> None:
        self.survey()
        for node in self.nodes:
            examine = getattr(self, "examine_" + type(node).__name__, None)
            if examine is not None:
                examine(node)
        self.weigh()

    # First pass: which names there are, and that none is taken that must keep its meaning.

    def survey(self) -> None:
        stack = [(self.tree, 0, NOWHERE)]
        while stack:
            node, depth, inside = stack.pop()
            kind = type(node).__name__
            if kind not in SYNTAX:
                _refuse(node, f"{kind} is not allowed")
            if depth > MAX_DEPTH:
                _refuse(node, f"it is nested deeper than {MAX_DEPTH} levels")
            self.nodes.append(node)
            if len(self.nodes) > MAX_NODES:
                _refuse(node, f"the program has more than {MAX_NODES} parts")
            note = getattr(self, "note_" + kind, None)
            if note is not None:
                note(node)
            inside = self.place_inside(node, kind, inside)
            children = []
            for field in node._fields:
                value = getattr(node, field, None)
                if field in NOT_WALKED:
                    continue
                place = inside | IN_FINALLY if field == "finalbody" else inside
                if isinstance(value, ast.AST):
                    children.append((value, depth + 1, place))
                elif isinstance(value, list):
                    children.extend((one, depth + 1, place) for one in value if isinstance(one, ast.AST))
            stack.extend(reversed(children))
        for name in self.imported:
            other = self.bound.get(name) or self.classes.get(name) or self.members.get(name)
            if other is not None:
                _refuse(other, f"`{name}` is imported and must keep its meaning")
        self.find_function_classes()

    def place_inside(self, node: ast.AST, kind: str, inside: int) -> int:
        """Returns the role that a node gives its parts; refuses the node itself where it must not stand."""
        if kind == "Yield" and inside & MUST_END:
            # A generator that is never finished would end in the midst of the next program.
            _refuse(node, "`yield` inside `with` or `try … finally` is not allowed")
        if kind in ("Return", "Break", "Continue") and inside & IN_FINALLY:
            # It would swallow the exception by which the supervisor ends a program.
            _refuse(node, "`finally` must not be left by a jump")
        if kind == "With" or (kind == "Try" and node.finalbody):
            return inside | MUST_END
        if kind == "FunctionDef":
            first = _positional(node)[:1]
            takes_self = any(one.arg == "self" and id(one) in self.receivers for one in first)
            return inside & ~IN_METHOD | (IN_METHOD if takes_self else 0)
        if kind == "Lambda":
            return inside & ~IN_METHOD
        if kind == "Name" and inside & IN_METHOD:
            self.in_method.add(id(node))
        return inside

    def find_function_classes(self) -> None:
        """Finds Functions with methods that are not static, which would get torch's own context as `self`."""
        derived = {}
        for node in self.nodes:
            for base in node.bases if isinstance(node, ast.ClassDef) else ():
                name = base.id if isinstance(base, ast.Name) else ""
                derived.setdefault(self.path_of(base) or name, []).append(node.name)
        found = derived.get("torch.autograd.Function", [])[:]
        while found:
            name = found.pop()
            if name not in self.function_classes:
                self.function_classes.add(name)
                found.extend(derived.get(name, ()))

    def bind(self, name: str, node: ast.AST) -> None:
        self.keep_name(name, node)
        if name in self.bound:
            self.rebound.add(name)
        self.bound.setdefault(name, node)

    def keep_name(self, name: str, node: ast.AST) -> None:
        if name.startswith("__") and name != "__":
            _refuse(node, f"`{name}` must not be set")
        self.keep_python(name, node)
        if name == "self" and id(node) not in self.receivers:
            _refuse(node, "`self` must be the first parameter of a method")

    def keep_python(self, name: str, node: ast.AST) -> None:
        if name in SPECIAL or (name in BUILTIN_NAMES and name not in SHADOWABLE):
            _refuse(node, f"`{name}` is Python's and must keep its meaning")

    def note_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.bind(node.id, node)

    def note_arg(self, node: ast.arg) -> None:
        self.bind(node.arg, node)

    def note_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self.bind(node.name, node)

    def note_Global(self, node: ast.Global) -> None:
        for name in node.names:
            self.bind(name, node)

    note_Nonlocal = note_Global

    def note_FunctionDef(self, node: ast.FunctionDef) -> None:
        if id(node) not in self.in_class:
            self.bind(node.name, node)
            return
        if node.name.startswith("__") and node.name not in DUNDER_METHODS:
            _refuse(node, f"`{node.name}` must not be defined")
        # Inside the body of its class it hides everything else of that name.
        self.keep_python(node.name, node)
        self.members.setdefault(node.name, node)
        self.define(node.name, node)
        if _has_mark(node, "classmethod"):
            self.class_value = self.class_value or node  # `cls`
        if _has_mark(node, "classmethod") or _has_mark(node, "staticmethod"):
            return
        self.methods.add(node.name)
        self.receivers.update(id(argument) for argument in _positional(node)[:1])

    def define(self, name: str, node: ast.AST) -> None:
        """Records an attribute that the program defines."""
        if not name.startswith("_"):
            self.own.add(name)
        elif name not in DUNDER_METHODS:
            if name.startswith("__") or name in names.MODULE_PRIVATE:
                _refuse(node, f"`{name}` must not be set")
            self.own_private.add(name)

    def note_ClassDef(self, node: ast.ClassDef) -> None:
        self.classes.setdefault(node.name, node)
        self.keep_name(node.name, node)
        for statement in node.body:
            self.in_class.add(id(statement))
            if isinstance(statement, ast.Assign):
                targets = statement.targets
            elif isinstance(statement, ast.AnnAssign):
                targets = [statement.target]
            elif isinstance(statement, (ast.FunctionDef, ast.Pass)) or _is_text(statement):
                targets = []
            else:
                _refuse(statement, "the body of a class holds functions and simple assignments")
            self.class_scope.update(_names_in_class_scope(statement))
            for target in targets:
                if not isinstance(target, ast.Name):
                    _refuse(statement, "the body of a class holds functions and simple assignments")
                self.define(target.id, statement)

    def note_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Store):
            if not node.attr.startswith("_"):
                self.own.add(node.attr)
            elif _is_self(node.value):
                self.define(node.attr, node)

    def note_Call(self, node: ast.Call) -> None:
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in REGISTERS_A_NAME and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value[:1] != "_":
                self.own.add(name.value)

    def note_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if not self.is_missing(node, "lacks_module", alias.name):
                self.require_module(node, alias.name)
            if alias.asname is not None:
                self.take_import(node, alias.asname, alias.name)
            else:
                first = alias.name.partition(".")[0]
                self.take_import(node, first, first)

    def note_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module == "__future__" and [alias.name for alias in node.names] == ["annotations"]:
            return
        if node.level or node.module is None:
            _refuse(node, "relative imports are not allowed")
        if len(node.names) == 1 and self.is_missing(node, "lacks_import", node.module, node.names[0].name):
            alias = node.names[0]
            self.take_import(node, alias.asname or alias.name, node.module + "." + alias.name)
            return
        self.require_module(node, node.module)
        for alias in node.names:
            self.take_import(node, alias.asname or alias.name, node.module + "." + alias.name)
            path = self.imported[alias.asname or alias.name]
            if path not in names.MODULES and not self.is_listed(path):
                _refuse(node, f"`{path}` is not on the list")

    def require_module(self, node: ast.AST, path: str) -> None:
        if path not in names.MODULES:
            _refuse(node, f"`{path}` is not among the modules that may be imported")
        if id(node) not in self.top:
            _refuse(node, "imports stand at the top of the program, not inside a block")

    def is_missing(self, node: ast.AST, question: str, *names: str) -> bool:
        """Returns whether a statement at the top asks for a name that torch is known to lack."""
        return self.missing is not None and id(node) in self.top and getattr(self.missing, question)(*names)

    def take_import(self, node: ast.AST, name: str, path: str) -> None:
        if name.startswith("__") or name == "self":
            _refuse(node, f"`{name}` must not be set")
        self.keep_python(name, node)
        if self.imported.setdefault(name, path) != path:
            _refuse(node, f"`{name}` is imported twice with different meanings")

    @staticmethod
    def is_listed(path: str) -> bool:
        return (
            path in names.VALUES
            or path in names.CLASSES
            or path in names.LEGACY_TENSOR
            or path in names.SCOPED
            or path in GUARDED
        )

    # Second pass: each use of a name, an attribute, a constant.

    def role(self, node: ast.AST) -> tuple:
        return self.roles.get(id(node), ("value", None))

    def path_of(self, node: ast.AST) -> str | None:
        """Returns the dotted path that begins at an imported name; None for anything else."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.imported:
            return None
        return ".".join([self.imported[node.id]] + parts[::-1])

    def examine_Name(self, node: ast.Name) -> None:
        if id(node) in self.settled or not isinstance(node.ctx, ast.Load):
            return
        name = node.id
        role, parent = self.role(node)
        if name in self.methods and id(node) in self.class_scope:
            _refuse(node, f"the method `{name}` is used inside the body of its class")
        if name in self.imported:
            self.use_path(node, self.imported[name])
        elif name in SPECIAL:
            self.use_special(node, name, role, parent)
        elif name in self.classes:
            if role == "value":
                self.class_value = self.class_value or node
        elif name not in self.bound and name not in BUILTINS and name != "__name__":
            _refuse(node, f"`{name}` is {'not allowed' if name in BUILTIN_NAMES else 'not defined'}")

    def use_special(self, node: ast.Name, name: str, role: str, parent: object) -> None:
        """Checks the use of Python's names that are allowed in one form only."""
        if name in MARKS:
            allowed = role == "decorator"
        elif role != "call" or parent.keywords or any(isinstance(one, ast.Starred) for one in parent.args):
            allowed = False
        elif name == "type":
            allowed = len(parent.args) == 1 and self.role(parent)[0] == "class name"
        elif name == "isinstance":
            allowed = len(parent.args) == 2
        else:
            # Without arguments it takes those of the innermost function, which must be the method itself.
            allowed = (not parent.args and id(node) in self.in_method) or (
                len(parent.args) == 2
                and isinstance(parent.args[0], ast.Name)
                and parent.args[0].id in self.classes
                and _is_self(parent.args[1])
            )
        if not allowed:
            _refuse(node, f"`{name}` is not allowed in this form")

    def use_path(self, node: ast.AST, path: str) -> None:
        """Checks a use of something of torch or math, by the role that its parent gives it."""
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            _refuse(node, f"`{path}` must not be changed")
        role, parent = self.role(node)
        if path in names.MODULES:
            _refuse(node, f"the module `{path}` is used as a value")
        if path in names.VALUES:
            return
        if path in names.SCOPED:
            use = self.role(parent)[0] if role == "call" else role
            if use != "with" and not (use == "decorator" and path in names.DECORATOR):
                _refuse(node, f"`{path}` is allowed only in `with`")
        elif path in GUARDED:
            if role == "call":
                GUARDED[path](self, parent, path)
            elif role not in ("annotation", "type"):
                _refuse(node, f"`{path}` must be called where it is named")
        elif path in names.LEGACY_TENSOR:
            if role == "call":
                self.check_plain_call(parent, path)
            elif role not in ("annotation", "type"):
                _refuse(node, f"`{path}` must be called where it is named")
        elif path in names.CLASSES:
            self.use_class(node, path, role)
        elif not self.is_attribute_of_listed(path):
            _refuse(node, f"`{path}` is not on the list")

    def use_class(self, node: ast.AST, path: str, role: str) -> None:
        if role in ("call", "annotation", "type"):
            return
        if role == "base":
            if path not in names.BASE_CLASS:
                _refuse(node, f"a class must not derive from `{path}`")
        elif path in names.LAYERS:
            self.layer_value = self.layer_value or node
        else:
            _refuse(node, f"the class `{path}` is used as a value")

    @staticmethod
    def is_attribute_of_listed(path: str) -> bool:
        """Returns whether a path is an attribute of a listed name: `torch.Tensor.add`,
        `torch.float32.itemsize`."""
        head, _, last = path.rpartition(".")
        return (head == "torch.Tensor" or head in names.VALUES) and last in names.METHODS

    def examine_Expr(self, node: ast.Expr) -> None:
        path = self.path_of(node.value)
        if path is None or not self.is_missing(node, "lacks_attribute", path):
            return
        inner = node.value
        while isinstance(inner, ast.Attribute):
            self.settled.add(id(inner))
            inner = inner.value
        self.settled.add(id(inner))

    def examine_Attribute(self, node: ast.Attribute) -> None:
        if id(node) in self.settled:
            return
        base = node.value
        path = self.path_of(node)
        if path is not None:
            inner = base
            while isinstance(inner, ast.Attribute):
                self.settled.add(id(inner))
                inner = inner.value
            self.settled.add(id(inner))
            self.use_path(node, path)
            return
        self.roles.setdefault(id(base), ("base of an attribute", node))
        name = node.attr
        if name.startswith("_"):
            self.use_private(node, name, base)
        elif name in GUARDED_METHODS:
            if self.role(node)[0] != "call":
                _refuse(node, f"`.{name}` must be called where it is named")
            GUARDED_METHODS[name](self, self.role(node)[1], name)
        elif name in names.REFUSED_NAMES or name in names.NEVER:
            _refuse(node, f"`.{name}` is not allowed")
        elif not isinstance(node.ctx, ast.Load):
            self.set_attribute(node, name, base)
        elif name not in names.METHODS and name not in self.own:
            _refuse(node, f"`.{name}` is not on the list of attributes and methods")
        if name in self.methods and name not in DUNDER_METHODS and not _is_self(base) and not _is_super(base):
            if isinstance(base, ast.Name) and base.id in self.classes:
                _refuse(node, f"`{base.id}.{name}` is a method and must be called on an object")
            self.method_of_other = self.method_of_other or node

    def use_private(self, node: ast.Attribute, name: str, base: ast.AST) -> None:
        loads = isinstance(node.ctx, ast.Load)
        if name == "__name__" and loads:
            is_type = (
                isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "type"
            )
            is_class = isinstance(base, ast.Attribute) and base.attr == "__class__"
            if is_type or is_class:
                self.roles[id(base)] = ("class name", node)
                return
        if name == "__class__" and loads and self.role(node)[0] == "class name":
            return
        if name == "__init__" and _is_super(base) and self.role(node)[0] == "call":
            return
        if _is_self(base) and name in self.own_private:
            self.trusts_self = self.trusts_self or node
            return
        _refuse(node, f"`.{name}` is private")

    def set_attribute(self, node: ast.Attribute, name: str, base: ast.AST) -> None:
        if _is_self(base):
            if name in names.DELICATE:
                self.trusts_self = self.trusts_self or node
            return
        if name in names.DELICATE:
            _refuse(node, f"`.{name}` must not be set")
        self.foreign_store = self.foreign_store or node

    def examine_Call(self, node: ast.Call) -> None:
        called = node.func
        self.roles[id(called)] = ("call", node)
        for keyword in node.keywords:
            if keyword.arg == "cdata":
                _refuse(node, "`cdata` is an address in memory")
            if keyword.arg is not None and keyword.arg.startswith("_"):
                _refuse(node, f"the argument `{keyword.arg}` is private")
        if not isinstance(called, ast.Name):
            return
        if called.id == "isinstance" and len(node.args) == 2:
            self.give_type_role(node.args[1])
        elif called.id == "super" and node.args:
            self.roles[id(node.args[0])] = ("type", node)
        elif called.id == "int" and len(node.args) == 1:
            self.require_small(node, self.folded(node.args[0]) or 0)

    def give_type_role(self, node: ast.AST) -> None:
        for one in node.elts if isinstance(node, ast.Tuple) else [node]:
            self.roles[id(one)] = ("type", node)

    def examine_ClassDef(self, node: ast.ClassDef) -> None:
        if node.keywords or node.decorator_list:
            _refuse(node, "a class has no decorators and no keywords")
        for base in node.bases:
            self.roles[id(base)] = ("base", node)
            own = isinstance(base, ast.Name) and base.id in self.classes and base.id not in self.bound
            if not own and self.path_of(base) not in names.BASE_CLASS:
                _refuse(base, f"a class must not derive from `{self.path_of(base) or 'this'}`")
        if node.name in self.function_classes:
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef) and not _has_mark(statement, "staticmethod"):
                    _refuse(statement, "the methods of an autograd Function are static")

    def examine_FunctionDef(self, node: ast.FunctionDef) -> None:
        for mark in node.decorator_list:
            named = mark.func if isinstance(mark, ast.Call) else mark
            if isinstance(mark, ast.Name) and mark.id in MARKS and id(node) in self.in_class:
                pass
            elif self.path_of(named) not in names.DECORATOR:
                _refuse(mark, "this decorator is not allowed")
            self.roles[id(mark)] = ("decorator", node)
        if node.returns is not None:
            self.give_annotation_role(node.returns)

    def examine_arg(self, node: ast.arg) -> None:
        if node.annotation is not None:
            self.give_annotation_role(node.annotation)

    def examine_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.give_annotation_role(node.annotation)

    def give_annotation_role(self, node: ast.AST) -> None:
        """Allows classes in an annotation, as long as no code of the program reads them there."""
        if isinstance(node, ast.Subscript):
            if isinstance(node.value, ast.Name) and node.value.id in GENERIC:
                inner = node.slice
                self.give_annotation_role(inner.value if type(inner).__name__ == "Index" else inner)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for one in node.elts:
                self.give_annotation_role(one)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self.give_annotation_role(node.left)
            self.give_annotation_role(node.right)
        elif isinstance(node, (ast.Name, ast.Attribute)):
            self.roles[id(node)] = ("annotation", None)

    def examine_With(self, node: ast.With) -> None:
        for item in node.items:
            # A context that is kept could be entered twice, and leaves its setting behind.
            kept = "kept context" if item.optional_vars is not None else "with"
            choices = [item.context_expr]
            while choices:
                one = choices.pop()
                self.roles[id(one)] = (kept, node)
                if isinstance(one, ast.IfExp):
                    choices += [one.body, one.orelse]

    def examine_Try(self, node: ast.Try) -> None:
        for handler in node.handlers:
            if handler.type is None:
                _refuse(handler, "`except` must name what it catches")
            self.give_type_role(handler.type)
            for one in handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]:
                known = isinstance(one, ast.Name) and one.id in EXCEPTIONS
                if not known and self.path_of(one) not in names.CLASSES:
                    _refuse(one, "`except` must name exceptions of Python or torch")

    def examine_FormattedValue(self, node: ast.FormattedValue) -> None:
        if node.format_spec is None:
            return
        parts = node.format_spec.values
        if not all(isinstance(part, ast.Constant) for part in parts):
            _refuse(node, "the format of a value must be plain text")
        if not FORMAT.match("".join(part.value for part in parts)):
            _refuse(node, "this format of a value is not allowed")

    def examine_Constant(self, node: ast.Constant) -> None:
        if not isinstance(node.value, (type(None), bool, int, float, complex, str, type(...))):
            _refuse(node, f"{type(node.value).__name__} constants are not allowed")
        if isinstance(node.value, int):
            self.require_small(node, node.value)

    def require_small(self, node: ast.AST, value: int | float) -> None:
        if abs(value) >= TOO_BIG:
            _refuse(node, "the number is too large")

    # Arithmetic on constants: how large it gets is known without running it.

    def examine_BinOp(self, node: ast.BinOp) -> None:
        value = self.folded(node)
        if isinstance(value, int):
            self.require_small(node, value)
        if isinstance(node.op, ast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                length, count = _length(one), self.folded(other)
                if length and isinstance(count, int) and length * count > MAX_REPETITION_LENGTH:
                    _refuse(node, "the repetition is too long")

    def folded(self, node: ast.AST) -> int | float | None:
        """Returns the value of a constant numeric expression; None when it is not one."""
        key = id(node)
        if key not in self.constants:
            self.constants[key] = self.fold(node)
        return self.constants[key]

    def fold(self, node: ast.AST) -> int | float | None:
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, (int, float)) else None
        if isinstance(node, ast.UnaryOp):
            value = self.folded(node.operand)
            if isinstance(node.op, ast.USub) and value is not None:
                return -value
            if isinstance(node.op, ast.Invert) and isinstance(value, int):
                return ~value
            return value if isinstance(node.op, ast.UAdd) else None
        if not isinstance(node, ast.BinOp):
            return None
        left, right = self.folded(node.left), self.folded(node.right)
        if left is None or right is None:
            return None
        for one in (left, right):
            if isinstance(one, int):
                self.require_small(node, one)
        if isinstance(left, int) and isinstance(right, int) and right > 64:
            grows = (
                left != 0
                if isinstance(node.op, ast.LShift)
                else isinstance(node.op, ast.Pow) and abs(left) > 1
            )
            if grows:
                _refuse(node, "the number is too large")
        operate = ARITHMETIC.get(type(node.op))
        try:
            value = operate(left, right) if operate is not None else None
        except (ArithmeticError, ValueError, TypeError):
            return None
        return value if isinstance(value, (int, float)) else None

    # What is allowed with arguments of a known kind only.

    def check_plain_call(self, call: ast.Call, path: str) -> None:
        for keyword in call.keywords:
            if keyword.arg not in ("device", "requires_grad"):
                _refuse(call, f"`{path}` takes plain arguments here")

    def check_loader(self, call: ast.Call, path: str) -> None:
        """Allows a loader in this process only: no workers, no thread that pins memory."""
        if len(call.args) > 5 or any(isinstance(one, ast.Starred) for one in call.args):
            _refuse(call, f"`{path}` takes at most 5 arguments without a name here")
        for keyword in call.keywords:
            if keyword.arg not in LOADER_ARGUMENTS:
                _refuse(call, f"`{path}` is not called with `{keyword.arg or '**'}` here")
            if keyword.arg in ("num_workers", "pin_memory"):
                if not isinstance(keyword.value, ast.Constant) or keyword.value.value not in (0, False):
                    _refuse(
                        call, f"`{keyword.arg}` must be {'0' if keyword.arg == 'num_workers' else 'False'}"
                    )

    def check_group(self, call: ast.Call, path: str) -> None:
        """Refuses an address, file or store for a process group."""
        if len(call.args) > 1:
            _refuse(call, f"`{path}` takes the backend and keywords here")
        for one in call.args:
            if not (isinstance(one, ast.Constant) and isinstance(one.value, str)):
                _refuse(call, "the backend must be plain text")
        for keyword in call.keywords:
            if keyword.arg not in GROUP_ARGUMENTS:
                _refuse(call, f"`{path}` is not called with `{keyword.arg or '**'}` here")
            value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
            if keyword.arg == "init_method" and value != "env://":
                _refuse(call, "`init_method` must be 'env://'")
            if keyword.arg == "backend" and not isinstance(value, str):
                _refuse(call, "the backend must be plain text")

    def check_schedule(self, call: ast.Call, path: str) -> None:
        """Refuses callable objects in schedulers, whose state holds the attributes of such an object, but not
        of a function."""
        if any(isinstance(one, ast.Starred) for one in call.args) or any(
            one.arg is None for one in call.keywords
        ):
            _refuse(call, f"`{path}` takes its arguments one by one here")
        given = call.args[1:2] + [one.value for one in call.keywords if one.arg == "lr_lambda"]
        for one in given:
            for function in one.elts if isinstance(one, (ast.List, ast.Tuple)) else [one]:
                own = (
                    isinstance(function, ast.Name)
                    and isinstance(self.bound.get(function.id), ast.FunctionDef)
                    and function.id not in self.rebound
                    and function.id not in self.classes
                )
                if not own and not isinstance(function, ast.Lambda):
                    _refuse(call, f"`{path}` takes functions of the program's own")

    def check_strides(self, call: ast.Call, path: str) -> None:
        """Checks that sizes and strides are plain numbers, not negative. Torch itself checks them against the
        storage."""
        first = 1 if path == "torch.as_strided" and call.args else 0
        given = call.args[first:]
        named = {}
        for keyword in call.keywords:
            if keyword.arg is None:
                _refuse(call, f"`{path}` takes its arguments one by one here")
            if keyword.arg in ("size", "stride", "storage_offset"):
                named[keyword.arg] = keyword.value
        named.update(zip(("size", "stride", "storage_offset"), given))
        numbers = {}
        for name, value in named.items():
            parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
            numbers[name] = [self.folded(part) for part in parts]
            if not all(isinstance(number, int) and number >= 0 for number in numbers[name]):
                _refuse(call, f"the sizes and strides of `{path}` must be plain numbers")
        if (
            "size" not in numbers
            or "stride" not in numbers
            or any(isinstance(one, ast.Starred) for one in call.args)
        ):
            _refuse(call, f"the sizes and strides of `{path}` must be plain numbers")
        sizes, strides = numbers["size"], numbers["stride"]
        elements, last = 1, sum(numbers.get("storage_offset", []))
        for size in sizes:
            elements *= size
        for size, stride in zip(sizes, strides):
            last += max(size - 1, 0) * stride
        if max(elements, last) >= TOO_BIG:
            _refuse(call, "the number is too large")

    def weigh(self) -> None:
        """Refuses constructs that are harmless alone but not together."""
        if self.layer_value is not None and self.foreign_store is not None:
            _refuse(self.foreign_store, "an attribute is set in a program that hands a class of torch around")
        if self.layer_value is None and self.trusts_self is None:
            return
        if self.class_value is not None and self.method_of_other is not None:
            _refuse(self.method_of_other, f"`.{self.method_of_other.attr}` may be called on a class")


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _is_text(statement: ast.AST) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _positional(function: ast.FunctionDef) -> list[ast.arg]:
    return function.args.posonlyargs + function.args.args


def _has_mark(function: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == name for mark in function.decorator_list)


def _names_in_class_scope(statement: ast.stmt) -> list[int]:
    """Returns ids of the names outside the bodies of functions; those inside lambdas are counted too."""
    if not isinstance(statement, ast.FunctionDef):
        roots = [statement]
    else:
        roots = [statement.args, *statement.decorator_list, *filter(None, [statement.returns])]
    return [id(one) for root in roots for one in ast.walk(root) if isinstance(one, ast.Name)]


def _length(node: ast.AST) -> int:
    """Returns the length of a literal that can be repeated; 0 for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return len(node.value)
    return len(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else 0


ARITHMETIC = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
    ast.Pow: lambda left, right: left**right,
    ast.LShift: lambda left, right: left << right,
    ast.RShift: lambda left, right: left >> right,
    ast.BitOr: lambda left, right: left | right,
    ast.BitAnd: lambda left, right: left & right,
    ast.BitXor: lambda left, right: left ^ right,
}
GUARDED = {
    "torch.as_strided": _Gate.check_strides,
    "torch.empty_strided": _Gate.check_strides,
    "torch.utils.data.DataLoader": _Gate.check_loader,
    "torch.distributed.init_process_group": _Gate.check_group,
    "torch.optim.lr_scheduler.LambdaLR": _Gate.check_schedule,
    "torch.optim.lr_scheduler.MultiplicativeLR": _Gate.check_schedule,
}
GUARDED_METHODS = {"as_strided": _Gate.check_strides, "new_empty_strided": _Gate.check_strides}
