"""Decorators are resolved to the names of the objects that Python applies."""

from __future__ import annotations

from pydoc import locate

import pytest
from small_programs import after_running, class_named, in_python

from torchlsp.interp.model.decorator_names import decorator_names

IMPORTS = "import functools, torch\nimport torch as th\nfrom torch import no_grad, inference_mode as fast\n"
OF_PYTHON = {
    "functools.cache": "functools.cache",
    "functools.lru_cache(maxsize=4)": "functools.lru_cache",
    "staticmethod": "builtins.staticmethod",
    "property": "builtins.property",
}
OF_TORCH = {
    "torch.no_grad()": "torch.no_grad",
    "th.no_grad()": "torch.no_grad",
    "no_grad()": "torch.no_grad",
    "fast()": "torch.inference_mode",
    "th.enable_grad()": "torch.enable_grad",
    "torch.jit.script": "torch.jit.script",
}


def names_of(decorator: str) -> frozenset[str]:
    it = after_running(f"{IMPORTS}@{decorator}\ndef f(x): return x\n")
    (function,) = it.main.ir.functions
    return decorator_names(it, function)


@pytest.mark.parametrize(("decorator", "name"), OF_PYTHON.items())
def test_a_decorator_has_its_full_name(decorator: str, name: str) -> None:
    assert names_of(decorator) == {name}


@pytest.mark.torch
@pytest.mark.parametrize(("decorator", "name"), OF_TORCH.items())
def test_a_decorator_of_torch_is_the_object_of_its_name(decorator: str, name: str) -> None:
    assert names_of(decorator) == {name}
    assert eval(decorator.removesuffix("()"), in_python(IMPORTS)) is locate(name)


@pytest.mark.parametrize(
    "decorator",
    ["unheard_of", "decorators[0]", "torch.inference_mode(False)", "torch.set_grad_enabled(flag)"],
)
def test_a_decorator_whose_effect_is_open_has_no_name(decorator: str) -> None:
    assert names_of(decorator) == {"?"}


def test_several_decorators_are_all_named_and_none_is_no_name() -> None:
    it = after_running(f"{IMPORTS}@torch.no_grad()\n@functools.cache\ndef f(x): return x\ndef g(): pass\n")
    f, g = it.main.ir.functions
    assert decorator_names(it, f) == {"torch.no_grad", "functools.cache"}
    assert decorator_names(it, g) == frozenset()


def test_the_setter_of_a_property_is_a_property() -> None:
    it = after_running("""
    class A:
        @property
        def size(self): return 1

        @size.setter
        def size(self, value): pass
    """)
    scope = class_named(it, "A").scope
    names = [decorator_names(it, function, scope) for function in it.main.ir.functions]
    assert names == [{"builtins.property"}, {"builtins.property"}]


def test_a_name_is_looked_up_in_the_scope_of_the_definition() -> None:
    it = after_running("""
    import torch
    keep = torch.enable_grad

    class A:
        keep = torch.no_grad

        @keep()
        def f(self): pass
    """)
    (function,) = it.main.ir.functions
    assert decorator_names(it, function, class_named(it, "A").scope) == {"torch.no_grad"}
    assert decorator_names(it, function) == {"torch.enable_grad"}
