"""Writes the documentation of the installed torch's public names, as JSON lines. Runs under the user's
Python, from 3.8 on, alone: it imports nothing of ours, so that it can be started with `-I -S`.

    python -I -S -B extract.py OUT '{"site": [...]}'

The first line of OUT is the header (versions, interpreter), every other one a symbol; or its only line is
`{"error": ...}`. OUT appears all at once. Lines on stderr that begin with `PROGRESS` count modules; whatever else
is printed, by torch or what it imports, means nothing.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import sys
import types
import warnings

PROGRESS = "torchlsp-docs-progress"
PACKAGES = ("torch", "torchvision", "torchaudio")
# Public modules that `import torch` leaves out. One that is not there, or fails, is passed over.
LATE = """
torch.amp torch.autograd.forward_ad torch.autograd.functional torch.autograd.graph torch.autograd.gradcheck
torch.autograd.profiler torch.backends.cpu torch.backends.cuda torch.backends.cudnn torch.backends.cudnn.rnn
torch.backends.mha torch.backends.mkl torch.backends.mkldnn torch.backends.mps torch.backends.nnpack
torch.backends.openmp torch.backends.opt_einsum torch.backends.quantized torch.backends.xeon torch.backends.xnnpack
torch.compiler torch.cpu torch.cuda torch.cuda.amp torch.cuda.tunable torch.distributed
torch.distributed.algorithms.ddp_comm_hooks.default_hooks torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook
torch.distributed.algorithms.join torch.distributed.checkpoint torch.distributed.checkpoint.state_dict
torch.distributed.device_mesh torch.distributed.elastic.multiprocessing.errors torch.distributed.fsdp
torch.distributed.fsdp.wrap torch.distributed.fsdp.sharded_grad_scaler torch.distributed.nn
torch.distributed.algorithms.model_averaging.averagers torch.distributed.algorithms.post_localSGD_optimizer
torch.distributed.nn.functional torch.distributed.optim torch.distributed.pipelining torch.distributed.rpc
torch.distributed.tensor torch.distributed.tensor.parallel torch.distributed.tensor.placement_types
torch.distributed.algorithms._checkpoint.checkpoint_wrapper torch.distributions torch.distributions.constraints
torch.distributions.kl torch.distributions.transforms torch.export torch.fft torch.func torch.futures torch.fx
torch.fx.experimental.symbolic_shapes torch.hub torch.jit torch.library torch.linalg torch.masked torch.monitor
torch.mps torch.mps.event torch.mps.profiler torch.mtia torch.multiprocessing torch.nested torch.nn.attention
torch.nn.attention.bias torch.nn.attention.flex_attention torch.nn.init torch.nn.parallel torch.nn.utils.fusion
torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.prune torch.nn.utils.rnn
torch.nn.utils.stateless torch.onnx torch.optim.lr_scheduler torch.optim.swa_utils torch.overrides torch.package
torch.ao.quantization torch.ao.nn.quantized torch.ao.nn.quantized.functional torch.profiler torch.quantization
torch.random torch.serialization torch.signal.windows torch.sparse torch.special torch.testing
torch.utils.benchmark torch.utils.bottleneck torch.utils.bundled_inputs torch.utils.checkpoint
torch.utils.cpp_extension torch.utils.data torch.utils.data.datapipes torch.utils.data.distributed
torch.utils.deterministic torch.utils.dlpack torch.utils.flop_counter torch.utils.hooks
torch.utils.mobile_optimizer torch.utils.model_zoo torch.utils.module_tracker torch.utils.swap_tensors
torch.utils.tensorboard torch.xpu torch.accelerator
torchvision.datasets torchvision.io torchvision.models torchvision.models.detection torchvision.models.segmentation
torchvision.models.video torchvision.models.optical_flow torchvision.models.feature_extraction torchvision.ops
torchvision.transforms torchvision.transforms.functional torchvision.transforms.v2
torchvision.transforms.v2.functional torchvision.tv_tensors torchvision.utils
torchaudio.compliance.kaldi torchaudio.datasets torchaudio.functional torchaudio.io torchaudio.kaldi_io
torchaudio.models torchaudio.models.decoder torchaudio.pipelines torchaudio.sox_effects torchaudio.transforms
torchaudio.utils
""".split()
# Their members are made up when they are asked for.
MADE_UP = ("torch.ops", "torch.classes", "torch.testing._internal")
TENSOR = "torch.Tensor"
# Plain values that say something by themselves.
TELLING = (bool, int, float, str)
REMOVED = re.compile(r"\b(is|was|been|are) (now )?removed\b|no longer (supported|available)", re.IGNORECASE)


def main(out, site):
    """Writes the documentation and returns the exit status: 1 when torch cannot be imported."""
    warnings.simplefilter("ignore")
    sys.path.extend(folder for folder in site if folder not in sys.path)
    lines = []
    status = 0
    try:
        torch = importlib.import_module("torch")
        torch.Tensor.view  # noqa: B018 - an empty folder called torch imports as well
    except BaseException as problem:  # whatever a broken installation does, SystemExit included
        text = " ".join(str(problem).split())
        lines.append({"error": f"{type(problem).__name__}: {text}"})
        status = 1
    else:
        lines.extend(walked())
    write(out, lines)
    return status


def write(out, lines):
    temporary = f"{out}.{os.getpid()}.part"
    with open(temporary, "w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            # Escaped: half of a surrogate pair in a docstring must not end the run.
            file.write(json.dumps(line, ensure_ascii=True) + "\n")
    os.replace(temporary, out)


def walked():
    """Yields the header, then one dictionary for each symbol."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = str(importlib.import_module(name).__version__)
        except BaseException as problem:
            if not isinstance(problem, ModuleNotFoundError) or problem.name != name:
                tell(f"{name} cannot be imported, and is left out: {problem!r}")
    for number, name in enumerate(LATE):
        if name.split(".")[0] in versions:
            tell(f"{number} {2 * len(LATE)} {name}")
            try:
                importlib.import_module(name)
            except BaseException:  # not built in, or not on this system
                continue
    yield {
        "header": 1,
        "versions": versions,
        "python": f"{sys.version_info[0]}.{sys.version_info[1]}",
        "tag": sys.implementation.cache_tag or sys.implementation.name,
    }
    modules = public_modules(versions)
    names, values = named_values(modules)
    schemas = registered_schemas()
    files: dict[str, dict[str, int]] = {}
    for name in modules:
        if name in values:
            continue  # a function of the same name hides it, as torch.nn.utils.weight_norm
        yield told(name, sys.modules[name], "module", [], files)
    for number, symbols in enumerate(names.values()):
        if number % 100 == 0:
            done = len(LATE) + len(LATE) * number // max(len(names), 1)
            tell(f"{done} {2 * len(LATE)} {symbols[0]}")
        symbol, value = symbols[0], values[symbols[0]]
        try:
            yield from symbol_lines(symbol, value, symbols[1:], names, schemas, files)
        except Exception as problem:  # one object that cannot be inspected must not cost the others
            tell(f"{symbol} was left out: {problem!r}")


