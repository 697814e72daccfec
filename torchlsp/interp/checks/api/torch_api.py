"""Detects names and arguments that torch does not have, no longer has, or warns of.

Nothing is looked up where no rule asks for it: `it.api` is None then. Names that a program uses only under a test of torch's
version or in an `except`, and names that it puts into torch itself, are not reported.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cache
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.signatures import parameters
from torchlsp.facts.tensor import MAX_ORIGINS, OF_ANY_CLASS, ONLY_SHAPED, TensorFact
from torchlsp.facts.torch_names import MODULES, TorchNames
from torchlsp.facts.torch_notices import (
    AMP,
    DEPRECATED,
    DISCOURAGED,
    LOSS_FLAGS,
    REMOVED,
    STORAGE,
    TORCHSCRIPT,
    UNSAID,
    Notice,
)
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.model import version_tests
from torchlsp.interp.model.call_records import with_call
from torchlsp.interp.store.lifetimes import per_root, running_state
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

OWNERS = frozenset({v.External, TensorFact})
"""Classes of values whose attributes are looked up."""
_DEVICES = frozenset(
    "npu hpu mlu musa gcu sdaa dipu supa maia privateuseone rbln xla tpu vpu ipex dml spyre neuron openreg".split()
)
"""What other packages add to torch for their devices."""
_BACKENDS = frozenset(
    "torch_npu torch_mlu torch_musa torch_xla habana_frameworks intel_extension_for_pytorch torch_directml".split()
)
"""Packages for other devices, which add names to torch's modules and methods to tensors."""
_PATCHERS = _BACKENDS | {"fastai", "fastcore"}
"""Packages that add methods to tensors."""
_ARRAY_METHODS = frozenset(
    """astype copy tobytes tofile nonzero put ravel repeat searchsorted compress partition argpartition ptp itemset dump dumps
    getfield newbyteorder setflags choose trace""".split()
)
REPLACED = {
    "torch.from_array": "torch.from_numpy", "torch.array": "torch.tensor", "torch.asarray_": "torch.asarray",
    "torch.functional.one_hot": "torch.nn.functional.one_hot",
    "torch.nn.parallel.DataDistributedParallel": "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.DataDistributedParallel": "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.DistributedDataParallel": "torch.nn.parallel.DistributedDataParallel",
    "torch.Tensor.astype": "torch.Tensor.to", "torch.Tensor.copy": "torch.Tensor.clone",
}  # fmt: skip
"""The names that are meant by frequent wrong ones, from other libraries or by a typo."""
KEYWORDS = {
    "k": "diagonal",
    "n": "diagonal",
    "shape": "size",
    "num_worker": "num_workers",
    "learning_rate": "lr",
}
_MAX_PARTS = 4
_PLACES = (
    "torch.nn.functional",
    "torch",
    "torch.nn",
    "torch.utils.data",
    "torch.linalg",
    "torch.optim",
    "torch.nn.init",
)


ANY_NAME = "*"


@running_state
class PatchedNames:
    """Names that the program itself puts into torch, alone and with what they are put into; `ANY_NAME` where it computes one."""

    names: set[str] = per_root(set)

    def has(self, name: str) -> bool:
        """Returns whether the program may have put this name into torch."""
        return name in self.names or ANY_NAME in self.names


_Data = tuple[tuple[str, object], ...]


def check_attribute(it: Evaluator, owner: Value, node: ir.Attribute, call: ir.Call | None = None) -> None:
    """Reports `owner.name` where torch has no such name; `call` is the call of it, if it is called."""
    api, name = it.api, node.name
    if api is None:
        return
    if type(owner) is TensorFact:
        if call is not None and api.has("torch.Tensor", name) is Tri.NO and _is_plain(it, owner, name):
            _missing(it, api, "torch.Tensor", name, node, call)
        elif call is None and api.has("torch.Tensor", name) is Tri.NO and _is_plain(it, owner, name):
            if api.first_without("torch.Tensor", name) is not None or name in _ARRAY_METHODS:
                _missing(it, api, "torch.Tensor", name, node, None)
    elif type(owner) is v.External:
        base = owner.name
        if base.startswith("torch") and _lacks(it, api, base, name):
            _missing(it, api, base, name, node, call)


