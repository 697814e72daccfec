"""Defines dataclasses without generating code, for modules that a run with cached results imports.

`dataclasses` imports `inspect`, and writes and compiles six methods for each class when its module is imported: a third of
such a run. Here a class has methods that are written once for all of them, and its `__init__` is compiled when the
first object is made. `dataclasses.replace`, `fields` and `asdict` know these classes, too. What is not used here is refused:
inheritance, `__post_init__`, and arguments of `field` other than `default_factory`.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    _FIELDS = "__dataclass_fields__"

    class _Made:
        """A marker for a default that is created for each object."""

        __slots__ = ("factory",)

        def __init__(self, factory):
            self.factory = factory

    def field(*, default_factory):
        return _Made(default_factory)

    def dataclass(cls=None, /, *, frozen=False, slots=False, order=False):
        def made(cls):
            return _made(cls, frozen, slots, order)

        return made if cls is None else made(cls)

    def replace(value, /, **changes):
        """Copies a record with some fields changed, as `dataclasses.replace` does."""
        kept = {name: getattr(value, name) for name in value.__match_args__ if name not in changes}
        return type(value)(**kept, **changes)

    def _made(cls, frozen, slots, order):
        if cls.__bases__ != (object,) or "__post_init__" in cls.__dict__:
            raise TypeError(
                f"{cls.__name__}: neither bases nor __post_init__, see the docstring of the module"
            )
        names = tuple(cls.__dict__.get("__annotations__", ()))
        space = dict(cls.__dict__)
        defaults = {name: space.pop(name) for name in names if name in space}
        for name in ("__dict__", "__weakref__"):
            space.pop(name, None)
        if slots:
            space["__slots__"] = names
        else:
            space.update((name, one) for name, one in defaults.items() if type(one) is not _Made)
        space |= {
            _FIELDS: _Fields(defaults),
            "__match_args__": names,
            "__init__": _first_init(defaults),
            "__repr__": _repr,
            "__eq__": _equality(names),
            "__hash__": _hash(names) if frozen else None,
        }
        if frozen:
            space |= {"__setattr__": _refuse_setting, "__delattr__": _refuse_deleting}
        if frozen and slots:
            space |= {"__getstate__": _getstate, "__setstate__": _setstate}
        if order:
            space |= _ordering(names)
        made = type(cls.__name__, cls.__bases__, space)
        made.__qualname__ = cls.__qualname__
        return made

    class _Fields:
        """The fields as `dataclasses` describes them, computed when that module requests them."""

        __slots__ = ("_defaults", "_found")

        def __init__(self, defaults):
            self._defaults = defaults
            self._found = None

        def __get__(self, instance, owner):
            if self._found is None:
                import dataclasses

                rows = []
                for name, kind in owner.__annotations__.items():
                    if name not in self._defaults:
                        rows.append((name, kind))
                        continue
                    default = self._defaults[name]
                    if type(default) is _Made:
                        rows.append((name, kind, dataclasses.field(default_factory=default.factory)))
                    else:
                        rows.append((name, kind, dataclasses.field(default=default)))
                self._found = getattr(dataclasses.make_dataclass(owner.__name__, rows), _FIELDS)
            return self._found

    def _first_init(defaults):
        def __init__(self, *values, **named):
            cls = type(self)
            cls.__init__ = _compiled_init(cls, defaults)
            cls.__init__(self, *values, **named)

        return __init__

    def _compiled_init(cls, defaults):
        """Builds an `__init__` that sets the slots themselves: faster than `object.__setattr__`, and a frozen
        class allows it."""
        known, parameters, body = {"_missing": _Made, "_put": object.__setattr__}, [], []
        slots = cls.__dict__.get("__slots__", ())
        for number, name in enumerate(cls.__match_args__):
            value = name
            if name not in defaults:
                parameters.append(name)
            elif type(defaults[name]) is _Made:
                known[f"_make{number}"] = defaults[name].factory
                parameters.append(f"{name}=_missing")
                value = f"_make{number}() if {name} is _missing else {name}"
            else:
                known[f"_default{number}"] = defaults[name]
                parameters.append(f"{name}=_default{number}")
            if name in slots:
                known[f"_set{number}"] = cls.__dict__[name].__set__
                body.append(f"    _set{number}(self, {value})")
            else:
                body.append(f"    _put(self, {name!r}, {value})")
        text = f"def __init__({', '.join(('self', *parameters))}):\n" + "\n".join(body or ["    pass"])
        exec(text, known)
        made = known["__init__"]
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        return made

    def _values(names):
        """Returns a function that gives all values of an object as a tuple."""
        if not names:
            return lambda value: ()
        if len(names) == 1:
            return lambda value, get=attrgetter(*names): (get(value),)
        return attrgetter(*names)

    def _repr(self):
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__qualname__}({values})"

    def _equality(names):
        values = _values(names)

        def __eq__(self, other):
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        return __eq__

    def _hash(names):
        values = _values(names)
        return lambda self: hash(values(self))

    def _ordering(names):
        values = _values(names)

        def compared(by):
            def method(self, other):
                same = other.__class__ is self.__class__
                return by(values(self), values(other)) if same else NotImplemented

            return method

        order = (tuple.__lt__, tuple.__le__, tuple.__gt__, tuple.__ge__)
        return {by.__name__: compared(by) for by in order}

    def _refuse_setting(self, name, value):
        _refuse("assign to", name)

    def _refuse_deleting(self, name):
        _refuse("delete", name)

    def _refuse(what, name):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {what} field {name!r}")

    def _getstate(self):
        return [getattr(self, name) for name in self.__match_args__]

    def _setstate(self, state):
        for name, value in zip(self.__match_args__, state, strict=True):
            object.__setattr__(self, name, value)