def tell(text):
    sys.stderr.write(f"{PROGRESS} {text}\n")
    sys.stderr.flush()


def public_modules(packages):
    """Returns the names of all loaded modules of these packages that a user can write."""
    found = []
    for name, module in sorted(sys.modules.items()):
        parts = name.split(".")
        if parts[0] not in packages or any(part.startswith("_") for part in parts):
            continue
        if not isinstance(module, types.ModuleType) or name.startswith(MADE_UP):
            continue
        found.append(name)
    return found


def named_values(modules):
    """Returns public names by the identity of their values, best name first, and the values by name."""
    names: dict[str | int, list[tuple[bool, str]]] = {}
    values: dict[str, object] = {}
    for module_name in modules:
        module = sys.modules[module_name]
        try:
            listed = set(map(str, getattr(module, "__all__", ())))
            own = dir(module) if type(module) is types.ModuleType else [*dir(module), *vars(type(module))]
            visible = sorted(listed | {name for name in own if not name.startswith("_")})
        except Exception:
            continue
        for name in visible:
            symbol = module_name + "." + name
            try:
                value = getattr(module, name)
            except Exception:
                continue
            if isinstance(value, types.ModuleType) or not is_ours(value, name in listed, module):
                continue
            values[symbol] = value
            # Equal numbers are one object, and different names.
            key = symbol if isinstance(value, TELLING) else id(value)
            names.setdefault(key, []).append((name not in listed, symbol))
    return {key: best_first(symbols, values[symbols[0][1]]) for key, symbols in names.items()}, values


