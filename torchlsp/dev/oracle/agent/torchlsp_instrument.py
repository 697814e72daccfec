"""Rewrites the tree of a program's file so that values of expressions are seen. Plain Python 3.8 and later.

Rows and columns stay as they are; functions that something else compiles (torch.jit, numba, triton) are left alone.
"""

import ast
import sys

SEE, LOOP, ENTER, BOUND, MAIN = (
    "__tl_see__",
    "__tl_loop__",
    "__tl_enter__",
    "__tl_bound__",
    "__tl_main__",
)
ACTIVATION = "__tl_act__"
_COMPILERS = {"jit", "njit", "script", "compile", "vectorize", "guvectorize", "ignore", "kernel", "overload"}
_FRAME_READERS = {"locals", "vars", "dir", "eval", "exec", "globals", "super", "_getframe", "currentframe"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Instrument(ast.NodeTransformer):
    """Wraps expressions of one file. `spans` are the places, by the number that the wrapped calls name."""

    def __init__(self, file, leave_asserts):
        self.file = file
        self.spans = []
        self._numbers = {}
        self._leave_asserts = leave_asserts
        self._is_hidden = False  # no activation can be named here

    # ---- pieces ------------------------------------------------------------------------------------------------------

    def _number(self, node, is_bound):
        key = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, is_bound)
        if key not in self._numbers:
            self._numbers[key] = len(self.spans)
            self.spans.append(key)
        return self._numbers[key]

    def _activation(self):
        if self._is_hidden:
            return ast.Constant(value=None, kind=None)
        return ast.Name(id=ACTIVATION, ctx=ast.Load())

    def _call(self, function, arguments, place):
        call = ast.Call(func=ast.Name(id=function, ctx=ast.Load()), args=arguments, keywords=[])
        return _at(call, place)

    def _constant(self, value):
        return ast.Constant(value=value, kind=None)

    def _seen(self, value, place, is_bound=False):
        number = self._number(place, is_bound)
        return self._call(SEE, [self._constant((self.file, number)), value, self._activation()], value)

    def _bindings(self, target):
        """Statements that look at what a target has been bound to."""
        found = []
        if isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                found.extend(self._bindings(part))
        elif isinstance(target, ast.Starred):
            found.extend(self._bindings(target.value))
        elif isinstance(target, ast.Name) and target.id != "_":
            read = _at(ast.Name(id=target.id, ctx=ast.Load()), target)
            found.append(_at(ast.Expr(value=self._seen(read, target, True)), target))
        return found

    # ---- expressions -------------------------------------------------------------------------------------------------

    def _wrapped(self, node):
        self.generic_visit(node)
        if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            return node
        return self._seen(node, node)

    visit_BinOp = visit_Compare = _wrapped

    def visit_UnaryOp(self, node):
        return node if isinstance(node.operand, ast.Constant) else self._wrapped(node)

    def visit_Name(self, node):
        if not isinstance(node.ctx, ast.Load) or node.id in _FRAME_READERS:
            return node
        return self._seen(node, node)

    visit_Attribute = _wrapped
    visit_Subscript = _wrapped

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name):
            # A function is no fact, but a layer that a name holds is one.
            node.func = self.visit(node.func)
        elif isinstance(node.func, ast.Attribute) and _is_super(node.func.value):
            pass
        else:
            node.func = self.visit(node.func)
        node.args = [self.visit(one) for one in node.args]
        node.keywords = [self.visit(one) for one in node.keywords]
        return self._seen(node, node)

    def visit_NamedExpr(self, node):
        node.value = self.visit(node.value)
        return self._seen(node, node.target, True)

    def visit_JoinedStr(self, node):
        return self.generic_visit(node) if sys.version_info >= (3, 12) else node

    def visit_TemplateStr(self, node):
        return node

    def visit_Lambda(self, node):
        if any(isinstance(one, (ast.Yield, ast.YieldFrom, ast.Await)) for one in ast.walk(node.body)):
            return node
        hidden, self._is_hidden = self._is_hidden, False
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.args.kw_defaults = [one and self.visit(one) for one in node.args.kw_defaults]
        looks = [
            self._seen(_at(ast.Name(id=one.arg, ctx=ast.Load()), one), one, True)
            for one in _parameters(node.args)
        ]
        body = node.body
        value = self.visit(body)
        everything = _at(ast.Tuple(elts=[*looks, value], ctx=ast.Load()), body)
        last = _at(ast.Subscript(value=everything, slice=_index(-1), ctx=ast.Load()), body)
        only = ast.arguments(
            posonlyargs=[],
            args=[ast.arg(arg=ACTIVATION, annotation=None, type_comment=None)],
            vararg=None,
            kwonlyargs=[],
            kw_defaults=[],
            kwarg=None,
            defaults=[],
        )
        inner = _at(ast.Lambda(args=only, body=last), body)
        entered = self._call(ENTER, [self._constant((self.file, self._number(node, False)))], body)
        node.body = _at(ast.Call(func=inner, args=[entered], keywords=[]), body)
        self._is_hidden = hidden
        return node

    def _comprehension(self, node):
        self.generic_visit(node)
        for part in node.generators:
            names = [
                self._seen(_at(ast.Name(id=one.id, ctx=ast.Load()), one), one, True)
                for one in _names(part.target)
            ]
            place = part.target
            turn = self._call(LOOP, [self._activation()], place)
            part.ifs[:0] = [turn, self._call(BOUND, names, place)]
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    # ---- statements --------------------------------------------------------------------------------------------------

    def visit_Assign(self, node):
        node.value = self.visit(node.value)
        after = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                node.value = self._seen(node.value, target, True)
            elif isinstance(target, ast.Attribute):
                node.value = self._seen(node.value, target, True)
            else:
                after.extend(self._bindings(target))
        node.targets = [self.visit(one) for one in node.targets]
        return [node, *after] if after else node

    def visit_AnnAssign(self, node):
        if node.value is not None:
            node.value = self.visit(node.value)
            if isinstance(node.target, (ast.Name, ast.Attribute)):
                node.value = self._seen(node.value, node.target, True)
        node.target = self.visit(node.target)
        return node

    def visit_AugAssign(self, node):
        node.value = self.visit(node.value)
        looks = self._bindings(node.target)
        node.target = self.visit(node.target)
        return [node, *looks]

    def visit_Delete(self, node):
        return node

    def _loop_body(self, node, looks):
        turn = _at(ast.Expr(value=self._call(LOOP, [self._activation()], node)), node)
        node.body = [turn, *looks, *node.body]
        return [node, _at(ast.Expr(value=self._call(LOOP, [self._activation()], node)), node)]

    def visit_For(self, node):
        looks = self._bindings(node.target)
        self.generic_visit(node)
        return self._loop_body(node, looks)

    visit_AsyncFor = visit_For

    def visit_While(self, node):
        self.generic_visit(node)
        return self._loop_body(node, [])

    def visit_With(self, node):
        looks = []
        for item in node.items:
            if item.optional_vars is not None:
                looks.extend(self._bindings(item.optional_vars))
        self.generic_visit(node)
        node.body = [*looks, *node.body]
        return node

    visit_AsyncWith = visit_With

    def visit_Assert(self, node):
        return node if self._leave_asserts else self.generic_visit(node)

    def visit_Match(self, node):
        node.subject = self.visit(node.subject)
        for case in node.cases:
            if case.guard is not None:
                case.guard = self.visit(case.guard)
            case.body = _flat(self.visit(one) for one in case.body)
        return node

    def visit_TypeAlias(self, node):
        return node

    def visit_ClassDef(self, node):
        if any(_is_compiler(one) for one in node.decorator_list):
            return node
        node.body = _flat(self.visit(one) for one in node.body)
        return node

    def _function(self, node):
        if any(_is_compiler(one) for one in node.decorator_list):
            return node
        hidden = self._is_hidden
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.args.kw_defaults = [one and self.visit(one) for one in node.args.kw_defaults]
        self._is_hidden = any(
            (isinstance(one, ast.Name) and one.id in _FRAME_READERS - {"super"})
            or (isinstance(one, ast.Attribute) and one.attr in _FRAME_READERS)
            for one in ast.walk(node)
        )
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        body = _flat(self.visit(one) for one in node.body[start:])
        looks = []
        if not self._is_hidden:
            entered = self._call(ENTER, [self._constant((self.file, self._number(node, False)))], node)
            name = ast.Name(id=ACTIVATION, ctx=ast.Store())
            looks.append(_at(ast.Assign(targets=[name], value=entered, type_comment=None), node))
        declared = {
            name
            for one in ast.walk(node)
            if isinstance(one, (ast.Global, ast.Nonlocal))
            for name in one.names
        }
        for one in _parameters(node.args):
            if one.arg not in declared:
                read = _at(ast.Name(id=one.arg, ctx=ast.Load()), one)
                looks.append(_at(ast.Expr(value=self._seen(read, one, True)), one))
        node.body = [*node.body[:start], *looks, *body]
        self._is_hidden = hidden
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_Module(self, node):
        start = 0
        for one in node.body:
            is_text = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
            is_future = isinstance(one, ast.ImportFrom) and one.module == "__future__"
            if not (is_text and start == 0) and not is_future:
                break
            start += 1
        body = _flat(self.visit(one) for one in node.body[start:])
        first = node.body[start] if start < len(node.body) else None
        if first is not None:
            place = _at(ast.Constant(value=0, kind=None), first)
            entered = self._call(ENTER, [self._constant((self.file, -1))], place)
            name = ast.Name(id=ACTIVATION, ctx=ast.Store())
            body.insert(0, _at(ast.Assign(targets=[name], value=entered, type_comment=None), place))
        node.body = [*node.body[:start], *body]
        return node


