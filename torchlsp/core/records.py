"""Defines dataclasses without generating code when a module is imported, and with objects that are made sooner.

`dataclasses` imports `inspect`, and writes and compiles six methods for each class when its module is imported: a third of
a run with kept results, a fifth of the time to the first findings in an editor. Here each method is compiled when it is first needed.
`dataclasses.replace`, `fields` and `asdict` know these classes, too. What is not used here is refused: bases
that are no records, `__post_init__`, and other arguments of `dataclass` and `field`.

Objects of frozen classes are made in a third of the time: that they are not changed is checked by the type checker, and not when
they are.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from dataclasses import dataclass, field, replace

    def annotations_of(kind: type) -> Mapping[str, str]:
        """Returns the annotations of a record's fields by their names, those of its base included."""

else:
    _FIELDS, _PLAN = "__dataclass_fields__", "__record__"
    _NOTHING = object()

    class _Field:
        """What is said of a field: its default, how one is created for each object, where it counts."""

        __slots__ = ("default", "factory", "compare", "repr")

        def __init__(self, default=_NOTHING, factory=_NOTHING, compare=True, repr=True):
            self.default, self.factory, self.compare, self.repr = default, factory, compare, repr

    _PLAIN = _Field()

    def field(*, default=_NOTHING, default_factory=_NOTHING, compare=True, repr=True):
        return _Field(default, default_factory, compare, repr)

    def dataclass(cls=None, /, *, frozen=False, slots=False, order=False, eq=True):
        def made(cls):
            return _made(cls, frozen, slots, order, eq)

        return made if cls is None else made(cls)

    def replace(value, /, **changes):
        """Copies a record, or another dataclass, with some fields changed, as `dataclasses.replace` does."""
        plan = getattr(value, _PLAN, None)
        if plan is None:
            from dataclasses import replace

            return replace(value, **changes)
        values = list(plan.values(value))
        places = plan.places
        for name, new in changes.items():
            if name not in places:
                raise TypeError(f"{type(value).__name__} has no field {name!r}")
            values[places[name]] = new
        return type(value)(*values)

    class _Plan:
        """The fields of a class by name, those of its base first."""

        __slots__ = ("cls", "fields", "kinds", "values", "places")

        def __init__(self, fields, kinds):
            self.cls = None
            self.fields, self.kinds = fields, kinds
            self.values = _values(tuple(fields))
            self.places = {name: place for place, name in enumerate(fields)}

        def names(self, counts):
            return tuple(name for name, one in self.fields.items() if getattr(one, counts))

    def _made(cls, frozen, slots, order, eq):
        (base, *more), space = cls.__bases__, dict(cls.__dict__)
        before = getattr(base, _PLAN, None)
        if more or base is not object and before is None or "__post_init__" in space:
            raise TypeError(f"{cls.__name__}: no bases but a record, and no __post_init__")
        own = {}
        for name, kind in space.get("__annotations__", {}).items():
            if "ClassVar" not in str(kind):
                own[name] = _said(space.pop(name, _NOTHING))
                if not slots and own[name].default is not _NOTHING:
                    space[name] = own[name].default
        kinds = {name: space["__annotations__"][name] for name in own}
        fields = own if before is None else before.fields | own
        plan = _Plan(fields, kinds if before is None else before.kinds | kinds)
        for name in ("__dict__", "__weakref__"):
            space.pop(name, None)
        if slots:
            space["__slots__"] = tuple(name for name in own if before is None or name not in before.fields)
        space |= {_PLAN: plan, _FIELDS: _Fields(), "__match_args__": tuple(fields)}
        space["__init__"] = _compiled_later(plan, "__init__", _init)
        space.setdefault("__repr__", _repr)
        if eq:
            space.setdefault("__eq__", _compiled_later(plan, "__eq__", _eq))
            space["__hash__"] = _compiled_later(plan, "__hash__", _hash) if frozen else None
        if order:
            space |= _ordering(plan.names("compare"))
        plan.cls = made = type(cls.__name__, cls.__bases__, space)
        made.__qualname__ = cls.__qualname__
        return made

    def _said(default):
        if type(default) is _Field:
            return default
        return _PLAIN if default is _NOTHING else _Field(default)

    class _Fields:
        """The fields as `dataclasses` describes them, computed when that module requests them."""

        __slots__ = ("_found",)

        def __init__(self):
            self._found = None

        def __get__(self, instance, owner):
            if self._found is None:
                import dataclasses

                plan, rows = owner.__record__, []
                for name, one in plan.fields.items():
                    more = {} if one.default is _NOTHING else {"default": one.default}
                    more |= {} if one.factory is _NOTHING else {"default_factory": one.factory}
                    said = dataclasses.field(compare=one.compare, repr=one.repr, **more)
                    rows.append((name, plan.kinds[name], said))
                made = dataclasses.make_dataclass(owner.__name__, rows, init=False, repr=False, eq=False)
                self._found = getattr(made, _FIELDS)
            return self._found

    def annotations_of(kind):
        return kind.__record__.kinds

    # ---- methods ---------------------------------------------------------------------------------------------------

    def _compiled_later(plan, name, write):
        """Returns a method that puts the compiled one in its place when it is first called."""

        def first(*values, **named):
            known = {"_missing": _NOTHING}
            exec(write(plan, known), known)
            method = known[name]
            method.__qualname__ = f"{plan.cls.__qualname__}.{name}"
            setattr(plan.cls, name, method)
            return method(*values, **named)

        return first

    def _init(plan, known):
        parameters, body = ["self"], []
        for number, (name, one) in enumerate(plan.fields.items()):
            value, parameter = name, name
            if one.factory is not _NOTHING:
                known[f"_make{number}"] = one.factory
                parameter = f"{name}=_missing"
                value = f"_make{number}() if {name} is _missing else {name}"
            elif one.default is not _NOTHING:
                known[f"_default{number}"] = one.default
                parameter = f"{name}=_default{number}"
            parameters.append(parameter)
            body.append(f"    self.{name} = {value}")
        return f"def __init__({', '.join(parameters)}):\n" + "\n".join(body or ["    pass"])

    def _eq(plan, known):
        mine, theirs = (_tuple(plan.names("compare"), one) for one in ("self", "other"))
        return f"""def __eq__(self, other):
    if other.__class__ is self.__class__:
        return self is other or {mine} == {theirs}
    return NotImplemented"""

    def _hash(plan, known):
        return f"def __hash__(self):\n    return hash({_tuple(plan.names('compare'), 'self')})"

    def _tuple(names, of):
        return f"({''.join(f'{of}.{name}, ' for name in names)})"

    def _values(names):
        """Returns a function that gives all values of an object as a tuple."""
        if not names:
            return lambda value: ()
        if len(names) == 1:
            return lambda value, get=attrgetter(*names): (get(value),)
        return attrgetter(*names)

    def _repr(self):
        names = type(self).__record__.names("repr")
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    def _ordering(names):
        values = _values(names)

        def compared(by):
            def method(self, other):
                same = other.__class__ is self.__class__
                return by(values(self), values(other)) if same else NotImplemented

            return method

        order = (tuple.__lt__, tuple.__le__, tuple.__gt__, tuple.__ge__)
        return {by.__name__: compared(by) for by in order}