def best_first(symbols, value):
    """Sorts names of a value, the one under which torch documents it first: the shortest that is not a mere
    import."""
    hidden = {symbol for is_hidden, symbol in symbols if is_hidden}
    names = {symbol for _, symbol in symbols}
    owner = getattr(value, "__module__", None)

    def rank(symbol):
        home, _, name = symbol.rpartition(".")
        # torch.conv2d and torch.nn.functional.conv2d are one object, documented as the second.
        wins = home == "torch.nn.functional" and not inspect.isclass(value) and "torch." + name in names
        wins = wins or symbol == plain(value)  # torch.float32 rather than torch.float
        is_owner = isinstance(owner, str) and (owner + ".").startswith(home + ".")
        return (not wins, symbol in hidden and not is_owner, symbol.count("."), len(symbol), symbol)

    return sorted(names, key=rank)


def is_ours(value, is_listed, module):
    if isinstance(value, TELLING):
        # Flags, as in torch.backends.cudnn, are properties of modules of a type of their own.
        return is_listed or (type(module) is not types.ModuleType and isinstance(value, bool))
    owner = getattr(value, "__module__", None)
    if not isinstance(owner, str):
        # C functions and instances of C types, as dtypes are.
        owner = getattr(type(value), "__module__", None) if not callable(value) else module.__name__
        if callable(value) and not is_listed and isinstance(value, types.BuiltinFunctionType):
            home = getattr(value, "__self__", None)
            owner = getattr(home, "__name__", None) or type(home).__module__ or ""
    return isinstance(owner, str) and owner.split(".")[0] in PACKAGES


def symbol_lines(symbol, value, aliases, names, schemas, files):
    if not inspect.isclass(value):
        kind = "function" if callable(value) else "attribute"
        line = told(symbol, value, kind, aliases, files)
        if kind == "attribute":
            line["value"] = plain(value)
            line["type"] = type_name(value, names)
        if not inspect.isfunction(inspect.unwrap(value) if callable(value) else value):
            line["overloads"] = schemas.get(schema_name(symbol), [])
        yield line
        return
    line = told(symbol, value, "class", aliases, files)
    line["bases"] = bases = [
        names[id(base)][0] for base in value.__mro__[1:] if id(base) in names and not is_core(base)
    ]
    if symbol != TENSOR and TENSOR not in bases and is_tensor_like(value):
        bases.append(TENSOR)
    yield line
    for name, member, doc in members(value, names):
        yield from member_lines(symbol, name, member, doc, schemas, files)


def is_core(base):
    """Returns whether a class is the base of Tensor in C, whose methods are documented as Tensor's."""
    return base.__name__ in ("TensorBase", "_TensorBase")


def is_tensor_like(value):
    # Types as torch.cuda.FloatTensor have copies of Tensor's methods and no base.
    return type(value).__name__ == "tensortype" or any(map(is_core, value.__mro__))


