"""Observes the values of a program's expressions and writes them when the process ends. Plain Python 3.8 and later.

What is kept of a value: shape, dtype, device, strides and gradient of a tensor, numbers, the kinds and sizes of containers
and names of classes; never the elements of a tensor, nor a text.
"""

import ast
import atexit
import builtins
import importlib.machinery
import json
import os
import sys
import types

import torchlsp_instrument

_WHOLE_ACTIVATIONS = 12
_MAX_PER_ACTIVATION = 6
_DIFFERENT = 50
_OFTEN = 4000
_SELDOM = 64
_ITEMS = 6
_DEPTH = 3
_FRAMES = 80
_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
)
_STRANGERS = ("site-packages", "dist-packages", ".venv", "node_modules")


class _Activation:
    __slots__ = ("number", "ordinal", "epoch", "caller", "without_grad", "counts")

    def __init__(self, number, ordinal, caller, without_grad):
        self.without_grad = without_grad
        self.number = number
        self.ordinal = ordinal
        self.caller = caller
        self.epoch = 0
        self.counts = {}


class _Observer:
    def __init__(self, out, roots):
        self.out = out
        self.roots = roots
        self.files = []  # (path, spans)
        self.calls = {}
        self.without_grad = (
            False  # gradients were off when the outermost running function of the program was called
        )
        self.activations = 0
        self.seen = []  # by file: by span: [count, {description: [(activation, epoch)]}, number of observations]
        self.skipped = {}
        self.is_busy = False
        self.by_path = {}
        self.compile = builtins.compile

    # ---- instrumentation ---------------------------------------------------------------------------------------------

    def wants(self, path):
        if not isinstance(path, str) or not path.endswith(".py") or not os.path.isabs(path):
            return False
        real = os.path.realpath(path)
        for root in self.roots:
            if real.startswith(root):
                return not any(part in _STRANGERS for part in real[len(root) :].split(os.sep)[:-1])
        return False

    def tree(self, source, path, is_main=False, leave_asserts=False):
        """The instrumented tree of a file; None where it cannot be instrumented."""
        try:
            tree = self.compile(source, path, "exec", ast.PyCF_ONLY_AST, True)
            number = len(self.files)
            instrument = torchlsp_instrument.Instrument(number, leave_asserts)
            tree = instrument.visit(tree)
            if is_main:
                at = 0
                for at, one in enumerate(tree.body):  # noqa: B007
                    if not (
                        (isinstance(one, ast.ImportFrom) and one.module == "__future__")
                        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
                    ):
                        break
                call = ast.Expr(
                    value=ast.Call(
                        func=ast.Name(id=torchlsp_instrument.MAIN, ctx=ast.Load()), args=[], keywords=[]
                    )
                )
                tree.body.insert(at, call)
            ast.fix_missing_locations(tree)
            self.compile(tree, path, "exec", 0, True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError) as error:
            self.skipped[path] = f"{type(error).__name__}: {error}"
            return None
        self.files.append((os.path.realpath(path), instrument.spans))
        self.seen.append({})
        return tree

    # ---- what the instrumented code calls -----------------------------------------------------------------------------

    def enter(self, place):
        self.activations += 1
        ordinal = self.calls.get(place, 0) + 1
        self.calls[place] = ordinal
        caller = self._caller(place[0]) if place[1] >= 0 else "own"
        if caller == "none":
            self.without_grad = _is_without_grad()
        elif place[1] < 0:
            self.without_grad = False
        return _Activation(self.activations, ordinal, caller, self.without_grad)

    def _caller(self, own):
        """Who called: "own", only functions of the same file; "other", also other files of the program; "none" of them."""
        found = "none"
        frame = sys._getframe(3)
        for _ in range(_FRAMES):
            if frame is None:
                break
            number = self.by_path.get(frame.f_code.co_filename)
            if number == own:
                found = "own"
            elif number is not None:
                return "other"
            frame = frame.f_back
        return found

    def see(self, place, value, activation):
        file, number = place
        spans = self.seen[file]
        kept = spans.get(number)
        if kept is None:
            kept = spans[number] = [0, {}]
        kept[0] += 1
        count = kept[0]
        if (count > _OFTEN and count % _SELDOM) or self.is_busy:
            return value
        self.is_busy = True
        try:
            description = describe(value, 0)
            if description is None:
                return value
            found = kept[1].get(description)
            if activation is None:
                at = (0, 0, "", False)
                is_whole = False
            else:
                at = (activation.number, activation.epoch, activation.caller, activation.without_grad)
                times = activation.counts.get(number, 0)
                activation.counts[number] = times + 1
                is_whole = activation.ordinal <= _WHOLE_ACTIVATIONS and times < _MAX_PER_ACTIVATION
            if found is None:
                if len(kept[1]) < _DIFFERENT:
                    kept[1][description] = [at]
            elif is_whole and found[-1] != at:
                found.append(at)
        except Exception:  # a value that cannot be looked at is not looked at
            pass
        finally:
            self.is_busy = False
        return value

    def loop(self, activation):
        if activation is not None:
            activation.epoch += 1
        return True

    def bound(self, *values):
        # The values were seen when the arguments were evaluated.
        return True

    # ---- the end -----------------------------------------------------------------------------------------------------

    def write(self):
        if not self.files:
            return
        self.is_busy = True
        files = []
        for (path, spans), seen in zip(self.files, self.seen):
            found = [
                [*spans[number], kept[0], [[text, at] for text, at in list(kept[1].items())]]
                for number, kept in sorted(seen.items())
                if number >= 0
            ]
            files.append([path, found])
        name = os.path.join(self.out, f"run-{os.getpid()}-{len(os.listdir(self.out))}.json")
        with open(name + ".part", "w", encoding="utf-8") as file:
            json.dump({"files": files, "skipped": self.skipped}, file)
        os.replace(name + ".part", name)
        self.is_busy = False

    def forget(self):
        for seen in self.seen:
            seen.clear()


