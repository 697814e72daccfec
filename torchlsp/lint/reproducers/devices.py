"""Reproduces faults of conversions, devices and memory that two names share."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.core.records import replace
from torchlsp.facts.device import CUDA
from torchlsp.facts.dtype import TORCH_NAMES
from torchlsp.facts.fault import Fault, FaultKind, Listed
from torchlsp.facts.layout import ROW_MAJOR
from torchlsp.facts.tensor import NO_GRAD, TensorFact
from torchlsp.facts.values import TupleValue, Value, as_dim
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer
from torchlsp.lint.reproducers.program_text import around_row, expecting_warning
from torchlsp.lint.reproducers.single_call import reproduce_fault, with_assertion
from torchlsp.lint.reproducers.single_call.call_program import CallProgram
from torchlsp.lint.reproducers.single_call.expected_errors import DEVICES_DIFFER


def _conversion_discarded(fault: Fault) -> ProbeRequest:
    """Reproduces a conversion whose result is discarded: the tensor itself was to be converted.

    Where too little is known of it, another tensor is converted in the same way: the result is lost whatever it is.
    """
    meant = "x.dtype == result.dtype and x.device == result.device"
    method = fault["method"]
    try:
        if fault.called is not None and any(as_dim(value) is not None for value in fault.called.args[1:]):
            raise NotReproducible("where to: a number stands for it")
        return with_assertion(fault, meant)
    except NotReproducible:
        pass
    dtype = "int64" if method in ("float", "half", "bfloat16", "double", "cfloat", "cdouble") else "float32"
    given = {"to": "torch.float64", "type": "torch.float64", "type_as": "torch.ones(2, dtype=torch.float64)"}
    device = ', device="cuda"' if method == "cpu" else ""
    rows = [
        "import torch",
        "",
        f"x = torch.ones(2, dtype=torch.{dtype}{device})",
        f"result = x.{method}({given.get(method, '')})",
        f"assert {meant}",
    ]
    kind = "logical-device" if method in ("cpu", "cuda") else "eager-cpu"
    return ProbeRequest("\n".join(rows) + "\n", ProofFails(), kind, (4, 4), guesses=True)


def _negative_strides(fault: Fault) -> ProbeRequest:
    """Reproduces the conversion of a reversed array, whatever its shape is."""
    dtype = fault["input"].dtype or "f32"
    if dtype not in TORCH_NAMES:
        raise NotReproducible("the dtype")
    rows = [
        "import torch",
        "",
        f"x = torch.zeros((3,), dtype=torch.{TORCH_NAMES[dtype]}).numpy()[::-1]",
        "torch.from_numpy(x)",
    ]
    expect = Raises("strides? in the given numpy array is negative|negative strides", "ValueError")
    return ProbeRequest("\n".join(rows) + "\n", expect, flag=(4, 4), guesses=True)


def _device_compared(fault: Fault) -> ProbeRequest:
    """Reproduces a comparison with the device of a tensor on the GPU, beside the one that was meant."""
    other = repr(fault["text"] or "cuda").replace("{", "")
    if fault["other"] == "index":
        other = 'torch.device("cuda")'
    rows = [
        "import torch",
        "",
        'x = torch.zeros((2,), device="cuda")',
        f"answer = x.device == {other}",
        'assert answer == (x.device.type == "cuda")',
    ]
    if fault["text"] not in (None, "cuda"):
        rows[-1] = f"assert answer == (x.device.type == {other})"
        if fault["text"] == "cpu":
            rows[2] = "x = torch.zeros((2,))"
    assumes = tuple(sorted(fault.assumptions))
    return ProbeRequest("\n".join(rows) + "\n", ProofFails(), "logical-device", (4, 4), assumes=assumes)


def _default_device(fault: Fault) -> ProbeRequest:
    """Reproduces the operation where the module, and with it everything of unknown device, is on a GPU."""
    if fault.called is None:
        raise NotReproducible("the call")

    def moved(value: Value | Listed) -> Value | Listed:
        if isinstance(value, TensorFact):
            return value.but(device=CUDA) if value.device is None else value
        if isinstance(value, Listed | TupleValue) and value.items:
            return replace(value, items=tuple(moved(item) for item in value.items))  # type: ignore[misc]  # a Listed stands for a list
        return value

    called = replace(
        fault.called,
        args=tuple(moved(value) for value in fault.called.args),
        keywords=tuple((name, moved(value)) for name, value in fault.called.keywords),
    )
    if called.layer is not None:
        name, config, state = called.layer
        now = tuple((key, value or CUDA) if key == "device" else (key, value) for key, value in state)
        called = replace(called, layer=(name, config, now))
    return replace(reproduce_fault(replace(fault, called=called), called), expect=DEVICES_DIFFER)


def _numpy_function(fault: Fault) -> ProbeRequest:
    """Reproduces NumPy's call on the tensor: the method of the same name with NumPy's arguments, or the
    array's own operator."""
    dtype = fault["input"].dtype or "f32"
    if dtype not in TORCH_NAMES:
        raise NotReproducible("the dtype")
    rows = ["import torch", "", f"x = torch.ones((2, 2), dtype=torch.{TORCH_NAMES[dtype]})"]
    if fault["kind"] == "operator":
        rows.append(f"torch.ones((2, 2)).numpy() {fault['function']} x")
    else:
        name = fault["function"].rpartition(".")[2].replace("amax", "max").replace("amin", "min")
        more = {"mean": ", dtype=None", "std": ", dtype=None, ddof=0", "var": ", dtype=None, ddof=0"}.get(
            name, ""
        )
        rows.append(f"x.{name}(axis=None, out=None{more})")
    expect = Raises(
        "unexpected keyword|invalid combination|must be int|unsupported operand|Concatenation", "TypeError"
    )
    assumes = tuple(sorted(fault.assumptions))
    return ProbeRequest("\n".join(rows) + "\n", expect, flag=(4, 4), assumes=assumes, guesses=True)


