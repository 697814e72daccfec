"""Cuts the program of a finding out of the user's files: from where its values are made to the flagged statement."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from torchlsp.core.finding import Slice
from torchlsp.core.records import dataclass
from torchlsp.slicing.modules import Files, Modules, NotWhole, Outside, Own
from torchlsp.slicing.reading import Source, header, statements
from torchlsp.slicing.scopes import children_of, module_names, names_of, nodes_of, parameters
from torchlsp.slicing.summaries import Summaries
from torchlsp.slicing.units import Groups, Unit
from torchlsp.slicing.writing import Writer

MAX_ROUNDS = 400
_RUNNABLE = ("torch", "math", "__future__")
# Bases that call no methods of their subclasses but special ones and those of OVERRIDABLE.
_CALLING_LITTLE = frozenset(
    """
    torch.nn.Module torch.nn.modules.Module torch.utils.data.Dataset torch.utils.data.IterableDataset torch.utils.data.dataset.Dataset
    """.split()
)
# What torch.nn.Module and its like call by name.
OVERRIDABLE = frozenset(
    """
    add_module apply bfloat16 buffers children cpu cuda double eval extra_repr float forward get_buffer get_extra_state get_parameter
    get_submodule half load_state_dict modules named_buffers named_children named_modules named_parameters parameters
    register_backward_hook register_buffer register_forward_hook register_forward_pre_hook register_module register_parameter
    requires_grad_ reset_parameters set_extra_state state_dict to to_empty train type zero_grad _apply _call_impl _get_name
    _load_from_state_dict _named_members _register_state_dict_hook _replicate_for_data_parallel _save_to_state_dict
    _wrapped_call_impl
    """.split()
)


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a file, in code points."""

    path: str
    start: int
    end: int


def cut(sites: Sequence[Site], files: Files) -> Slice:
    """Returns the program that runs from the top of the first site's file to the last site.

    `sites` are calls, each inside of the function that the one before it calls, and the place of the finding. Raises
    NotWhole where the statements need what comes from outside.
    """
    flagged: dict[str, list[int]] = {}
    for site in sites:
        flagged.setdefault(site.path, []).append(site.start)
    try:
        return _Slicer(sites, Modules(files, flagged)).cut()
    except (RecursionError, MemoryError):
        raise NotWhole("it is nested too deep") from None


@dataclass(slots=True, eq=False)
class _Step:
    """A site in its function: the functions and classes around it, its statement, and the call there."""

    path: str
    scopes: list[ast.stmt]
    statement: ast.stmt
    call: ast.Call | None

    @property
    def function(self) -> ast.FunctionDef | None:
        return self.scopes[-1] if self.scopes and isinstance(self.scopes[-1], ast.FunctionDef) else None

    @property
    def is_method(self) -> bool:
        return len(self.scopes) > 1 and isinstance(self.scopes[-2], ast.ClassDef)


