"""Runs branches, `match` and `try`: each path on the store itself, with their changes joined where they meet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.evaluate import conditions, type_tests
from torchlsp.interp.model import context_managers, expected_errors, store_entries, version_tests
from torchlsp.interp.store.trace import BranchItem, Item
from torchlsp.program import ir
from torchlsp.program.walking import dotted, walk

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def run_branch(it: Evaluator, node: ir.Branch) -> bool:
    """Runs an `if` statement; returns False if control does not reach its end."""
    answer = conditions.evaluate_test(it, node.test)
    if answer.truth is Tri.YES:
        conditions.narrow(it, answer.when_true)
        return it.block(node.body)
    if answer.truth is Tri.NO:
        conditions.narrow(it, answer.when_false)
        return it.block(node.orelse)
    return run_either(it, node, answer, lambda: it.block(node.body), lambda: it.block(node.orelse))


def run_either(
    it: Evaluator,
    node: ir.Node,
    answer: conditions.Test,
    run_body: Callable[[], bool],
    run_orelse: Callable[[], bool],
) -> bool:
    """Runs both alternatives of a test and joins them; returns False if neither reaches its end."""
    frame, state = it.frame, it.state
    doubtful = not conditions.mentions_loop_target(it, node)
    guard = it.api is not None and version_tests.tests_torch(it, node)
    frame.conditional += doubtful
    frame.undecided += 1
    frame.guards += guard
    loops = [loop for loop in frame.loops if loop.over_modules]
    for loop in loops:
        loop.doubt += 1
    known_cuda = state.modes["cuda"]
    mark = state.mark()
    it.recorder.open()
    conditions.narrow(it, answer.when_true)
    _know_cuda(it, answer.condition, True)
    asks, negated = _asks_for_gpu(node)
    frame.without_gpu += asks and negated
    body_falls = run_body()
    frame.without_gpu += asks * (-1 if negated else 1)
    body = state.take(mark)
    body_trace = it.recorder.close()
    it.recorder.open()
    conditions.narrow(it, answer.when_false)
    _know_cuda(it, answer.condition, False)
    orelse_falls = run_orelse()
    frame.without_gpu -= asks and not negated
    orelse = state.take(mark)
    orelse_trace = it.recorder.close()
    frame.conditional -= doubtful
    frame.undecided -= 1
    frame.guards -= guard
    if body_trace or orelse_trace:
        place = node.test if isinstance(node, (ir.Branch, ir.While, ir.Conditional)) else node
        path = frame.module.path
        names, joined = _names_in_test(place)
        it.recorder.add(
            BranchItem(
                place.start,
                place.end,
                answer.condition,
                body_trace,
                orelse_trace,
                path,
                names,
                joined,
                _holds_at_first(it, place),
            )
        )
    if body_falls and orelse_falls:
        condition = answer.condition
        cuda = condition is not None and condition.kind == "cuda"
        if condition is not None and cuda and condition.negated:
            body, orelse = orelse, body
        it.merge(body, orelse, f"{frame.site}:{node.start}", cuda)
        for loop in loops:
            loop.doubt -= 1
        if cuda:
            state.set(state.modes, "cuda", known_cuda)
        return True
    if body_falls or orelse_falls:
        state.apply(body if body_falls else orelse)
        # what follows runs only on the path that did not leave
        frame.conditional += doubtful
        frame.undecided += 1
        frame.guards += guard
        if guard and frame.function is None:
            it.api = None  # the file states which torch it needs
        return True
    return False


_GPU = re.compile(r"(?i)(?:use|using|on|with|has|is|enable|gpu|cuda)?_?(?:gpu|cuda)s?(?:_available|_on)?")


def _asks_for_gpu(node: ir.Node) -> tuple[bool, bool]:
    """Returns whether a test asks by a name, as in `if self.use_cuda:`, for a GPU, and whether it is negated."""
    if not isinstance(node, (ir.Branch, ir.Conditional)):
        return False, False
    test, negated = node.test, False
    while type(test) is ir.Unary and test.op == "not":
        test, negated = test.operand, not negated
    name = test.id if type(test) is ir.Name else test.name if type(test) is ir.Attribute else ""
    return _GPU.fullmatch(name) is not None, negated


def _holds_at_first(it: Evaluator, test: ir.Node) -> bool:
    """Returns whether a test is `i % n == 0` or `not i % n` with the number of the iteration, which begins at 0."""
    match test:
        case ir.Compare(
            left=ir.Binary(op="%", left=ir.Name(id=name)), ops=("==",), rights=(ir.Constant(value=0),)
        ):
            pass
        case ir.Unary(op="not", operand=ir.Binary(op="%", left=ir.Name(id=name))):
            pass
        case _:
            return False
    loop = it.frame.loops[-1].node if it.frame.loops else None
    match loop:
        case ir.For(
            target=ir.Name(id=counter), iterable=ir.Call(function=ir.Name(id="range"), args=(_,), keywords=())
        ):
            pass
        case ir.For(
            target=ir.Display(items=(ir.Name(id=counter), _)),
            iterable=ir.Call(function=ir.Name(id="enumerate"), args=(_,), keywords=()),
        ):
            pass
        case _:
            return False
    return counter == name and not any(
        type(node) is ir.Name and node.id == name for one in walk(loop.body) for node in _targets(one)
    )


def _targets(node: ir.Node) -> Iterator[ir.Node]:
    match node:
        case ir.Assign(targets=targets):
            yield from walk(targets)
        case ir.Augmented(target=target) | ir.For(target=target) | ir.Walrus(target=target):
            yield from walk((target,))


def _names_in_test(test: ir.Node) -> tuple[tuple[tuple[str, bool] | None, ...], str]:
    """Returns the names in a test with their values where it holds, and the operator that joins them."""
    if type(test) is ir.Logical:
        return tuple(_name_of_operand(operand, True) for operand in test.operands), test.op
    return (_name_of_operand(test, True),), ""


def _name_of_operand(test: ir.Node, holds: bool) -> tuple[str, bool] | None:
    if type(test) is ir.Unary and test.op == "not":
        return _name_of_operand(test.operand, not holds)
    name = dotted(test)
    return (name, holds) if name else None


def _know_cuda(it: Evaluator, condition: v.Condition | None, holds: bool) -> None:
    """Records on one path of a test for CUDA whether CUDA is available."""
    if condition is not None and condition.kind == "cuda":
        it.state.set(it.state.modes, "cuda", Tri.of(holds != condition.negated))


def run_match(it: Evaluator, node: ir.Match) -> bool:
    """Runs a `match` statement; returns False if control does not reach its end."""
    subject = it.eval(node.subject)
    return _run_cases(it, node, subject, 0)


def _run_cases(it: Evaluator, node: ir.Match, subject: Value, index: int) -> bool:
    """Runs the cases from an index on."""
    if index == len(node.cases):
        return True
    case = node.cases[index]
    answer = conditions.Test()
    if case.values and len(case.values) == 1:
        answer = conditions.compare_values(it, "==", subject, it.eval(case.values[0]), case)
    elif case.catches_all and case.guard is None:
        answer = conditions.Test(Tri.YES)

    def body() -> bool:
        if not case.catches_all and not case.values:
            type_tests.forget_believed(
                it, subject
            )  # a pattern of a class, or of a sequence's or a mapping's parts
        for name in case.captures:
            it.bind(name, subject if case.catches_all else UNKNOWN_VALUE)
        if case.guard is not None:
            conditions.narrow(it, conditions.evaluate_test(it, case.guard).when_true)
        return it.block(case.body)

    if answer.truth is Tri.YES and case.guard is None:
        return body()
    if answer.truth is Tri.NO:
        return _run_cases(it, node, subject, index + 1)
    return run_either(it, case, answer, body, lambda: _run_cases(it, node, subject, index + 1))


def run_try(it: Evaluator, node: ir.Try) -> bool:
    """Runs a `try` statement: its body may stop anywhere, so handlers start from the join of before and after it."""
    frame, state = it.frame, it.state
    mark = state.mark()
    it.recorder.open()
    outside, caught_outside = len(frame.managers), state.modes["caught"]
    returns_before = len(frame.returns)
    frame.managers.append(("caught", caught_outside))
    state.set(
        state.modes, "caught", caught_outside | expected_errors.handled(node, len(it.frames), caught_outside)
    )
    falls = it.block(node.body)
    context_managers.leave(it, outside)
    if falls and node.orelse:
        falls = it.block(node.orelse)
    body = state.take(mark)
    body_trace = it.recorder.close()
    if not node.handlers:
        state.apply(body)
        for item in body_trace:
            it.recorder.add(item)
        return it.block(node.final) and falls
    outcomes = [(body, falls)]
    handler_traces = []
    frame.conditional += 1
    frame.undecided += 1
    frame.guards += 1  # the handler is an alternative for when the body fails
    for handler in node.handlers:
        it.recorder.open()
        entry = state.mark()
        state.apply(
            {
                key: (store, name, store_entries.forgotten(it, store, value))
                for key, (store, name, value) in body.items()
                if store is not state.modes or value != state.modes[name]
            }
        )
        if handler.name:
            it.bind(handler.name, UNKNOWN_VALUE)
        handler_falls = it.block(handler.body)
        outcomes.append((state.take(entry), handler_falls))
        handler_traces.append((handler, it.recorder.close()))
    frame.conditional -= 1
    frame.undecided -= 1
    frame.guards -= 1
    for item in body_trace:
        it.recorder.add(item)
    for handler, trace in handler_traces:
        if trace:
            it.recorder.add(_handler_item(it, node, handler, trace))
    if len(frame.returns) > returns_before and not falls and not frame.is_root:
        # what follows runs only where the body fails, which nothing shows for these arguments
        frame.conditional += 1
    reaching = [delta for delta, reaches in outcomes if reaches]
    if not reaching:
        it.block(node.final)
        return False
    state.apply(reaching[0])
    for delta in reaching[1:]:
        here = state.take(mark)
        it.merge(here, delta, f"{frame.site}:{node.start}")
    return it.block(node.final)


def _handler_item(it: Evaluator, node: ir.Try, handler: ir.Handler, trace: tuple[Item, ...]) -> BranchItem:
    """Returns the item of the trace for a handler, with what it is for where one process may meet the error alone."""
    path = it.frame.module.path
    if not node.body or not expected_errors.may_be_of_one_process(handler):
        return BranchItem(node.start, node.start + 3, None, trace, (), path)
    end = handler.start + len("except") if handler.type is None else handler.type.end
    tried = (node.body[0].start, node.body[-1].end)
    return BranchItem(handler.start, end, None, trace, (), path, tried=tried)
