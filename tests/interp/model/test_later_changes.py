"""Attributes that methods change after `__init__` are those that calling the methods changes."""

from __future__ import annotations

import pytest
from small_programs import after_running, class_named, in_python

from torchlsp.facts import values as v
from torchlsp.interp.model import later_changes
from torchlsp.interp.store.state import MISSING

PROGRAMS = {
    "plain assignments": """
    class A:
        def __init__(self):
            self.a = self.b = self.c = 0
        def f(self):
            self.a = 1
        def g(self):
            return self.b
    """,
    "unpacking, augmented and annotated assignments": """
    class A:
        def __init__(self):
            self.a = self.b = self.c = self.d = self.e = 0
        def f(self):
            self.a, (self.b, other) = 1, (2, 3)
        def g(self):
            self.c += 1
            self.d: int = 4
    """,
    "loops, branches and handlers": """
    class A:
        def __init__(self):
            self.a = self.b = self.c = self.d = 0
        def f(self):
            for self.a in range(3):
                if self.a > 1:
                    self.b = 1
            try:
                raise ValueError
            except ValueError:
                self.c = 1
    """,
    "another name for self": """
    class A:
        def __init__(self):
            self.a = self.b = 0
        def f(this, self=None):
            this.a = 1
    """,
    "a nested function": """
    class A:
        def __init__(self):
            self.a = self.b = 0
        def f(self):
            def hook():
                self.a = 1
            hook()
    """,
    "a base and what overrides it": """
    class Base:
        def __init__(self):
            self.a = self.b = 0
        def f(self):
            self.a = 1
    class A(Base):
        def g(self):
            self.b = 1
    """,
    "nothing": """
    class A:
        def __init__(self):
            self.a = 0
            self.setup()
        def setup(self):
            pass
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_changed_attributes_are_those_that_methods_change_in_python(name: str) -> None:
    cls = in_python(PROGRAMS[name])["A"]
    changed = set()
    for method in dir(cls):
        if not method.startswith("__"):
            instance = cls()
            before = dict(vars(instance))
            getattr(instance, method)()
            changed |= {key for key, value in vars(instance).items() if before.get(key, before) != value}
    it = after_running(PROGRAMS[name])
    assert later_changes.attributes_changed_later(it, class_named(it, "A")) == changed


FILLING = """
class A:
    def __init__(self):
        self.a = []
        self.b = []
        self.c = []
    def f(self):
        self.a.append(1)
    def g(self):
        for one in range(3):
            self.a.extend([one])
        self.b.insert(0, 1)
    def h(self):
        self.c.clear()
        other = []
        other.append(self.c)

a = A()
"""


def test_filled_attributes_are_those_to_which_other_methods_add() -> None:
    it = after_running(FILLING)
    cls = class_named(it, "A")
    methods = cls.ir.methods
    longer = {}
    for name in ("f", "g", "h"):
        instance = in_python(FILLING)["a"]
        getattr(instance, name)()
        longer[name] = {key for key, value in vars(instance).items() if value}
    for running in (None, "f", "g", "h"):
        expected = set().union(*(found for method, found in longer.items() if method != running))
        here = methods[running] if running else None
        assert later_changes.filled_elsewhere(it, cls, here) == expected


def test_an_object_keeps_only_the_attributes_that_no_method_changes() -> None:
    it = after_running("""
    class A:
        def __init__(self):
            self.a = 1
            self.b = 2
        def f(self):
            self.a = 3

    a = A()
    """)
    instance = it.main.scope.variables["a"]
    assert isinstance(instance, v.InstanceValue)
    later_changes.forget_changing(it, instance)
    held = {name: it.state.heap.get((instance.ref, name), MISSING) for name in ("a", "b")}
    assert held == {"a": v.UNKNOWN_VALUE, "b": v.integer(2)}
