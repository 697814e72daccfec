"""The cross-check of the operator tables against torch's own samples: `op_db`, `module_db` and `sample_calls.CALLS`.

The oracle is eager torch on the CPU.  For every sample: the row's claims hold (unknown allowed, wrong never), a call that
torch accepts has no fault, and the same with sizes replaced by symbols.  `measure()` gives the precision ledger.
"""

from __future__ import annotations

import functools
import inspect
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import torch
from real_facts import SHORT_NAMES, SITE, Comparison, Facts, described, rebuilt, symbols_of, tensors_in
from weakened_arguments import BLURS

from torchlsp import ops
from torchlsp.facts.device import CPU
from torchlsp.facts.fault_kinds import SILENT
from torchlsp.facts.tri import Tri
from torchlsp.ops.call import Context, LayerState
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import LAYERS, TABLE, LayerRow, Row

DTYPES = (torch.float32, torch.int64, torch.bool, torch.float64, torch.bfloat16, torch.complex64)
SAMPLES = 10
"""Samples taken of each op in float32, evenly from the first `POOL`."""
SAMPLES_OF_OTHER_DTYPES = 6
POOL = 60
BLURS_A_CALL = 2
"""Every call is checked with as many of `BLURS`, in turn."""
WRONG_SHOWN = 8

torch.set_num_threads(1)


@dataclass
class Report:
    """What checking one row gave."""

    wrong: list[str] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    errors: int = 0
    caught: int = 0

    def shares(self) -> dict[str, float]:
        """Per column, and for shapes under symbols and error inputs, the share that is answered."""
        found = {
            column: round(self.answered[column] / count, 2) for column, count in sorted(self.asked.items())
        }
        if self.errors:
            found["errors"] = round(self.caught / self.errors, 2)
        return found


@dataclass(frozen=True, eq=False)
class Sample:
    args: tuple
    kwargs: dict

    def described(self) -> str:
        return described(self.args, self.kwargs)


@functools.cache
def op_infos() -> dict[str, list]:
    """torch's OpInfos by name and by name.variant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    found: dict[str, list] = {}
    for info in op_db:
        found.setdefault(info.name, []).append(info)
        if info.variant_test_name:
            found.setdefault(f"{info.name}.{info.variant_test_name}", []).append(info)
    return found


@functools.cache
def module_infos() -> dict[str, list]:
    """torch's ModuleInfos by class name without `torch.`: `nn.Linear`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_modules import module_db
    found: dict[str, list] = {}
    for info in module_db:
        found.setdefault(info.name, []).append(info)
        found.setdefault(info.name.removeprefix("nn."), []).append(info)
        found.setdefault("torch." + info.name, []).append(info)
    return found


def rows() -> dict[str, Row]:
    """The rows that torch's op_db has samples for, by their first name."""
    ops.load()
    return {row.names[0]: row for row in TABLE.rows.values() if row.opinfo is not None}


def layers() -> dict[str, LayerRow]:
    ops.load()
    return {row.names[0]: row for row in LAYERS.rows.values() if row.moduleinfo is not None}


def resolved(name: str) -> Callable | None:
    """What torch calls by this name; an attribute (`Tensor.shape`) as a function of the tensor."""
    place, _, last = name.removeprefix("torch.").rpartition(".")
    holder: Any = torch.Tensor if place == "Tensor" else torch
    if place and place != "Tensor":
        for part in place.split("."):
            holder = getattr(holder, part, None)
    found = inspect.getattr_static(holder, last, None) if place == "Tensor" else getattr(holder, last, None)
    if found is None:
        return None
    if place == "Tensor" and (inspect.isgetsetdescriptor(found) or isinstance(found, property)):
        return lambda tensor: getattr(tensor, last)
    return getattr(holder, last)


# ---- samples ------------------------------------------------------------------------------------------------------------

ADAPTED: dict[str, Callable[[Sample], Sample]] = {
    "where": lambda s: Sample((s.args[1], s.args[0], *s.args[2:]), s.kwargs),
    "nn.functional.embedding": lambda s: Sample((s.args[1], s.args[0], *s.args[2:]), s.kwargs),
    "nn.functional.embedding_bag": lambda s: Sample((s.args[1], s.args[0], *s.args[2:]), s.kwargs),
    "einsum": lambda s: Sample((s.args[1], *s.args[0]), s.kwargs),
}
"""OpInfos whose samples are for a wrapper that takes its arguments in another order."""