def members(value, names):
    """Yields (name, as it is in the class, docstring) of what a class adds to its public bases. What private
    bases add counts as its own."""
    seen = set()
    if type(value).__name__ == "tensortype":
        return
    for base in value.__mro__:
        if base is object or (is_core(base) and value is not sys.modules["torch"].Tensor):
            continue
        if base is not value and id(base) in names and not is_core(base):
            continue
        if base.__module__.split(".")[0] not in PACKAGES:
            continue
        for name, member in sorted(vars(base).items(), key=lambda item: str(item[0])):
            is_public = not name.startswith("_") or (
                name == "__call__" or is_documented_special(name, member)
            )
            if not is_public or name in seen or inspect.isclass(member):
                continue
            seen.add(name)
            yield name, member, own_or_inherited(value, name, member)


def is_documented_special(name, member):
    return name in ("__init__", "__getitem__", "__setitem__") and callable(member)


def own_or_inherited(value, name, member):
    doc = getattr(member, "__doc__", None)
    if isinstance(doc, str) and doc.strip():
        return doc
    for base in value.__mro__[1:]:
        doc = getattr(vars(base).get(name), "__doc__", None)
        if base is not object and isinstance(doc, str) and doc.strip():
            return doc
    return ""


def member_lines(owner, name, member, doc, schemas, files):
    symbol = owner + "." + name
    if isinstance(member, (staticmethod, classmethod)):
        line = told(symbol, member.__func__, "method", [], files)
        line["doc"] = clean(member.__func__.__doc__) or clean(doc)
        line["binding"] = type(member).__name__
    elif isinstance(member, property) or type(member).__name__ in ("cached_property", "OpaqueProperty"):
        line = told(symbol, getattr(member, "fget", None) or member, "property", [], files)
        line["doc"], line["signature"] = clean(doc), None
    elif inspect.isgetsetdescriptor(member) or inspect.ismemberdescriptor(member):
        line = told(symbol, member, "attribute", [], files)
        line["doc"], line["signature"] = clean(doc), None
    elif callable(member) or inspect.isroutine(member):
        line = told(symbol, member, "method", [], files)
        line["doc"] = clean(doc)
        if owner == TENSOR and not inspect.isfunction(inspect.unwrap(member)):
            line["overloads"] = schemas.get(name, [])
    elif isinstance(member, TELLING) or type(member).__module__.split(".")[0] in PACKAGES:
        line = told(symbol, None, "attribute", [], files)
        line["value"] = plain(member)
    else:
        return
    yield line


def told(symbol, value, kind, aliases, files):
    doc = own_doc(value, kind)
    line = {"symbol": symbol, "kind": kind, "aliases": aliases, "doc": doc}
    if kind in ("function", "class", "method"):
        line["signature"] = signature(value)
    line.update(origin(value, kind, files))
    deprecated = getattr(value, "__deprecated__", None)
    # The decorator marks what it wraps as well, which may live on under a new name.
    is_marked = not inspect.isfunction(value) or hasattr(value, "__wrapped__")
    if isinstance(deprecated, str) and is_marked:
        line["deprecated"] = deprecated
    removed = removal(value)
    if removed:
        line["removed"] = removed
    return line


def own_doc(value, kind):
    """Returns the docstring of the object itself; that of a value's type does not describe the value."""
    if value is None:
        return ""
    if kind == "class":
        # C enumerations keep theirs in a property; one that is inherited is the base's.
        return clean(value.__doc__) if vars(value).get("__doc__") else ""
    doc = getattr(value, "__doc__", None)
    if kind == "attribute" and doc == getattr(type(value), "__doc__", None):
        return ""
    return clean(doc)


def clean(doc):
    return inspect.cleandoc(doc) if isinstance(doc, str) else ""