def _plain_attribute(fault: Fault) -> ProbeRequest:
    """Reproduces a module with the attribute, moved to a GPU."""
    program = CallProgram(any_shape=True)
    made = program.tensor(fault["input"].but(device=None, grad=NO_GRAD, layout=ROW_MAJOR))
    if program.size_names:
        made = "torch.zeros((3,))"
    rows = [
        "import torch",
        "",
        "class Module(torch.nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
        f"        self.held = {made}",
        "",
        'module = Module().to("cuda")',
        'assert module.held.device.type == "cuda"',
    ]
    return ProbeRequest("\n".join(rows) + "\n", ProofFails(), "logical-device", (6, 6), guesses=True)


def _twin_written(fault: Fault) -> ProbeRequest:
    dtype = fault["input"].dtype
    kept = f", dtype=torch.{TORCH_NAMES[dtype]}" if dtype not in (None, "f32", "bool") else ""
    tensor = f"torch.ones(3{kept})"
    if fault["array"]:
        lines = [f"array = {tensor}.numpy()", "t = torch.from_numpy(array)", "before = t.tolist()"]
        flagged, twin = "array += 1", "t"
    else:
        lines = [f"t = {tensor}", "array = t.numpy()", "before = array.tolist()"]
        flagged, twin = "t += 1", "array"
    proof = f'assert {twin}.tolist() == before, "the other one is changed as well"'
    return around_row(lines, flagged, proof, fault, False)


def _callers_tensor(fault: Fault) -> ProbeRequest:
    lines = ["def change(t):", "    t += 1", "    return t", "", "", "given = torch.zeros(3)"]
    proof = 'assert not given.any(), "the tensor of the caller is changed"'
    return around_row(lines, "result = change(given)", proof, fault, False)


def _shared_items(fault: Fault) -> ProbeRequest:
    """Reproduces a list of the same kind; its items are one object, whatever it is."""
    if fault["what"] == "module":
        rows = ["layers = [torch.nn.Linear(2, 2)] * 2", "assert layers[0].weight is not layers[1].weight"]
    else:
        rows = ["states = [torch.zeros(2)] * 2", "states[0] += 1", "assert states[1].sum() == 0"]
    return ProbeRequest("\n".join(["import torch", "", *rows]) + "\n", ProofFails(), flag=(3, 3))


def _list_of_arrays(fault: Fault) -> ProbeRequest:
    """Reproduces a list of two arrays."""
    return expecting_warning(
        f"{fault['name']}([torch.ones(2).numpy(), torch.ones(2).numpy()])", "list of numpy"
    )


OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.SHARED_ITEMS: _shared_items,
    FaultKind.CONVERSION_DISCARDED: _conversion_discarded,
    FaultKind.DEFAULT_DEVICE: _default_device,
    FaultKind.DEVICE_COMPARED: _device_compared,
    FaultKind.NEGATIVE_STRIDES: _negative_strides,
    FaultKind.NUMPY_FUNCTION: _numpy_function,
    FaultKind.PLAIN_ATTRIBUTE: _plain_attribute,
    FaultKind.LIST_OF_ARRAYS: _list_of_arrays,
    FaultKind.TWIN_WRITTEN: _twin_written,
    FaultKind.CALLERS_TENSOR: _callers_tensor,
}
