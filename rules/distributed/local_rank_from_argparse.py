"""TL808: a script reads its local rank from the command line, where torchrun does not put it."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL808", severity="warning", group="correctness", unproven="it takes a command line", since="2.0")
def local_rank_from_argparse(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.RANK_OPTION):
        default = fault.operand("default")
        title = 'Take the default from os.environ["LOCAL_RANK"]'
        option = fault["option"]
        # torch.distributed.launch of torch 2 passes `--local-rank`, which argparse does not take for the name with an underscore
        who = "no launcher of torch 2 passes" if "_" in option else "torchrun does not pass"
        yield check.finding(
            fault,
            f"{who} {option}: {'torchrun' if '_' in option else 'it'} sets LOCAL_RANK, which is never read",
            fixes=[fault.fix(title, (default, _from_environment))],
        )


def _from_environment(node: cst.BaseExpression) -> cst.BaseExpression:
    return cst.parse_expression('int(os.environ.get("LOCAL_RANK", 0))')
