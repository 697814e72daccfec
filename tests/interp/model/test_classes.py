"""Classes of the workspace are resolved as Python resolves them."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from small_programs import after_running, class_named, in_python

from torchlsp.facts import values as v
from torchlsp.facts.tri import Tri
from torchlsp.interp.model import classes
from torchlsp.interp.store.state import MISSING

METHODS = ("f", "g")


@dataclass(frozen=True)
class Written:
    """A class statement: indices of its bases among the classes before it, and its methods."""

    bases: tuple[int, ...]
    methods: frozenset[str]


def text_of(written: list[Written]) -> str:
    lines = []
    for number, one in enumerate(written):
        bases = ", ".join(f"C{base}" for base in one.bases if base < number)
        lines.append(f"class C{number}({bases}):" if bases else f"class C{number}:")
        lines += [f"    def {name}(self): pass" for name in sorted(one.methods)] or ["    pass"]
    return "\n".join(lines) + "\n"


hierarchies = st.lists(
    st.builds(
        Written,
        st.lists(st.integers(0, 4), unique=True, max_size=3).map(tuple),
        st.frozensets(st.sampled_from(METHODS)),
    ),
    min_size=1,
    max_size=6,
).map(text_of)


@settings(deadline=None, derandomize=True, max_examples=60, suppress_health_check=list(HealthCheck))
@given(hierarchies)
def test_order_of_bases_and_methods_are_those_of_python(text: str) -> None:
    try:
        names = in_python(text)
    except TypeError:
        assume(False)  # no consistent order of bases
    it = after_running(text)
    for name, cls in names.items():
        if not isinstance(cls, type):
            continue
        value = class_named(it, name)
        order = [base.ir.name for base in classes.mro(value) if isinstance(base, v.ClassValue)]
        assert order == [base.__name__ for base in cls.__mro__ if base is not object]
        for method in METHODS:
            found = classes.find_method(value, method)
            expected = getattr(cls, method, None)
            assert (found is None) == (expected is None)
            if found is not None:
                assert f"{found[0].ir.name}.{found[1].name}" == getattr(cls, method).__qualname__


def test_a_class_that_python_refuses_still_has_all_its_bases() -> None:
    text = "class A: pass\nclass B(A): pass\nclass C(A, B): pass\n"
    with pytest.raises(TypeError):
        in_python(text)
    order = classes.mro(class_named(after_running(text), "C"))
    assert isinstance(order[0], v.ClassValue) and order[0].ir.name == "C"
    assert {base.ir.name for base in order if isinstance(base, v.ClassValue)} == {"A", "B", "C"}


MODULES = """
import torch
import torch.nn as nn
import elsewhere

class Plain: pass
class Net(nn.Module): pass
class Deep(Plain, Net): pass
class Convolution(nn.Conv2d): pass
class Stack(nn.Sequential): pass
class Data(torch.utils.data.Dataset): pass
class Open(elsewhere.Base): pass
"""


@pytest.mark.torch
def test_modules_are_the_classes_that_torch_takes_for_modules() -> None:
    import torch

    text = dedent(MODULES).replace("import elsewhere\n", "").replace("elsewhere.Base", "object")
    names = in_python(text)
    it = after_running(MODULES)
    for name in ("Plain", "Net", "Deep", "Convolution", "Stack", "Data"):
        assert classes.is_module(class_named(it, name)) == issubclass(names[name], torch.nn.Module), name


def test_a_base_outside_of_the_workspace_may_be_anything() -> None:
    it = after_running(MODULES)
    known, unknown = class_named(it, "Deep"), class_named(it, "Open")
    assert not classes.has_unknown_base(known)
    assert classes.has_unknown_base(unknown)
    assert not classes.is_module(unknown)
    assert classes.is_subclass(it, known, class_named(it, "Plain")) is Tri.YES
    assert classes.is_subclass(it, known, v.External("torch.nn.Module")) is Tri.YES
    assert classes.is_subclass(it, known, class_named(it, "Data")) is Tri.NO
    assert classes.is_subclass(it, unknown, class_named(it, "Plain")) is Tri.UNKNOWN


def test_attributes_of_classes_are_those_that_python_finds() -> None:
    text = """
    class A:
        size = 1
        kind = "a"
        def f(self): pass

    class B(A):
        size = 2
        f = 3
    """
    cls = in_python(text)["B"]
    it = after_running(text)
    value = class_named(it, "B")
    for name in ("size", "kind", "f"):
        found = classes.class_attribute(it, value, name)
        assert isinstance(found, v.Scalar) and found.value == getattr(cls, name)
        assert classes.class_default(value, name) == found
    assert classes.class_default(value, "absent") is MISSING
    assert classes.find_method(value, "f") is None
    method = classes.class_attribute(it, class_named(it, "A"), "f")
    assert isinstance(method, v.FunctionValue) and method.receiver is None


def test_a_class_method_is_bound_to_the_class_that_is_asked() -> None:
    text = """
    class A:
        @classmethod
        def create(cls): pass

    class B(A): pass
    """
    created = in_python(text)["B"].create
    it = after_running(text)
    value = class_named(it, "B")
    found = classes.class_attribute(it, value, "create")
    assert isinstance(found, v.FunctionValue)
    assert found.receiver is value and created.__self__.__name__ == "B"


def test_a_deleted_parameter_may_be_lost() -> None:
    it = after_running("""
    import torch

    class Kept(torch.nn.Module):
        def f(self):
            self.weight = self.weight * 2

    class Lost(torch.nn.Module):
        def f(self):
            del self.weight

    class Cleared(torch.nn.Module):
        def f(self):
            self._parameters.clear()
    """)
    lost = {name: classes.may_lose(class_named(it, name), "weight") for name in ("Kept", "Lost", "Cleared")}
    assert lost == {"Kept": False, "Lost": True, "Cleared": True}