class Shown:
    """Prints as a given text in a signature."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def signature(value):
    """Returns a signature as `(a, b=1) -> Tensor`, None where Python does not know it."""
    try:
        found = inspect.signature(value)
        parameters = [
            one.replace(annotation=annotation(one.annotation), default=default(one.default))
            for one in found.parameters.values()
        ]
        text = str(
            found.replace(parameters=parameters, return_annotation=annotation(found.return_annotation))
        )
    except Exception:
        return None
    # Objects print with their address, which differs from run to run.
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    return None if len(text) > 4000 else text


def annotation(value):
    # Those that were never evaluated are strings, and would be shown in quotes.
    return Shown(value) if isinstance(value, str) else value


def default(value):
    """Replaces functions, classes and members of C enumerations by their names."""
    if value is inspect.Parameter.empty or not repr(value).startswith("<"):
        return value
    name = getattr(value, "__qualname__", None)
    if name is None and isinstance(getattr(value, "name", None), str):
        name = type(value).__name__ + "." + value.name
    return Shown(name) if isinstance(name, str) else value


def origin(value, kind, files):
    """Returns `module`, `file` (relative to the packages' folder) and `line`, as far as they are known."""
    found: dict[str, str | int | None] = {}
    try:
        target = inspect.unwrap(value) if callable(value) else value
        module_name = value.__name__ if kind == "module" else getattr(target, "__module__", None)
        if not isinstance(module_name, str):
            return found
        found["module"] = module_name
        code = getattr(target, "__code__", None)
        path = code.co_filename if code else getattr(sys.modules.get(module_name), "__file__", None)
        top = getattr(sys.modules.get(module_name.split(".")[0]), "__file__", None)
        if not path or not top or not path.endswith(".py"):
            return found
        folder = os.path.dirname(os.path.dirname(os.path.abspath(top)))
        if not os.path.abspath(path).startswith(folder + os.sep):
            return found
        found["file"] = os.path.relpath(path, folder).replace(os.sep, "/")
        if code:
            found["line"] = code.co_firstlineno
        elif kind == "class":
            found["line"] = class_lines(path, files).get(value.__name__)
    except Exception:
        return found
    return found


def class_lines(path, files):
    if path not in files:
        with open(path, encoding="utf-8", errors="replace") as file:
            rows = enumerate(file, 1)
            matched = [(re.match(r"class (\w+)", row), number) for number, row in rows]
            files[path] = {match.group(1): number for match, number in reversed(matched) if match}
    return files[path]


def removal(value):
    """Returns what a stub that does nothing but raise says of its removal."""
    code = getattr(value, "__code__", None)
    if code is None or len(code.co_code) > 400 or (value.__doc__ or "").strip():
        return None
    for constant in code.co_consts:
        if isinstance(constant, str) and REMOVED.search(constant):
            return " ".join(constant.split())
    return None


def plain(value):
    if isinstance(value, TELLING) or type(value).__name__ in ("dtype", "layout", "memory_format"):
        text = repr(value)
        return text if len(text) <= 120 else None
    return None


def type_name(value, names):
    known = names.get(id(type(value)))
    return known[0] if known else type(value).__name__


def registered_schemas():
    """Returns the overloads in torch's registry, as text, by the operator's name without its namespace."""
    found: dict[str, list[str]] = {}
    try:
        schemas = sys.modules["torch"]._C._jit_get_all_schemas()
    except Exception:
        return found
    for schema in schemas:
        namespace, _, name = schema.name.partition("::")
        if namespace == "aten":
            found.setdefault(name, []).append(str(schema).partition("::")[2])
    return {name: sorted(set(overloads)) for name, overloads in found.items()}


def schema_name(symbol):
    """Returns the registered name, such as `linalg_norm` of torch.linalg.norm."""
    parts = symbol.split(".")
    if parts[1:2] and parts[1] in ("linalg", "fft", "special") and len(parts) == 3:
        return f"{parts[1]}_{parts[2]}"
    return parts[-1] if len(parts) == 2 or parts[1:3] == ["nn", "functional"] else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], json.loads(sys.argv[2])["site"]))