class _Slicer:
    def __init__(self, sites: Sequence[Site], modules: Modules) -> None:
        self.modules = modules
        self.steps = [_step(site, modules.source(site.path)) for site in sites]
        self.summaries = Summaries(modules)
        self.units: dict[ast.AST, Unit] = {}
        self.unused: dict[ast.Call, dict[str, tuple[object, str | int, ast.expr]]] = {}
        """By call on the way: the parameters that the called function does not read, and where their arguments stood."""
        self.attributes: set[str] = set()
        self.whole_members: set[ast.stmt] = set()
        """The members of classes of which every method is kept."""
        self.keeps_all = False
        """Whether methods may be named by texts that the program makes."""
        self.groups = Groups(())
        self.grouped = 0
        """How many units the groups were made of."""

    def cut(self) -> Slice:
        self._enter()
        for _ in range(MAX_ROUNDS):
            if not self._grow():
                break
        else:
            raise NotWhole("too many statements depend on each other")
        return Writer(self.modules, self.units, self.steps[-1].statement, self.keeps).written()

    def _enter(self) -> None:
        """Makes the units of the bodies on the way."""
        first = self.steps[0]
        for step in self.steps:
            if any(isinstance(one, ast.AsyncFunctionDef) for one in step.scopes):
                raise NotWhole("an async function is on the way")
            inner = [one for one in step.scopes[:-1] if isinstance(one, ast.FunctionDef)]
            if inner:
                raise NotWhole(f"`{step.scopes[-1].name}` is a function inside of a function")  # type: ignore[attr-defined]
            if step.scopes and step.function is None:
                raise NotWhole("the body of a class is on the way")
        if len({id(step.function) for step in self.steps if step.function}) < sum(
            1 for s in self.steps if s.function
        ):
            raise NotWhole("a function calls itself on the way")
        if first.function is not None:
            raise NotWhole(_why_not_called(first.function))
        repeats = False
        for before, step in zip([None, *self.steps], self.steps, strict=False):
            body = step.function or self.modules.source(step.path).tree
            unit = self._unit(step.path, body, step.statement, repeats)
            if step.is_method:
                unit.is_whole = True
            elif before is not None and before.call is not None and step.function is not None:
                self._leave_out_arguments(step.path, before.call, step.function)
            repeats = unit.goal_is_in_loop

    def _unit(
        self, path: str, body: ast.FunctionDef | ast.Module, goal: ast.stmt | None, repeats: bool
    ) -> Unit:
        if body not in self.units:
            self.units[body] = Unit(
                self.modules.source(path),
                body,
                self.modules,
                self.summaries,
                self.attributes,
                goal,
                repeats,
                path == self.steps[0].path,
            )
        return self.units[body]

    def _grow(self) -> bool:
        grown = False
        read = [unit.see() for unit in self.units.values()]
        if any(read) or len(read) != self.grouped:
            self.groups = Groups(self._links())
            self.grouped = len(read)
            grown = True
        # What is at the top of a file matters to all functions that change it.
        everywhere = {unit.key(name) for unit in self.units.values() for name in unit.relevant}

        for unit in list(self.units.values()):
            grown |= unit.grow(self.groups, everywhere)
        for call, arguments in self.unused.items():
            for name in [one for one in arguments if self._is_read(call, one)]:
                holder, key, value = arguments.pop(name)
                _put(holder, key, value)
                grown = True
                for step in self.steps:
                    if step.call is call:
                        self._unit_of(step).forget()
        return self._need_names() or self._keep_whole_what_is_used_elsewhere() or grown

    def _is_read(self, call: ast.Call, name: str) -> bool:
        return any(
            after.function is not None and name in self.units[after.function].relevant
            for step, after in zip(self.steps, self.steps[1:], strict=False)
            if step.call is call
        )

    def _links(self) -> Iterator[tuple[str, str]]:
        """Yields the pairs of names that may share an object: by statements, and by arguments on the way."""
        for unit in self.units.values():
            for effects in unit.effects.values():
                yield from effects.links
        for step, after in zip(self.steps, self.steps[1:], strict=False):
            if after.function is None or step.call is None:
                continue
            caller, called = self._unit_of(step), self.units[after.function]
            given = self._arguments(step.call, after.function) | self.unused.get(step.call, {})
            for parameter in called.parameters:
                is_known = parameter in given and not after.is_method
                value = given[parameter][2] if is_known else step.call
                for name in {one.id for one in nodes_of(value) if isinstance(one, ast.Name)}:
                    if not caller.is_scalar(name):
                        yield caller.key(name), called.key(parameter)

    def _unit_of(self, step: _Step) -> Unit:
        return self.units[step.function or self.modules.source(step.path).tree]

    def _keep_whole_what_is_used_elsewhere(self) -> bool:
        """Makes the functions on the way whole that something else calls too, or that may be called by another name."""
        for before, step in zip(self.steps, self.steps[1:], strict=False):
            if step.function is None or step.is_method:
                continue
            unit = self.units[step.function]
            if not unit.is_whole and self._is_used_elsewhere(step, before.call):
                unit.is_whole = unit.repeats = True
                for _, (holder, key, value) in (
                    self.unused.pop(before.call, {}).items() if before.call else ()
                ):
                    _put(holder, key, value)
                self._unit_of(before).forget()
                return True
        return False

    def _is_used_elsewhere(self, step: _Step, call: ast.Call | None) -> bool:
        assert step.function is not None
        name = step.function.name
        for unit in self.units.values():
            for part in self._kept_parts(unit):
                for node in nodes_of(part):
                    if isinstance(node, ast.Name | ast.Attribute) and not (
                        call is not None and node is call.func
                    ):
                        if self._is_function(unit, node, step.path, name):
                            return True
        return False

    def _is_function(self, unit: Unit, node: ast.Name | ast.Attribute, path: str, name: str) -> bool:
        if isinstance(node, ast.Name):
            return isinstance(node.ctx, ast.Load) and self.modules.meaning(unit.source.path, node.id) == Own(
                path, name
            )
        found = self.modules.attribute(unit.source.path, node) if node.attr == name else None
        return found is not None and found[0] == Own(path, name)

    def _kept_parts(self, unit: Unit) -> Iterator[ast.AST]:
        """Yields the kept code: statements without their blocks, and functions that are kept whole."""
        for one in unit.kept:
            if isinstance(one, ast.ClassDef):
                yield from (member for member in one.body if self.keeps(member) and member not in self.units)
            elif not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from header(one)
            elif one not in self.units:
                yield one

    def _need_names(self) -> bool:
        """Makes each file keep what the kept statements read of it. Returns whether that is anything new."""
        grown = False
        wanted: dict[tuple[str, str], None] = {}
        for unit in list(self.units.values()):
            for name in unit.reads_of_module():
                wanted[unit.source.path, name] = None
            for statement in unit.kept:
                for name in self._read_by_definition(unit, statement):
                    wanted[unit.source.path, name] = None
                grown |= self._see_attributes(unit, statement)
        for path, name in wanted:
            grown |= self._need(path, name)
        return grown

    def _need(self, path: str, name: str) -> bool:
        meaning = self.modules.meaning(path, name)
        if name == "__name__" and path != self.steps[0].path:
            raise NotWhole("a file on the way asks whether it is the program")
        match meaning:
            case None if not hasattr(builtins, name) and name not in ("__name__", "__file__"):
                raise NotWhole(f"`{name}` is not defined in sight")
            case Outside(dotted=dotted) if dotted.lstrip(".").partition(".")[0] not in _RUNNABLE:
                raise NotWhole(
                    f"`{name}` comes from {dotted.partition('.')[0] or dotted}, and only torch is run"
                )
            case Own(path=home, name=original):
                unit = self._unit(home, self.modules.source(home).tree, None, False)
                if original not in unit.wanted:
                    unit.wanted.add(original)
                    return True
        return False

    def _read_by_definition(self, unit: Unit, statement: ast.stmt) -> Iterator[str]:
        """Yields what the kept parts of a function or class read of the file."""
        if isinstance(statement, ast.FunctionDef) and statement not in self.units:
            yield from (one.id for one in module_names(statement, unit.local))
        elif isinstance(statement, ast.ClassDef):
            self._see_class(unit, statement)
            for one in (*statement.bases, *statement.decorator_list, *(k.value for k in statement.keywords)):
                yield from (found.id for found in module_names(one, unit.local))
            own = names_of(statement)
            for member in statement.body:
                if self.keeps(member) and member not in self.units:
                    hidden = unit.local | (frozenset() if isinstance(member, ast.FunctionDef) else own)
                    yield from (found.id for found in module_names(member, hidden))

    def keeps(self, member: ast.stmt) -> bool:
        """Returns whether a statement of a class is kept: a method that something kept may name."""
        if not isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
            return True
        name = member.name
        is_special = name.startswith("__") and name.endswith("__")
        return (
            is_special
            or self.keeps_all
            or name in OVERRIDABLE
            or name in self.attributes
            or member in self.units
            or member in self.whole_members
        )

    def _see_class(self, unit: Unit, node: ast.ClassDef) -> None:
        """Keeps all methods of a class whose base may call them by name."""
        for base in node.bases:
            path = unit.source.path_of(base)
            is_own = isinstance(base, ast.Name) and unit.summary_of(base.id) is not None
            if path is not None and not is_own and path not in _CALLING_LITTLE or node.keywords:
                self.whole_members.update(node.body)

    def _see_attributes(self, unit: Unit, statement: ast.stmt) -> bool:
        """Collects the attributes that kept code names, and the files and names that they mean."""
        grown = False
        stack: list[ast.AST] = [statement]
        path = unit.source.path
        while stack:
            node = stack.pop()
            if isinstance(node, ast.stmt) and node is not statement and self._is_left_out(node):
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                # It may be the name of a method, as `getattr` takes it.
                grown |= node.value not in self.attributes
                self.attributes.add(node.value)
            if isinstance(node, ast.Name) and node.id in ("getattr", "vars", "dir") and not self.keeps_all:
                self.keeps_all = grown = True
            if isinstance(node, ast.Attribute):
                if node.attr not in self.attributes:
                    self.attributes.add(node.attr)
                    grown = True
                found = self.modules.attribute(path, node)
                if found is not None and isinstance(found[0], Own):
                    home = self._unit(found[0].path, self.modules.source(found[0].path).tree, None, False)
                    if found[0].name not in home.wanted:
                        home.wanted.add(found[0].name)
                        grown = True
            stack.extend(children_of(node))
        return grown

    def _is_left_out(self, node: ast.stmt) -> bool:
        """Returns whether no unit keeps a statement, or a class does not keep its method."""
        for unit in self.units.values():
            if node in unit.kept:
                return False
            if unit.has(node):
                return True
        return isinstance(node, ast.FunctionDef) and not self.keeps(node)

    def _leave_out_arguments(self, path: str, call: ast.Call, function: ast.FunctionDef) -> None:
        """Puts None in place of the arguments, until the function turns out to read them."""
        if any(self.modules.source(path).path_of(one) is None for one in function.decorator_list):
            return
        found = {
            name: argument
            for name, argument in self._arguments(call, function).items()
            if not any(isinstance(one, ast.Call | ast.NamedExpr | ast.Yield) for one in nodes_of(argument[2]))
            or _only_reads(argument[2])
        }
        for holder, key, _ in found.values():
            _put(holder, key, ast.Constant(None))
        self.unused[call] = dict(found)

    @staticmethod
    def _arguments(
        call: ast.Call, function: ast.FunctionDef
    ) -> dict[str, tuple[object, str | int, ast.expr]]:
        """Maps parameters to the arguments of a call: what holds each, its place there, and the argument."""
        if any(isinstance(one, ast.Starred) for one in call.args) or any(
            one.arg is None for one in call.keywords
        ):
            return {}
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        found: dict[str, tuple[object, str | int, ast.expr]] = {}
        for number, (name, value) in enumerate(zip(names, call.args, strict=False)):
            found[name] = call.args, number, value
        for keyword in call.keywords:
            if keyword.arg is not None:
                found[keyword.arg] = keyword, "value", keyword.value
        return found