def _is_without_grad():
    torch = sys.modules.get("torch")
    is_enabled = getattr(torch, "is_grad_enabled", None)
    return is_enabled is not None and not is_enabled()


def describe(value, depth):
    """The description of a value as a text of JSON's form; None where it must not be looked at now."""
    described = _described(value, depth)
    return None if described is None else json.dumps(described, separators=(",", ":"))


def _described(value, depth):
    kind = type(value)
    if value is None:
        return ["none"]
    if kind is bool:
        return ["bool", value]
    if kind is int:
        return ["int", value] if -(2**63) < value < 2**63 else ["int", None]
    if kind is float:
        return ["float", repr(value)]
    if kind is str:
        return ["str"]
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)
    if tensor is not None and isinstance(value, tensor):
        return _tensor(torch, value)
    if kind in (list, tuple) or isinstance(value, (list, tuple)):
        name = "size" if kind.__name__ == "Size" else "list" if isinstance(value, list) else "tuple"
        items = [] if depth >= _DEPTH else [_described(one, depth + 1) for one in list(value[:_ITEMS])]
        return [name, len(value), items, [one.__name__ for one in kind.__mro__[:-1]]]
    if isinstance(value, dict):
        keys = [
            key for key in list(value)[:_ITEMS] if type(key) is int or (type(key) is str and len(key) < 40)
        ]
        items = {} if depth >= _DEPTH else {str(key): _described(value[key], depth + 1) for key in keys}
        return ["dict", len(value), keys, items]
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(
        value, (getattr(numpy, "ndarray", ()), getattr(numpy, "generic", ()))
    ):
        return ["array", list(value.shape), str(value.dtype)]
    if torch is not None and tensor is not None:
        if isinstance(value, torch.dtype):
            return ["dtype", str(value)[6:]]
        if isinstance(value, torch.device):
            return ["device", str(value)]
        nn = sys.modules.get("torch.nn")
        module = getattr(nn, "Module", None)
        if module is not None and isinstance(value, module):
            names = [one.__name__ for one in kind.__mro__[:-1]]
            return ["module", names, value.__dict__.get("training")]
    if isinstance(value, type):
        return ["class", value.__name__]
    if isinstance(value, _FUNCTIONS):
        return ["function", str(value.__name__)]
    if _is_stand_in(kind):
        return None
    return ["object", [one.__name__ for one in kind.__mro__[:-1]]]


def _is_stand_in(kind):
    """Does a class stand for the values of a program that is only traced?"""
    traced = sys.modules.get("torch.fx.proxy")
    return traced is not None and issubclass(kind, getattr(traced, "Proxy", ()))


def _tensor(torch, value):
    state = getattr(torch._C, "_get_tracing_state", None)
    if state is not None and state() is not None:
        return None
    with torch._C.DisableTorchFunction():
        shape = [int(size) for size in value.shape if type(size) is int]
        if len(shape) != value.dim():
            return None
        try:
            strides = list(value.stride())
            contiguous = value.is_contiguous()
        except RuntimeError:
            strides = contiguous = None
        return [
            "tensor",
            shape,
            str(value.dtype)[6:],
            str(value.device),
            strides,
            contiguous,
            value.requires_grad,
            value.is_leaf,
            torch.is_grad_enabled(),
        ]


class _MainLoader(importlib.machinery.SourceFileLoader):
    """Gives the script that Python was started with, instrumented."""

    def __init__(self, observer, path):
        super().__init__("__main__", path)
        self.observer = observer

    def get_code(self, fullname):
        path = self.path
        observer = self.observer
        data = self.get_data(path)
        tree = observer.tree(data, os.path.abspath(path), is_main=True)
        number = len(observer.files) - 1
        if tree is None:
            # Python's own way of starting a script is not to be had any more: the same without being looked at.
            prefix = observer.compile(data, path, "exec", 0, True)
            _as_script(path)
            return prefix
        observer.by_path[path] = number
        return observer.compile(tree, path, "exec", 0, True)


