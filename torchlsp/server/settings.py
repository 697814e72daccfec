"""Holds the settings of the editor's user; the project's configuration file has precedence."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from torchlsp.probe import remote

SECTION = "torchlsp"


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """`select` and `ignore` hold where no configuration file does. `run` is onType or onSave, `debounce` in seconds,
    `documentation` full, short or off.

    `probe_on` is the command that leads to another machine, where torch is run.

    `interpreter` is the Python whose torch is used; one inside the workspace counts only if `trusted`, which no
    table of settings can say.
    """

    enable: bool = True
    configuration: str | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    run: str = "onType"
    debounce: float = 0.075
    hover: bool = True
    documentation: str = "short"
    probe: bool = True
    probe_on: tuple[str, ...] | None = None
    hints_shapes: bool = True
    hints_arrays: bool = True
    hints_sizes: bool = False
    hints_modules: bool = False
    interpreter: str | None = None
    trusted: bool = False


# What users write, and the field that it sets.
_KEYS = {
    "enable": "enable",
    "configuration": "configuration",
    "interpreter": "interpreter",
    "debounce": "debounce",
    "lint.select": "select",
    "lint.ignore": "ignore",
    "lint.run": "run",
    "hover.enable": "hover",
    "hover.documentation": "documentation",
    "probe.enable": "probe",
    "probe.on": "probe_on",
    "inlayHints.shapes": "hints_shapes",
    "inlayHints.arrays": "hints_arrays",
    "inlayHints.sizes": "hints_sizes",
    "inlayHints.modules": "hints_modules",
}
# Settings of the editor's own side, which reach us in the same table.
_THEIRS = frozenset({"path", "args", "logLevel", "trace", "showNotifications", "importStrategy"})


def read_settings(
    table: object, before: EditorSettings = EditorSettings()
) -> tuple[EditorSettings, list[str]]:
    """Returns the settings with the entries of `table` over `before`, and a sentence for each wrong entry.

    Keys may be nested (`{"lint": {"select": …}}`) or dotted; a null means the default.
    """
    problems: list[str] = []
    found: dict[str, Any] = {}
    for key, value in _flat(table, ""):
        if key.partition(".")[0] in _THEIRS:
            continue
        name = _KEYS.get(key)
        if name is None:
            problems.append(f"unknown setting `{SECTION}.{key}`{_meant(key)}")
            continue
        try:
            found[name] = _DEFAULTS[name] if value is None else _checked(name, value)
        except ValueError as failure:
            problems.append(f"`{SECTION}.{key}` {failure}")
    return replace(before, **found), problems


_DEFAULTS = {one.name: getattr(EditorSettings(), one.name) for one in fields(EditorSettings)}


def _flat(table: object, prefix: str) -> list[tuple[str, Any]]:
    if not isinstance(table, dict):
        return []
    found: list[tuple[str, Any]] = []
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and name not in _KEYS:
            found.extend(_flat(value, f"{name}."))
        else:
            found.append((name, value))
    return found


def _checked(name: str, value: object) -> object:
    match name:
        case "select" | "ignore":
            if isinstance(value, str):
                value = [word.strip() for word in value.split(",") if word.strip()]
            if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
                raise ValueError("must be a list of codes")
            # An editor whose lists are never null says with an empty one that nothing was selected.
            return tuple(value) or _DEFAULTS[name]
        case "run":
            if value not in ("onType", "onSave"):
                raise ValueError("must be onType or onSave")
            return value
        case "documentation":
            if value not in ("full", "short", "off"):
                raise ValueError("must be full, short or off")
            return value
        case "debounce":
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 10_000:
                raise ValueError("must be a number of milliseconds")
            return value / 1000
        case "probe_on":
            if not isinstance(value, str):
                raise ValueError("must be a command, as in `ssh gpu1`")
            try:
                return remote.command_of(value) if value.strip() else None
            except ValueError as problem:
                raise ValueError(f"is no command: {problem}") from None
        case "configuration" | "interpreter":
            if not isinstance(value, str):
                raise ValueError("must be a path")
            return value or None
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _meant(key: str) -> str:
    from difflib import get_close_matches

    nearest = get_close_matches(key, _KEYS, 1, 0.6)
    return f", did you mean `{SECTION}.{nearest[0]}`?" if nearest else ""