def check_import(it: Evaluator, node: ir.Import) -> None:
    """Reports names that `import torch.name` or `from torch import name` asks for and torch does not have."""
    api = it.api
    if api is None:
        return
    reported: set[str] = set()
    for (_, module, attribute_name), (start, end, written) in zip(node.names, node.places):
        if module.partition(".")[0] != "torch" or it.imported_module(module) is not None:
            continue
        place = ir.Attribute(start, end, node, written)
        missing = _missing_module(api, written if attribute_name is None else module)
        if missing is not None:
            if missing not in reported:
                _missing(it, api, MODULES, missing, place, None, node)
            reported.add(missing)
        elif attribute_name is not None and attribute_name != "*" and _lacks(it, api, module, attribute_name):
            if api.has(MODULES, f"{module}.{attribute_name}") is not Tri.YES:
                _missing(it, api, module, attribute_name, place, None, node)

    _amp_import(it, node)


def _amp_import(it: Evaluator, node: ir.Import) -> None:
    """Reports an import all of whose names are `torch.cuda.amp`, `torch.cpu.amp` or something in them."""
    bound: list[str] = []
    instead = ""
    for (name, module, attribute_name), (_, _, written) in zip(node.names, node.places):
        if attribute_name is None:
            parent = written.rpartition(".")[0]
            is_amp = written in ("torch.cuda.amp", "torch.cpu.amp") and name != "torch"
            instead = "torch.amp"
        else:
            full, parent = f"{module}.{attribute_name}", module
            is_amp = full in AMP or full in ("torch.cuda.amp", "torch.cpu.amp")
            instead = "torch.amp" if full in AMP else "torch"
        if not is_amp or not parent.startswith("torch."):
            return
        bound.append(name)
    if bound:
        _report(it, FaultKind.AMP_IMPORT, node, "import", (("bound", tuple(bound)), ("instead", instead)))


def check_decorators(it: Evaluator, function: ir.Function) -> None:
    """Reports decorators of a function that torch warns of or no longer has."""
    from torchlsp.interp.model.decorator_names import dotted

    for decorator in function.decorators:
        name = dotted(it, decorator, None)
        notice = _notice(name) if name.startswith(("torch.", "functorch.")) else None
        if notice is not None:
            check_call(it, name, Arguments(), decorator)


def _is_of_torch(it: Evaluator, name: str, arguments: Arguments) -> bool:
    """Returns whether a method is one of torch's own tensors; other classes may have a `solve`, too."""
    owner = arguments.positional[0] if arguments.positional else None
    if not name.startswith("torch.Tensor.") or type(owner) is not TensorFact:
        return True
    return _is_plain(it, owner, name.rpartition(".")[2])


def _missing_module(api: TorchNames, dotted: str) -> str | None:
    """Returns the first module of a dotted name that torch does not have."""
    parts = dotted.split(".")
    for depth in range(2, min(len(parts), _MAX_PARTS) + 1):
        name = ".".join(parts[:depth])
        if api.has(MODULES, name) is not Tri.NO:
            continue
        is_private = any(part.startswith("_") for part in parts[:depth])
        if is_private and api.first_without(MODULES, name) is None or parts[1] in _DEVICES:
            return None
        return name
    return None