def _at(node, place):
    """Gives a new node, and the new nodes in it, the place of an old one."""
    stack = [node]
    while stack:
        one = stack.pop()
        if "lineno" in one._attributes and getattr(one, "lineno", None) is None:
            ast.copy_location(one, place)
            stack.extend(ast.iter_child_nodes(one))
        elif not one._attributes or "lineno" not in one._attributes:
            stack.extend(ast.iter_child_nodes(one))
    return node


def _index(number):
    index = ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=-number, kind=None))
    return index if sys.version_info >= (3, 9) else ast.Index(value=index)


def _flat(parts):
    found = []
    for part in parts:
        if isinstance(part, list):
            found.extend(part)
        elif part is not None:
            found.append(part)
    return found


def _parameters(args):
    found = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    found.extend(one for one in (args.vararg, args.kwarg) if one is not None)
    return found


def _names(target):
    return [one for one in ast.walk(target) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]


def _is_super(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _is_compiler(node):
    """Does a decorator compile what it decorates from its source or its bytecode?"""
    if isinstance(node, ast.Call):
        return _is_compiler(node.func) or any(_is_compiler(one) for one in node.args)
    if isinstance(node, ast.Attribute):
        return node.attr in _COMPILERS or _is_compiler(node.value)
    return isinstance(node, ast.Name) and node.id in _COMPILERS