def samples_of(info, dtype: torch.dtype, requires_grad: bool) -> Iterator[Sample]:
    torch.default_generator.manual_seed(0)  # torch.manual_seed walks the stack for every kind of device
    random.seed(0)
    try:
        pool = list(islice(info.sample_inputs_func(info, "cpu", dtype, requires_grad), POOL))
    except Exception:
        return
    wanted = SAMPLES if dtype is torch.float32 else SAMPLES_OF_OTHER_DTYPES
    step = max(1, -(-len(pool) // wanted))
    for sample in pool[::step]:
        made = Sample((sample.input, *sample.args), dict(sample.kwargs))
        yield ADAPTED.get(info.name, lambda s: s)(made)


def error_samples_of(info) -> Iterator[Sample]:
    """Calls that torch's authors know to fail."""
    if info.error_inputs_func is None:
        return
    torch.default_generator.manual_seed(0)
    try:
        # `info.error_inputs` would look through the stack and all modules for the test that asks, once for each sample.
        pool = list(islice(info.error_inputs_func(info, "cpu"), POOL))
    except Exception:
        return
    for error in pool:
        sample = error.sample_input
        made = Sample((sample.input, *sample.args), dict(sample.kwargs))
        yield ADAPTED.get(info.name, lambda s: s)(made)


def _turned(tensor: torch.Tensor) -> torch.Tensor:
    """Equal values in the reverse order of dims in memory: dense, not contiguous."""
    if tensor.layout is not torch.strided or tensor.dim() < 2:
        return tensor
    order = list(reversed(range(tensor.dim())))
    with torch.no_grad():
        made = tensor.permute(order).clone(memory_format=torch.contiguous_format).permute(order)
    return made.requires_grad_(tensor.requires_grad)


def _stepped(tensor: torch.Tensor) -> torch.Tensor:
    """Equal values in every other place of a longer last dim: not dense."""
    if tensor.layout is not torch.strided or tensor.dim() < 1:
        return tensor
    with torch.no_grad():
        made = torch.stack([tensor, tensor], -1)[..., 0]
    return made.requires_grad_(tensor.requires_grad)


def arrangements(sample: Sample) -> Iterator[Sample]:
    """The sample as it is, and with its tensors in other memory layouts."""
    yield sample
    largest = max((tensor.dim() for tensor in tensors_in((sample.args, sample.kwargs))), default=0)
    if largest >= 2:
        yield Sample(rebuilt(sample.args, _turned), rebuilt(sample.kwargs, _turned))
        if len(list(tensors_in((sample.args, sample.kwargs)))) > 1 and isinstance(
            sample.args[0], torch.Tensor
        ):
            yield Sample((_turned(sample.args[0]), *sample.args[1:]), sample.kwargs)
    if largest >= 1:
        yield Sample(rebuilt(sample.args, _stepped), rebuilt(sample.kwargs, _stepped))


# ---- one call -----------------------------------------------------------------------------------------------------------


def _copied(sample: Sample) -> Sample:
    """The same call on tensors of its own, no leaves where they require grad: for operators that write in place."""
    seen: dict[int, torch.Tensor] = {}

    def copy(tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) not in seen:
            made = tensor.detach().clone() if tensor.layout is torch.strided else tensor.clone()
            seen[id(tensor)] = made.requires_grad_(True).clone() if tensor.requires_grad else made
        return seen[id(tensor)]

    return Sample(rebuilt(sample.args, copy), rebuilt(sample.kwargs, copy))


def _arguments(facts: Facts, sample: Sample) -> Arguments:
    return Arguments(
        tuple(facts.of(value) for value in sample.args),
        tuple((name, facts.of(value)) for name, value in sample.kwargs.items()),
    )


def _really(function: Callable, sample: Sample, grad_mode: bool, autocast: bool = False) -> tuple[bool, Any]:
    """(accepted, result) of the real call."""
    torch.default_generator.manual_seed(0)
    try:
        cast = torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast)
        with torch.set_grad_enabled(grad_mode), cast, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return True, function(*sample.args, **sample.kwargs)
    except Exception as error:
        return False, error


@functools.lru_cache(maxsize=1)  # several names and modes follow each other with the same sample
def _prepared(sample: Sample) -> list[tuple[Facts, Arguments]]:
    """A sample as arguments with numbers and with symbols as sizes."""
    variants = [Facts(), Facts(symbols_of(list(tensors_in((sample.args, sample.kwargs)))))]
    return [(facts, _arguments(facts, sample)) for facts in variants]


def check_call(
    report: Report,
    name: str,
    claim: Callable,
    function: Callable,
    sample: Sample,
    grad_mode: bool = True,
    writes: bool = False,
    autocast: bool = False,
) -> None:
    """One real call against what `claim(arguments, context)` says of it, with numbers and with symbols as sizes."""
    if writes:
        sample = _copied(sample)
    prepared = _prepared(sample)
    accepted, real = _really(function, sample, grad_mode, autocast)
    if not accepted:
        return
    text = sample.described()
    report.checked[name] += 1
    mode = ("" if grad_mode else "no_grad ") + ("autocast " if autocast else "")
    modes = {"grad_mode": Tri.of(grad_mode), "autocast": Tri.of(autocast)}
    for facts, arguments in prepared:
        context = Context(site=SITE, elements=facts.elements, **modes)
        how = mode + ("symbols: " if facts.symbols else "")
        comparison = _judge(report, f"{name}({text}) {how}", claim, arguments, context, facts, real)
        if autocast:
            continue
        if not facts.symbols:
            report.asked.update(comparison.asked)
            report.answered.update(comparison.answered)
        elif "shape" in comparison.asked:
            report.asked["symbols"] += comparison.asked["shape"]
            report.answered["symbols"] += comparison.answered["shape"]
    if any(tensor.numel() == 0 for tensor in tensors_in((sample.args, sample.kwargs))):
        return  # a size that is not known is taken for a generic one, which 0 is not
    facts, arguments = prepared[0]
    for turn in range(BLURS_A_CALL):
        blur = BLURS[(report.checked[name] * BLURS_A_CALL + turn) % len(BLURS)]
        less, context = blur.of(arguments, Context(site=SITE, elements=facts.elements, **modes))
        _judge(report, f"{name}({text}) {mode}without {blur.name}: ", claim, less, context, facts, real)


def _judge(
    report: Report,
    what: str,
    claim: Callable,
    arguments: Arguments,
    context: Context,
    facts: Facts,
    real: Any,
) -> Comparison:
    """Compares one claim with the real result; `what` begins the message."""
    comparison = Comparison(facts)
    claimed, faults = claim(arguments, context)
    faults = [fault for fault in faults if fault.kind not in SILENT]
    if any(fault.assumptions for fault in faults):
        return comparison
    if faults:
        kind, data = faults[0].kind.name, dict(faults[0].data)
        report.wrong.append(f"{what}faults with {kind} {data}, torch accepts it")
        return comparison
    comparison.compare(claimed, real)
    report.wrong.extend(what + wrong for wrong in comparison.wrong)
    return comparison


# ---- operators ----------------------------------------------------------------------------------------------------------


def check_row(row: Row) -> Report:
    """Every sample of the row's OpInfos, by every name of the row that torch has."""
    report = Report()
    infos = op_infos().get(row.opinfo, [])
    if not infos:
        report.wrong.append(f"torch's op_db has no {row.opinfo}")
    functions = {name: function for name in row.names if (function := resolved(name)) is not None}
    for info in infos:
        for dtype in DTYPES:
            if dtype not in info.supported_dtypes("cpu"):
                continue
            for requires_grad in (False, True):
                if requires_grad and (
                    dtype not in (torch.float32, torch.complex64) or not info.supports_autograd
                ):
                    continue
                for sample in samples_of(info, dtype, requires_grad):
                    _check_sample(report, row, functions, sample, dtype, requires_grad)
        _count_caught_errors(report, row, functions, info)
    return report


def _check_sample(
    report: Report, row: Row, functions: dict, sample: Sample, dtype, requires_grad: bool
) -> None:
    turned = arrangements(sample) if dtype is torch.float32 else [sample]
    for arranged in turned:
        for i, (name, function) in enumerate(functions.items()):
            if i > 1 and (arranged is not sample or dtype is not torch.float32):
                continue  # further names are the same row: the plain samples suffice
            if name.startswith("Tensor.") and not isinstance(arranged.args[0], torch.Tensor):
                continue
            claim = functools.partial(row.apply, name)
            writes = row.mutates is not None or arranged.kwargs.get("inplace", False) is True
            check_call(report, name, claim, function, arranged, writes=writes)
            if arranged is sample and i == 0 and dtype in (torch.float32, torch.bfloat16):
                check_call(report, name, claim, function, arranged, writes=writes, autocast=True)
            if requires_grad and arranged is sample and i < 2:
                check_call(report, name, claim, function, arranged, grad_mode=False, writes=writes)


def _count_caught_errors(report: Report, row: Row, functions: dict, info) -> None:
    if row.mutates is not None:
        return
    for sample in error_samples_of(info):
        for name, function in functions.items():
            if name.startswith("Tensor.") and not isinstance(sample.args[0], torch.Tensor):
                continue
            facts = Facts()
            arguments = _arguments(facts, sample)
            accepted, error = _really(function, sample, True)
            if not accepted and not isinstance(error, NotImplementedError):
                _, faults = row.apply(name, arguments, Context(site=SITE, elements=facts.elements))
                report.errors += 1
                report.caught += bool(faults)
                break


# ---- layers -------------------------------------------------------------------------------------------------------------


def check_layer(row: LayerRow) -> Report:
    """Every sample of the layer's ModuleInfos: its parameters' shapes and its forward."""
    report = Report()
    infos = module_infos().get(row.moduleinfo, [])
    if not infos:
        report.wrong.append(f"torch's module_db has no {row.moduleinfo}")
    for info in infos:
        for dtype in (torch.float32, torch.float64):
            for requires_grad, training in ((False, False), (True, True), (True, False)):
                for given in _module_inputs(info, dtype, requires_grad, training):
                    _check_layer_sample(report, row, info.module_cls, given, dtype, training)
    return report


def _module_inputs(info, dtype: torch.dtype, requires_grad: bool, training: bool) -> list:
    """ModuleInputs with a forward call, evenly from the first `POOL`."""
    if dtype not in info.dtypes:
        return []
    torch.default_generator.manual_seed(0)
    try:
        made = info.module_inputs_func(
            info, device="cpu", dtype=dtype, requires_grad=requires_grad, training=training
        )
        pool = [given for given in islice(made, POOL) if given.forward_input is not None]
    except Exception:
        return []
    wanted = SAMPLES if dtype is torch.float32 else SAMPLES_OF_OTHER_DTYPES
    return pool[:: max(1, -(-len(pool) // wanted))]


def _check_layer_sample(report: Report, row: LayerRow, cls, given, dtype, training: bool) -> None:
    facts = Facts()
    constructor = Sample(tuple(given.constructor_input.args), dict(given.constructor_input.kwargs))
    config = row.configure(_arguments(facts, constructor))
    name = row.names[0]
    if config is None:
        report.wrong.append(
            f"{name}({constructor.described()}): the constructor's arguments do not fit the signature"
        )
        return
    try:
        module = cls(*constructor.args, **constructor.kwargs).to(dtype).train(training)
    except Exception:
        return
    state = LayerState(config, CPU, SHORT_NAMES[dtype], Tri.of(training), Tri.YES)
    if row.parameters is not None:
        real = {
            key: tuple(value.shape) for key, value in (*module.named_parameters(), *module.named_buffers())
        }
        claimed = row.parameters(state)
        for key, shape in claimed.items():
            if shape is not None and real.get(key) != shape and all(isinstance(size, int) for size in shape):
                report.wrong.append(
                    f"{name}({constructor.described()}).{key}: claims {shape}, torch gives {real.get(key)}"
                )
    if row.owns_parameters is False and next(module.parameters(), None) is not None:
        report.wrong.append(f"{name} owns parameters")
    forward = Sample(tuple(given.forward_input.args), dict(given.forward_input.kwargs))

    def claim(arguments: Arguments, context: Context):
        return row.call(name, arguments, context, state)

    for arranged in arrangements(forward) if dtype is torch.float32 else [forward]:
        before = len(report.wrong)
        writes = getattr(module, "inplace", False) is True
        check_call(report, name, claim, module, arranged, writes=writes)
        if arranged is forward:
            check_call(report, name, claim, module, arranged, grad_mode=False, writes=writes)
            check_call(report, name, claim, module, arranged, writes=writes, autocast=True)
        for i in range(before, len(report.wrong)):
            report.wrong[i] = (
                f"({constructor.described()}) {'train' if training else 'eval'} " + report.wrong[i]
            )


# ---- calls of our own ---------------------------------------------------------------------------------------------------


def check_own_calls(name: str) -> Report:
    """The calls of `sample_calls.CALLS` for one name."""
    from sample_calls import CALLS

    report = Report()
    row = ops.operator(name)
    function = resolved(name)
    if row is None or function is None:
        report.wrong.append(f"no row for {name}" if row is None else f"torch has no {name}")
        return report
    for make in CALLS[name]:
        torch.default_generator.manual_seed(0)
        args, kwargs = make()
        writes = row.mutates is not None
        check_call(
            report, name, functools.partial(row.apply, name), function, Sample(args, kwargs), writes=writes
        )
        if not report.checked[name]:
            report.wrong.append(f"torch refuses {name}({described(args, kwargs)})")
    return report


def measure() -> dict[str, dict[str, dict[str, float]]]:
    """The precision ledger: of operators, layers and own calls, by column the share answered other than unknown."""
    from sample_calls import CALLS

    return {
        "operators": {name: check_row(row).shares() for name, row in sorted(rows().items())},
        "layers": {name: check_layer(row).shares() for name, row in sorted(layers().items())},
        "calls": {name: check_own_calls(name).shares() for name in sorted(CALLS)},
    }