def check_call(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a call of something in torch that is deprecated or removed, or has wrong arguments."""
    api = it.api
    if api is None:
        return
    notice = _notice(name)
    if notice is not None:
        kind, found = notice
        if (
            not api.is_before(*found.since)
            and not is_version_tested(it)
            and (kind is not FaultKind.REMOVED_NAME or _is_of_torch(it, name, arguments))
        ):
            data: _Data = (
                ("name", name),
                ("since", found.since),
                ("instead", found.instead),
                ("change", found.change),
            )
            _report(it, kind, node, name, data, arguments)
    elif name == "torch.load":
        _load(it, api, arguments, node)
    elif name in UNSAID:
        _unsaid(it, api, name, arguments, node)
    elif name in _TENSOR_CONSTRUCTORS:
        _of_tensor(it, name, arguments, node)
    if arguments.keywords and name.startswith("torch."):
        _keywords(it, api, name, arguments, node)


def is_version_tested(it: Evaluator) -> bool:
    """Returns whether the running code is under a test of torch's version, or is chosen by one."""
    return any(
        frame.guards
        or version_tests.is_release_asserted(frame.module.ir)
        or frame.function is not None
        and version_tests.is_chosen_by_test(frame.module.ir, frame.function)
        for frame in it.frames
    )


@cache
def _notice(name: str) -> tuple[FaultKind, Notice] | None:
    """Returns torch's notice that a name is deprecated or removed, with the kind of fault that its use is."""
    for kind, notices in (
        (FaultKind.DEPRECATED_NAME, DEPRECATED), (FaultKind.DISCOURAGED_NAME, DISCOURAGED),
        (FaultKind.DEPRECATED_AMP, AMP), (FaultKind.REMOVED_NAME, REMOVED),
        (FaultKind.TYPED_STORAGE, STORAGE), (FaultKind.TORCHSCRIPT, TORCHSCRIPT),
    ):  # fmt: skip
        if name in notices:
            return kind, notices[name]
    return None


def _unsaid(it: Evaluator, api: TorchNames, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a call without an argument whose default torch warns about."""
    argument, index, value, since = UNSAID[name]
    given = dict(arguments.keywords).get(argument)
    if index is not None and len(arguments.positional) > index:
        given = arguments.positional[index]
    if (
        given not in (None, v.NONE)
        or arguments.open_keywords
        or api.is_before(*since)
        or is_version_tested(it)
    ):
        return
    if index is not None and arguments.open_positional:
        return
    data = (("name", name), ("argument", argument), ("value", value))
    _report(it, FaultKind.UNSAID_ARGUMENT, node, name, data, arguments)


_TENSOR_CONSTRUCTORS = frozenset({"torch.autograd.Variable", "torch.tensor", "torch.Tensor.new_tensor"})


def _of_tensor(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a constructor call that creates a tensor from a tensor, and `Variable`."""
    if arguments.is_open or is_version_tested(it):
        return
    method = name == "torch.Tensor.new_tensor"
    given = arguments.positional[1 if method else 0 :]
    tensor = given[0] if given else dict(arguments.keywords).get("data")
    if name == "torch.autograd.Variable":
        data: _Data = (
            ("input", tensor if type(tensor) is TensorFact else None),
            ("keywords", tuple(key for key, _ in arguments.keywords)),
        )
        _report(it, FaultKind.VARIABLE, node, name, data, arguments)
    elif type(tensor) is TensorFact and "tensor" not in tensor.assumed:
        alone = len(given) == 1 and not arguments.keywords
        data = (("input", tensor), ("alone", alone), ("method", method))
        _report(it, FaultKind.TENSOR_OF_TENSOR, node, name, data, arguments)


def report_legacy_scheduler(it: Evaluator, classinfo: Value, node: ir.Node) -> None:
    """Reports `isinstance(x, _LRScheduler)`, alone or among other classes than `LRScheduler`."""
    classes = it.elements(classinfo) or (classinfo,)
    names = {cls.name for cls in classes if type(cls) is v.External}
    scheduler = "torch.optim.lr_scheduler."
    if f"{scheduler}_LRScheduler" in names and f"{scheduler}LRScheduler" not in names:
        if it.api is not None and not it.api.is_before(2, 0) and not is_version_tested(it):
            _report(it, FaultKind.LEGACY_SCHEDULER, node, "isinstance", ())


def _load(it: Evaluator, api: TorchNames, arguments: Arguments, node: ir.Node) -> None:
    """Reports `torch.load` without `weights_only` for a torch before 2.6.

    It unpickles whatever is in the file. From 2.4 on torch warns that this will change.
    """
    given = {key for key, _ in arguments.keywords}
    if arguments.open_keywords or "weights_only" in given or is_version_tested(it):
        return
    if api.is_before(2, 6) and not api.is_before(1, 13):
        data = (
            ("name", "torch.load"),
            ("since", (2, 4)),
            ("instead", "weights_only=True"),
            ("change", "load"),
        )
        _report(it, FaultKind.DEPRECATED_NAME, node, "torch.load", data, arguments)


def _keywords(it: Evaluator, api: TorchNames, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports keyword arguments that a function of torch warns of, does not take, or no longer takes."""
    if name == "torch.utils.data.DataLoader":
        return  # its arguments are checked together, in the family `data`
    receiver = arguments.positional[0] if name.startswith("torch.Tensor.") and arguments.positional else None
    if type(receiver) is TensorFact and _is_given(receiver):
        return  # an object whose method takes an argument that tensors do not take is not a tensor
    for keyword, _ in arguments.keywords:
        data: _Data
        if keyword in LOSS_FLAGS and name.endswith("Loss") and api.takes(name, keyword) is Tri.YES:
            if dict(arguments.keywords)[keyword] != v.NONE and not is_version_tested(it):
                data = (("function", name), ("keyword", keyword))
                _report(it, FaultKind.DEPRECATED_KEYWORD, node, name, data, arguments)
        if api.takes(name, keyword) is not Tri.NO or is_version_tested(it) or keyword.startswith("_"):
            continue
        since = api.first_without(f"{name}()", keyword)
        if since is not None:
            data = (("function", name), ("keyword", keyword), ("since", since))
            _report(it, FaultKind.REMOVED_KEYWORD, node, name, data, arguments)
            continue
        is_open = api.version is None or api.may_be_newer
        if is_open and api.first_with(f"{name}()", keyword) is not None:
            continue
        instead = _likely_keyword(api, name, keyword, _named(name, arguments))
        data = (
            ("function", name), ("keyword", keyword), ("instead", instead),
            ("is_same", KEYWORDS.get(keyword) == instead), ("later", api.first_with(f"{name}()", keyword)),
        )  # fmt: skip
        _report(it, FaultKind.WRONG_KEYWORD, node, name, data, arguments)


def _is_given(tensor: TensorFact) -> bool:
    """Returns whether a tensor is a parameter, or what methods and operators of one return: all of them may be of any class."""
    for _ in range(MAX_ORIGINS):
        origin = tensor.origin
        if origin is None or origin.op == "parameter":
            return True
        if not origin.op.startswith("Tensor.") or not origin.parents:
            return False
        tensor = origin.parents[0]
    return True


def _named(name: str, arguments: Arguments) -> set[str]:
    """Returns the parameters of a function of torch that a call gives by name or, where their order is known, by place."""
    known = parameters(name)
    by_place = known.ordered[: len(arguments.positional)] if known is not None else ()
    return {*by_place, *(keyword for keyword, _ in arguments.keywords)}


def _likely_keyword(api: TorchNames, name: str, keyword: str, given: Set[str]) -> str | None:
    """Returns the parameter that is likely to be meant, of those that the call does not name."""
    taken = [parameter for parameter in api.parameters(name) if parameter not in given]
    meant = KEYWORDS.get(keyword)
    return meant if meant in taken else likely_name(keyword, taken)


def likely_name(name: str, names: Sequence[str]) -> str | None:
    """Returns the name that is meant by one that there is not, if one is much like it."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, names, 1, 0.74)), None)


_OF_DISTRIBUTED_TENSORS = frozenset(
    {"to_local", "full_tensor", "redistribute", "from_local", "device_mesh", "placements"}
)
"""What `torch.distributed.tensor.DTensor` adds to Tensor: whoever asks for it has one, whatever made it."""


def _is_plain(it: Evaluator, tensor: TensorFact, name: str) -> bool:
    """Returns whether a tensor is of torch's own class, and nothing adds the attribute to that.

    One that was passed in may be of any class.
    """
    pending, seen = [tensor], 0
    while pending:
        fact, seen = pending.pop(), seen + 1
        if (
            seen > MAX_ORIGINS
            or fact.origin is None
            or fact.origin.op == "parameter"
            or fact.provenance == OF_ANY_CLASS
            or fact.assumed & {"tensor", ONLY_SHAPED}
            or fact.provenance == "parameter"
        ):
            return False
        pending.extend(fact.origin.parents)
    if (
        name in _OF_DISTRIBUTED_TENSORS
        or name in _DEVICES  # `x.npu()`, as a package of such a device adds it, perhaps in another file
        or it.states[PatchedNames].has(name)
        or name in it.main.ir.changed_attributes
        or name.startswith("_")
    ):
        return False
    return not _imports(it, _PATCHERS)


def _imports(it: Evaluator, packages: Set[str]) -> bool:
    """Returns whether the file, or one with a running function, imports one of the packages, perhaps in a function or in a `try`."""
    files = {id(one): one for one in (it.main.ir, *(frame.module.ir for frame in it.frames))}
    return any(not packages.isdisjoint(_imported_packages(one)) for one in files.values())


def _imported_packages(module: ir.Module) -> frozenset[str]:
    found: frozenset[str] | None = module.memo_of_definitions.get("imported packages")
    if found is None:
        found = module.memo_of_definitions["imported packages"] = frozenset(
            name.partition(".")[0]
            for node in module_nodes(module)
            if type(node) is ir.Import
            for _, name, _ in node.names
        )
    return found


def _lacks(it: Evaluator, api: TorchNames, base: str, name: str) -> bool:
    """Returns whether torch certainly lacks a public name in a namespace, and nothing has put it there."""
    if api.has(base, name) is not Tri.NO or name.startswith("_") or it.states[PatchedNames].has(name):
        return False
    if any(name in info.ir.replaced_attributes for info in it.by_path.values()):
        return False  # of which not all was run
    return name not in _DEVICES and not _imports(it, _BACKENDS)


def _missing(
    it: Evaluator,
    api: TorchNames,
    base: str,
    name: str,
    place: ir.Node,
    call: ir.Call | None,
    statement: ir.Import | None = None,
) -> None:
    """Reports a name that torch no longer has or does not have, with the name that is likely to be meant."""
    if is_version_tested(it):
        return
    full = name if base == MODULES else f"{base}.{name}"
    parent, _, last = full.rpartition(".")
    is_function = base == MODULES and api.has(parent, last) is Tri.YES
    since = api.first_without(base, name)
    where: _Data = (
        ("name", full), ("namespace", base),
        ("statement", None if statement is None else (statement.start, statement.end)),
    )  # fmt: skip
    if since is not None and not is_function:
        data: _Data = (*where, ("since", since), ("instead", REPLACED.get(full, "")), ("change", ""))
        _report(it, FaultKind.REMOVED_NAME, place, full, data)
        return
    if api.may_be_newer and api.first_with(base, name) is not None:
        return
    instead = None if is_function else _instead(api, base, name)
    is_same = instead is not None and (instead == REPLACED.get(full) or instead.rpartition(".")[2] == last)
    data = (
        *where, ("instead", instead), ("is_guess", not is_same),
        ("later", api.first_with(base, name)), ("release", api.release),
        ("is_function", is_function), ("call", None if call is None else (call.start, call.end)),
    )  # fmt: skip
    _report(it, FaultKind.NO_SUCH_NAME, place, full, data)


def _instead(api: TorchNames, base: str, name: str) -> str | None:
    """Returns the full name that is likely to be meant; `torch.Tensor.view` where there is only a method."""
    if base == MODULES:
        parent, _, last = name.rpartition(".")
        beside = [one.rpartition(".")[2] for one in api.names(base) if one.rpartition(".")[0] == parent]
        return None if name in REPLACED else _in(parent, likely_name(last, beside))
    known = REPLACED.get(f"{base}.{name}")
    if known is not None or base == "torch.Tensor":
        return known or _in(base, likely_name(name, api.names(base)))
    for place in _PLACES:
        if (
            place != base
            and api.has(place, name) is Tri.YES
            and api.has(place, name.lower()) is not Tri.UNKNOWN
        ):
            return f"{place}.{name}"
    if api.has("torch.Tensor", name) is Tri.YES and base == "torch":
        return f"torch.Tensor.{name}"
    return _in(base, likely_name(name, api.names(base)))


def _in(base: str, name: str | None) -> str | None:
    return None if name is None else f"{base}.{name}"


def _report(
    it: Evaluator,
    kind: FaultKind,
    node: ir.Node,
    name: str,
    data: _Data,
    arguments: Arguments | None = None,
) -> None:
    fault = Fault(kind, node.start, node.end, name, data, path=it.frame.module.path)
    it.report(
        [fault]
        if arguments is None
        else with_call(it, [fault], name.removeprefix("torch.") if ".Tensor." in name else name, arguments)
    )