def _why_not_called(function: ast.FunctionDef) -> str:
    """Returns why no program can be made of a function that nothing in sight calls.

    Who calls it gives it its arguments, and may have set what it reads: attributes of modules, grad modes, default dtypes.
    """
    given = parameters(function)
    if given:
        return f"`{given[0].arg}` of `{function.name}` comes from outside: no call of it is in sight"
    return f"no call of `{function.name}` is in sight, nor what is set before it"


def _only_reads(value: ast.expr) -> bool:
    """Returns whether an argument is what a module lists, as `net.parameters()`."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr), args=[], keywords=[]):
            return attr in ("parameters", "named_parameters", "state_dict", "item")
    return False


def _put(holder: object, key: str | int, value: ast.expr) -> None:
    if isinstance(holder, list) and isinstance(key, int):
        holder[key] = value
    else:
        setattr(holder, str(key), value)


def _step(site: Site, source: Source) -> _Step:
    """Finds the statement of a site, and the functions and classes around it."""
    row = source.document.text.count("\n", 0, site.start) + 1
    scopes: list[ast.stmt] = []
    body: Sequence[ast.stmt] = source.tree.body
    while True:
        around = [one for one in statements(body) if _first_row(one) <= row <= (one.end_lineno or one.lineno)]
        if not around:
            raise NotWhole(f"line {row} is not a statement of its own")
        # Several may stand on the row.
        exact = [one for one in around if source.start(one) <= site.start < source.end(one)]
        innermost = min(
            exact or around, key=lambda one: ((one.end_lineno or 0) - one.lineno, -one.col_offset)
        )
        if (
            not isinstance(innermost, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            or row < innermost.body[0].lineno
        ):
            break
        scopes.append(innermost)
        body = innermost.body
    calls = [
        one
        for one in nodes_of(innermost)
        if isinstance(one, ast.Call) and source.start(one) == site.start and source.end(one) == site.end
    ]
    return _Step(source.path, scopes, innermost, calls[0] if calls else None)


def _first_row(statement: ast.stmt) -> int:
    return min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])
