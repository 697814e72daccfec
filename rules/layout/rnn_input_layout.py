"""TL125: the batch of a recurrent layer is in the wrong dim, or its states do not fit the input."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, is_always_wrong, rule, shown

_RECURRENT = ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")


@rule(
    "TL125",
    severity="warning",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def rnn_input_layout(check: Check) -> Iterator[Finding]:
    faults = list(check.faults(FaultKind.RNN_LAYOUT, FaultKind.SIZE, FaultKind.ARGUMENT, FaultKind.RANK))
    for fault in faults:
        name, made = fault.what.op.rpartition(".")[2], fault.get("made")
        if name not in _RECURRENT or fault.get("argument", "hx") != "hx":
            continue
        related = [(made, "the layer is built here")] if made else []
        if used := fault.get("used"):
            related.append((used, "the last step is taken here as if the batch were in the other place"))
        tensor = fault.get("input") or fault.get("value")
        yield check.finding(
            fault,
            _message(fault, name),
            related=[*related, *because(tensor, "shape")],
            fixes=[_switched(check, fault, faults)],
        )


def _message(fault: Site, name: str) -> str:
    kind, given = fault.what.kind, fault.called("input", 0)
    if kind is FaultKind.ARGUMENT:
        return f"{name} wants a pair (h_0, c_0), {fault.called('hx', 1)} is one tensor"
    if kind is FaultKind.RANK:
        return f"{name} takes {' or '.join(f'{rank}-D' for rank in fault['expected'])} input, {given} is {fault['got']}-D"
    if kind is FaultKind.SIZE:
        states = f"the states of {name} {shown(fault['input'].shape)}"
        if fault["reason"] == "state of time":
            return f"{states} are for {shown(fault['got'])} sequences, {given} holds {shown(fault['size'])}"
        return f"{states} do not fit {given}: {shown(fault['size'])} is expected"
    batch, other = fault["batch"], 1 - fault["batch"]
    if fault["reason"] == "index":
        return f"{name} has the batch in dim {other}, its output is indexed as if it were in dim {batch}"
    return f"{given} {shown(fault['input'].shape)} has the batch in dim {batch}, {name} expects it in dim {other}"


def _switched(check: Check, fault: Site, faults: list[Site]) -> Fix | None:
    """Returns the constructor with the other `batch_first`."""
    if not is_always_wrong(fault, faults):
        return None
    wanted = str(not fault["batch_first"])

    def change(call: cst.Call) -> cst.Call | None:
        named = [one for one in call.args if one.keyword is not None and one.keyword.value == "batch_first"]
        if named:
            return call.with_deep_changes(named[0], value=cst.Name(wanted))
        equals = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        given = cst.Arg(cst.Name(wanted), keyword=cst.Name("batch_first"), equal=equals)
        return None if fault["batch_first"] else call.with_changes(args=[*call.args, given])

    return fault.fix(f"Build the layer with batch_first={wanted}", (check.operand(fault.get("made")), change))