class _MainFinder:
    """Stands on sys.path for the script while Python looks for `__main__`."""

    def __init__(self, observer, path):
        self.observer, self.path = observer, path

    def find_spec(self, fullname, target=None):
        if fullname != "__main__":
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location("__main__", self.path, loader=_MainLoader(self.observer, self.path))

    def invalidate_caches(self):
        pass


def _as_script(path):
    """Puts sys.path and `__main__` as they are for a script."""
    folder = os.path.dirname(os.path.abspath(path))
    if sys.path and os.path.abspath(sys.path[0]) == os.path.abspath(path):
        sys.path[0] = folder
    sys.path_importer_cache.pop(path, None)


def begin():
    out = os.environ["TORCHLSP_OBSERVE_OUT"]
    roots = [
        os.path.realpath(one).rstrip(os.sep) + os.sep
        for one in os.environ.get("TORCHLSP_OBSERVE_ROOT", "").split(os.pathsep)
        if one
    ]
    observer = _Observer(out, roots)
    script = os.path.abspath(sys.argv[0]) if getattr(sys, "argv", None) and sys.argv[0] else ""

    def main():
        module = sys.modules.get("__main__")
        _as_script(script)
        if module is not None:
            module.__dict__.update(__spec__=None, __package__=None)
            module.__dict__.pop("__cached__", None)

    builtins.__tl_see__ = observer.see
    builtins.__tl_loop__ = observer.loop
    builtins.__tl_bound__ = observer.bound
    builtins.__tl_main__ = main
    builtins.__tl_enter__ = observer.enter
    _hook_compile(observer)
    _hook_loader(observer)
    if script.endswith(".py") and observer.wants(script) and os.path.isfile(script):

        def hook(path):
            if os.path.abspath(path) == script:
                return _MainFinder(observer, path)
            raise ImportError

        sys.path_hooks.insert(0, hook)
    atexit.register(observer.write)
    leave = os._exit

    def leaving(status):
        try:
            observer.write()
        finally:
            leave(status)

    os._exit = leaving
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=observer.forget)


def _hook_compile(observer):
    original = observer.compile

    def compiled(source, filename, mode, flags=0, dont_inherit=False, optimize=-1, **more):
        if isinstance(filename, (str, bytes)) and type(filename) is str and mode == "exec":
            if isinstance(source, (str, bytes)) and observer.wants(filename):
                is_tree = bool(flags & ast.PyCF_ONLY_AST)
                if not is_tree or _is_pytest(sys._getframe(1), sys._getframe(2)):
                    tree = observer.tree(source, filename, leave_asserts=is_tree)
                    if tree is not None:
                        observer.by_path[filename] = len(observer.files) - 1
                        source = tree
                        if is_tree:
                            return tree
                        return original(source, filename, mode, flags, True, optimize, **more)
        if dont_inherit:
            return original(source, filename, mode, flags, True, optimize, **more)
        inherited = sys._getframe(1).f_code.co_flags & _FUTURE
        return original(source, filename, mode, flags | inherited, True, optimize, **more)

    compiled.__name__ = "compile"
    builtins.compile = compiled


def _future_flags():
    import __future__

    found = 0
    for name in __future__.all_feature_names:
        found |= getattr(__future__, name).compiler_flag
    return found


_FUTURE = _future_flags() & ~0x10  # the flag of nested scopes is that of a code object's property


def _is_pytest(*frames):
    return any(frame.f_globals.get("__name__") == "_pytest.assertion.rewrite" for frame in frames)


def _hook_loader(observer):
    """Neither reads nor writes the compiled files of the program; installs what pytest needs once it is loaded."""
    base = importlib.machinery.SourceFileLoader
    get_code, exec_module = base.get_code, base.exec_module

    def get(self, fullname):
        path = self.get_filename(fullname)
        if type(self) is base and observer.wants(os.path.abspath(path)):
            return self.source_to_code(self.get_data(path), os.path.abspath(path))
        return get_code(self, fullname)

    def execute(self, module):
        exec_module(self, module)
        if module.__name__ == "_pytest.assertion.rewrite":
            read = module._read_pyc
            write = module._write_pyc

            def read_pyc(source, *arguments, **more):
                return None if observer.wants(str(source)) else read(source, *arguments, **more)

            def write_pyc(state, code, *arguments, **more):
                return False if observer.wants(code.co_filename) else write(state, code, *arguments, **more)

            module._read_pyc, module._write_pyc = read_pyc, write_pyc

    base.get_code, base.exec_module = get, execute
