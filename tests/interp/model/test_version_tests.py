"""Tests of the version or features of torch are told from all others by their words."""

from __future__ import annotations

import pytest
from small_programs import after_running, lowered

from torchlsp.facts.tri import Tri
from torchlsp.interp.model import old_version_tests, version_tests
from torchlsp.program import ir

ABOUT_TORCH = (
    "torch.__version__ >= '2.0'",
    "version.parse(torch.__version__) < version.parse('1.9')",
    "hasattr(torch, 'compile')",
    "not HAS_COMPILE",
    "TORCH_GREATER_EQUAL_2_1",
    "'weights_only' in inspect.signature(torch.load).parameters",
    "x is None and is_torch_available()",
)
ABOUT_ELSE = (
    "x > 3",
    "epoch % 10 == 0",
    "torch.cuda.is_available()",
    "torch.cuda.device_count() > 1",
    "torch.is_tensor(x)",
    "torch.is_grad_enabled()",
    "dist.is_initialized()",
    "args.distributed",
    "self.training",
)


def statement(text: str) -> ir.Node:
    return lowered(text).body[0]


@pytest.mark.parametrize("test", ABOUT_TORCH)
@pytest.mark.parametrize("form", ["if {}: pass", "while {}: pass", "assert {}"])
def test_a_test_of_torch_is_recognized_in_every_statement(form: str, test: str) -> None:
    assert version_tests.tests_torch(after_running(""), statement(form.format(test)))


@pytest.mark.parametrize("test", ABOUT_ELSE)
@pytest.mark.parametrize("form", ["if {}: pass", "while {}: pass", "assert {}"])
def test_other_tests_are_not_taken_for_one(form: str, test: str) -> None:
    assert not version_tests.tests_torch(after_running(""), statement(form.format(test)))


def test_each_operand_of_an_and_is_asked_for_itself() -> None:
    logical = statement("if first and hasattr(torch, 'compile') and second: pass").test  # type: ignore[attr-defined]
    it = after_running("")
    assert [version_tests.asks_for_torch(it, one) for one in logical.operands] == [False, True, False]
    assert version_tests.tests_torch(it, logical)
    last = statement("if first and hasattr(torch, 'compile'): pass").test  # type: ignore[attr-defined]
    assert not version_tests.tests_torch(it, last)


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("@pytest.mark.skipif(not hasattr(torch, 'compile'), reason='old')", True),
        ("@require_torch_2", True),
        ("@unittest.skipUnless(TORCH_VERSION > '2', '')", True),
        ("@staticmethod", False),
        ("@torch.no_grad()", False),
        ("@functools.lru_cache(maxsize=4)", False),
    ],
)
def test_a_decorator_may_say_with_which_torch_a_function_runs(decorator: str, expected: bool) -> None:
    (function,) = lowered(f"{decorator}\ndef f(): pass\n").functions
    assert version_tests.is_conditional(function) is expected


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("torch.__version__ < '0.4'", Tri.NO),
        ("LooseVersion(torch.__version__) >= LooseVersion('0.4.1')", Tri.YES),
        ("Version(torch.__version__) > Version('1.10')", Tri.UNKNOWN),
        ("torchvision.__version__ < '0.4'", Tri.UNKNOWN),
        ("torch.__version__ == '0.4'", Tri.UNKNOWN),
        ("'0.3' < torch.__version__ < '0.4'", Tri.UNKNOWN),
    ],
)
def test_a_torch_before_1_0_is_not_the_one_that_runs(test: str, expected: Tri) -> None:
    node = statement(f"if {test}: pass").test  # type: ignore[attr-defined]
    assert old_version_tests.result_of_test(node) is expected
