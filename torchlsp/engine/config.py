"""Reads the configuration: `torchlsp.toml`, or `[tool.torchlsp]` in `pyproject.toml`, nearest upwards of each
file."""

from __future__ import annotations

import errno
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from torchlsp.core.finding import CORRECTNESS, GROUPS, Severity, is_on_by_default
from torchlsp.core.records import dataclass, replace
from torchlsp.engine.config_options import DOCUMENTATION, OPTIONS, VERSION, Kind, Option
from torchlsp.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torchlsp.core.decoded import Decoded, Table

_BY_NAME = {option.name: option for option in OPTIONS}
KEYS = tuple(dict.fromkeys(option.name.partition(".")[0] for option in OPTIONS))
"""What may stand at the top of a configuration."""

DEFAULT_EXCLUDE = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "__pypackages__",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)


class ConfigError(Exception):
    """A mistake of the user's in configuration or options; the text says where and what is right."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in a configuration file: a row from 1, and the columns from 0 between which it stands."""

    row: int
    start: int
    end: int
    message: str


class WrongConfiguration(ConfigError):
    """The mistakes of one configuration file; the text is about the first."""

    def __init__(self, path: str, text: str, mistakes: Iterable[Mistake]) -> None:
        super().__init__(text)
        self.path = path
        self.mistakes = tuple(mistakes)


@dataclass(frozen=True, slots=True)
class KnownRule:
    """The attributes of a rule that selection needs. `preview` rules run only when chosen by full code or
    name, or when the configuration says `preview = true`. The tool's own are of no group."""

    code: str
    name: str
    severity: Severity
    preview: bool = False
    group: str = CORRECTNESS
    mended: bool = False


TOOL_RULES = (
    KnownRule("TL000", "unreadable-source", Severity.ERROR, group=""),
    KnownRule("TL001", "unused-suppression", Severity.WARNING, group=""),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """One configuration file's content, or the defaults. Codes are codes, prefixes, names, groups or "ALL",
    as written; `root` is the folder that its paths are relative to."""

    root: str
    source: str | None = None
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    severity: tuple[tuple[str, Severity], ...] = ()
    torch_version: str | None = None
    preview: bool = False
    rules_url: str | None = None
    respect_gitignore: bool = True
    hover_documentation: str | None = None
    """One of DOCUMENTATION; None: as the editor says."""


_LETTERS_LIKE_DIGITS = str.maketrans("OIL", "011")
_WIDEST_GROUP, _NARROWEST_GROUP = 1, 4
"""How narrow a group is beside prefixes of codes, which have 2 to 4 characters: what is ignored wins over a prefix
that is selected, and a prefix that is ignored over a group that is selected. A code is always narrower."""


class Catalogue:
    """The existing rules, for resolving what users write into codes."""

    __slots__ = ("_by_name", "_codes", "rules")

    def __init__(self, rules: Iterable[KnownRule]) -> None:
        self.rules = tuple(sorted((*TOOL_RULES, *rules), key=lambda rule: rule.code))
        self._codes = {rule.code: rule for rule in self.rules}
        self._by_name = {rule.name: rule for rule in self.rules}

    def get(self, word: str) -> KnownRule | None:
        """Returns the rule of a full code (any case) or a name (hyphens or underscores)."""
        return self._codes.get(word.upper()) or self._by_name.get(word.lower().replace("_", "-"))

    def selector(self, word: str) -> str | None:
        """Returns a code, a prefix of codes, a group or "ALL" for what the user wrote; None when it means no rule."""
        rule = self.get(word)
        if rule is not None:
            return rule.code
        if word.lower() in GROUPS:
            return word.lower()
        word = word.upper()
        if word == "ALL":
            return word
        is_prefix = re.fullmatch(r"TL[0-9]{0,2}", word) and any(code.startswith(word) for code in self._codes)
        return word if is_prefix else None

    def nearest(self, word: str, *, selects: bool = False) -> str | None:
        """Returns the code or name that the user may have meant, or what `selects` several."""
        from difflib import get_close_matches

        digits = word[:2].upper() + word[2:].upper().translate(_LETTERS_LIKE_DIGITS)
        if digits in self._codes:
            return digits
        mistyped = [
            code
            for code in self._codes
            if len(code) == len(word) and sum(a != b for a, b in zip(code, word.upper(), strict=True)) == 1
        ]
        if len(mistyped) == 1:
            return mistyped[0]
        names = [*self._codes, *self._by_name, "ALL", *(GROUPS if selects else ())]
        found = get_close_matches(word.upper(), names, 1, 0.6) or get_close_matches(
            word.lower(), names, 1, 0.5
        )
        return found[0] if found else None

    def enabled(self, settings: Settings) -> frozenset[str]:
        """Returns the codes that run. The narrower of two selectors wins; between equals, `ignore`."""
        chosen = set()
        for rule in self.rules:
            selected = self._narrowest(rule, settings.select, of_group=_WIDEST_GROUP)
            if settings.select is None and (not rule.preview or settings.preview):
                is_default = rule.group == "" or is_on_by_default(rule.group, rule.severity, rule.mended)
                selected = 0 if is_default else -1
            selected = max(selected, self._narrowest(rule, settings.extend_select, of_group=_WIDEST_GROUP))
            if rule.preview and not settings.preview and selected < len(rule.code):
                continue
            # The tool's own findings are on unless ignored: `--select TL101` must not hide a broken file.
            if rule in TOOL_RULES and selected < 0:
                selected = 0
            if selected >= 0 and selected > self._narrowest(rule, settings.ignore, of_group=_NARROWEST_GROUP):
                chosen.add(rule.code)
        return frozenset(chosen)

    def chosen_by_hand(self, settings: Settings) -> frozenset[str]:
        """Returns the codes that a `select` or `extend-select` names: their findings of severity info are
        shown."""
        asked = (*(settings.select or ()), *settings.extend_select)
        return frozenset(rule.code for rule in self.rules if self._narrowest(rule, asked) >= 0)

    def groups(self) -> dict[str, str]:
        """Returns the group of each rule, by code."""
        return {rule.code: rule.group for rule in self.rules}

    def covers(self, word: str, rule: KnownRule) -> bool:
        """Returns whether what the user wrote means this rule, among others."""
        selector = self.selector(word)
        if selector is None:
            return False
        return selector == "ALL" or rule.group == selector or rule.code.startswith(selector)

    def narrowness(self, word: str, of_group: int = _WIDEST_GROUP) -> int:
        """Returns 0 for "ALL", the length of a code or a prefix of codes, and `of_group` for a group."""
        selector = self.selector(word)
        if selector is None or selector == "ALL":
            return 0
        return of_group if selector in GROUPS else len(selector)

    def _narrowest(self, rule: KnownRule, words: Iterable[str] | None, of_group: int = _WIDEST_GROUP) -> int:
        """Returns how narrow the narrowest of the words is that covers the rule; -1 when none does."""
        return max(
            (self.narrowness(word, of_group) for word in words or () if self.covers(word, rule)), default=-1
        )


@dataclass(frozen=True, slots=True)
class Overrides:
    """Configuration that the command line or the editor overrides. The `default_…` hold where no file does.

    The codes of `off` run only where a `select` or `extend-select` covers them.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    config: str | None = None
    isolated: bool = False
    default_select: tuple[str, ...] | None = None
    default_ignore: tuple[str, ...] = ()
    off: frozenset[str] = frozenset()
    respect_gitignore: bool | None = None
    exclude: tuple[str, ...] = ()
    """Patterns of the command line, from the working directory. They cover files that are named, too."""


class Configuration:
    """The settings that hold for each file. Raises ConfigError on the first mistake it meets."""

    __slots__ = ("_by_folder", "_catalogue", "_fixed", "_overrides", "exclude", "off")

    def __init__(self, catalogue: Catalogue, overrides: Overrides = Overrides()) -> None:
        self._catalogue = catalogue
        self._overrides = overrides
        self._by_folder: dict[str, Settings] = {}
        self._fixed: Settings | None = None
        self.off = overrides.off
        """The codes that run only where they are chosen by hand."""
        self.exclude = overrides.exclude
        """What the command line leaves out, besides what the settings of each folder do."""
        for option, words in (
            ("the editor's select", overrides.default_select or ()),
            ("the editor's ignore", overrides.default_ignore),
            ("--select", overrides.select or ()),
            ("--extend-select", overrides.extend_select),
            ("--ignore", overrides.ignore),
        ):
            for word in words:
                if catalogue.selector(word) is None:
                    nearest = catalogue.nearest(word, selects=True)
                    raise ConfigError(f"{option}: unknown rule `{word}`{_meant(nearest)}")
        if overrides.config is not None:
            self._fixed = self._finish(_read_file(overrides.config, catalogue, explicit=True))
        elif overrides.isolated:
            self._fixed = self._finish(None)

    def for_path(self, path: str) -> Settings:
        """Returns the settings for a file or folder."""
        if self._fixed is not None:
            return self._fixed
        path = os.path.abspath(path)
        return self.for_folder(path if os.path.isdir(path) else os.path.dirname(path))

    def for_folder(self, folder: str) -> Settings:
        """As `for_path`, of an absolute path known to be a folder."""
        if self._fixed is not None:
            return self._fixed
        missing: list[str] = []
        found: Settings | None = None
        while folder not in self._by_folder:
            missing.append(folder)
            read = self._read_folder(folder)
            if read is not None:
                found = self._finish(read)
                break
            parent = os.path.dirname(folder)
            if parent == folder:
                found = self._finish(None)
                break
            folder = parent
        settings = found or self._by_folder[folder]
        for one in missing:
            self._by_folder[one] = settings
        return settings

    def _read_folder(self, folder: str) -> Settings | None:
        for name in ("torchlsp.toml", "pyproject.toml"):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                settings = _read_file(path, self._catalogue, explicit=False)
                if settings is not None:
                    return settings
        return None

    def _finish(self, settings: Settings | None) -> Settings:
        if settings is None:
            settings = Settings(
                root=os.getcwd(),
                select=self._overrides.default_select,
                ignore=self._overrides.default_ignore,
            )
        overrides = self._overrides
        if overrides.select is not None:
            settings = replace(settings, select=overrides.select, extend_select=())
        if overrides.respect_gitignore is not None:
            settings = replace(settings, respect_gitignore=overrides.respect_gitignore)
        return replace(
            settings,
            extend_select=(*settings.extend_select, *overrides.extend_select),
            ignore=(*settings.ignore, *overrides.ignore),
        )


def _read_file(path: str, catalogue: Catalogue, *, explicit: bool) -> Settings | None:
    """Returns the settings of a file; None when it is a pyproject.toml without our table (unless `explicit`)."""
    try:
        data = read_bytes(path, _MAX_BYTES)
    except OSError as failure:
        if not explicit and failure.errno != errno.EFBIG:
            return None
        raise ConfigError(f"{path}: cannot read the configuration: {failure.strerror}") from None
    if os.path.basename(path) == "pyproject.toml" and not explicit and b"torchlsp" not in data:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not valid UTF-8") from None
    return read_settings(path, text, catalogue, explicit=explicit)


def read_settings(path: str, text: str, catalogue: Catalogue, *, explicit: bool = False) -> Settings | None:
    """Returns the settings of a file's text; None when it is a pyproject.toml without our table (unless `explicit`).
    Raises WrongConfiguration with all mistakes in it."""
    is_pyproject = os.path.basename(path) == "pyproject.toml"
    if is_pyproject and not explicit and "torchlsp" not in text:
        return None
    section = "tool.torchlsp" if is_pyproject else ""
    reader = _Reader(path, text, section, catalogue)
    try:
        table = parse_toml(text)
    except ValueError as failure:
        mistake = _mistake_of_toml(str(failure), text)
        raise WrongConfiguration(path, f"{path}: not valid TOML: {failure}", [mistake]) from None
    except RecursionError:
        raise reader.nested_too_deeply() from None
    if is_pyproject:
        tool = table.get("tool", {})
        own = tool.get("torchlsp") if isinstance(tool, dict) else None
        if own is None:
            if explicit:
                raise ConfigError(f"{path}: has no table [tool.torchlsp]")
            return None
        if not isinstance(own, dict):
            message = "tool.torchlsp must be a table"
            raise WrongConfiguration(path, f"{path}: {message}", [reader.mistake("torchlsp", message)])
        table = own
    try:
        return reader.settings(table)
    except RecursionError:  # a message would quote the value
        raise reader.nested_too_deeply() from None


def _mistake_of_toml(failure: str, text: str) -> Mistake:
    """Returns the place that Python's reader of TOML names: a character, or the end."""
    rows = text.split("\n")
    found = _TOML_PLACE.search(failure)
    if found is None:
        row = max((number for number, one in enumerate(rows, 1) if one.strip()), default=1)
        start = 0
    else:
        row, start = min(int(found[1]), len(rows)), int(found[2]) - 1
    message = "not valid TOML: " + _TOML_PLACE.sub("", failure).strip()
    return Mistake(row, start, max(len(rows[row - 1].rstrip()), start + 1), message)


def parse_toml(text: str) -> Table:
    """Returns the table of a TOML text. Raises ValueError, and RecursionError for what is nested too deeply."""
    if _DEEP_KEY.search(text):
        raise RecursionError
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


# The reader of Python takes time in proportion to the square of a key's length.
_DEEP_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""")
_MAX_BYTES = 1_000_000
_TOML_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)")


class _Reader:
    """Converts one table to Settings and collects each mistake in it, with its place."""

    def __init__(self, path: str, text: str, section: str, catalogue: Catalogue) -> None:
        self.path = path
        self.rows = text.split("\n")
        self.section = section
        self.catalogue = catalogue
        self.mistakes: list[Mistake] = []

    def settings(self, table: Table) -> Settings:
        """Returns the settings of a table. Raises WrongConfiguration."""
        for key in table:
            if key not in KEYS:
                self._wrong(key, self._unknown(key, table[key]))
        found: dict[str, Any] = {}  # Any: fields of Settings, by name
        self._read(table, "", found)
        if self.mistakes:
            first = self.mistakes[0]
            raise WrongConfiguration(self.path, f"{self.path}:{first.row}: {first.message}", self.mistakes)
        exclude = found.pop("exclude", DEFAULT_EXCLUDE)
        exclude = (*exclude, *found.pop("extend_exclude", ()))
        root = os.path.dirname(os.path.abspath(self.path))
        return Settings(root=root, source=self.path, exclude=exclude, **found)

    def _unknown(self, key: str, value: Decoded) -> str:
        """Words that there is no such key, and of a table with options in it where they belong."""
        if _holds_options(value):
            place = f"directly in [{self.section}]" if self.section else "at the top of this file"
            return f"unknown table `{key}`: options stand {place}"
        return f"unknown key `{key}`{_meant(_nearest_key(key))}"

    def nested_too_deeply(self) -> WrongConfiguration:
        mistake = Mistake(1, 0, max(len(self.rows[0]), 1), "nested too deeply")
        return WrongConfiguration(self.path, f"{self.path}: nested too deeply", [mistake])

    def _read(self, table: Table, prefix: str, found: dict[str, object]) -> None:
        """Puts the values of a table's options into `found`, by field."""
        for key, value in table.items():
            option = _BY_NAME.get(prefix + key)
            if option is not None:
                found[option.field] = self._value(option, key, value)
            elif prefix:
                self._wrong(key, f"unknown key `{prefix}{key}`{_meant(_nearest_option(prefix))}")
            elif key in KEYS:
                self._read(dict(self._table(key, value)), f"{key}.", found)

    def _value(self, option: Option, key: str, value: Decoded) -> object:
        name = option.name
        match option.kind:
            case Kind.CODES:
                return self._codes(key, value)
            case Kind.STRINGS:
                return self._strings(key, value)
            case Kind.CODES_BY_PATTERN:
                return tuple(
                    (pattern, self._codes(pattern, codes)) for pattern, codes in self._table(key, value)
                )
            case Kind.SEVERITIES:
                return tuple(filter(None, (self._severity(*pair) for pair in self._table(key, value))))
            case Kind.BOOLEAN if not isinstance(value, bool):
                self._wrong(key, f"`{name}` must be true or false")
            case Kind.TEXT | Kind.VERSION if not isinstance(value, str):
                self._wrong(key, f"`{name}` must be a string")
            case Kind.VERSION if not re.fullmatch(VERSION, value):
                self._wrong(key, f"`{name}` must look like 2.13 or 2.13.0, not `{value}`")
            case Kind.DOCUMENTATION if value not in DOCUMENTATION:
                self._wrong(key, f"`{name}` must be {', '.join(DOCUMENTATION[:-1])} or {DOCUMENTATION[-1]}")
        return value

    def _severity(self, word: str, value: object) -> tuple[str, Severity] | None:
        self._code(word, word)
        try:
            return word, Severity(value)
        except ValueError:
            self._wrong(word, f"severity must be error, warning or info, not `{value}`")
            return None

    def _codes(self, key: str, value: object) -> tuple[str, ...]:
        words = self._strings(key, value)
        for word in words:
            self._code(key, word)
        return words

    def _code(self, key: str, word: str) -> None:
        if self.catalogue.selector(word) is None:
            nearest = self.catalogue.nearest(word, selects=True)
            self._wrong(word, f"unknown rule `{word}`{_meant(nearest)}", after=key)

    def _strings(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._wrong(key, f"`{key}` must be a list of strings")
            return ()
        return tuple(value)

    def _table(self, key: str, value: object) -> list[tuple[str, Decoded]]:
        if not isinstance(value, dict):
            self._wrong(key, f"`{key}` must be a table")
            return []
        return list(value.items())

    def _wrong(self, word: str, message: str, after: str | None = None) -> None:
        self.mistakes.append(self.mistake(word, message, after))

    def mistake(self, word: str, message: str, after: str | None = None) -> Mistake:
        """Returns a mistake at a word: the TOML reader keeps no positions, so the text is searched."""
        first = 0
        if self.section:
            first = next((i for i, row in enumerate(self.rows) if f"[{self.section}" in row), 0)
        if after is not None:
            first = next((i for i in range(first, len(self.rows)) if after in self.rows[i]), first)
        whole = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
        for index in range(first, len(self.rows)):
            found = whole.search(self.rows[index].split("#", 1)[0])
            if found is not None and word:
                return Mistake(index + 1, *found.span(), message)
        return Mistake(first + 1, 0, max(len(self.rows[first].rstrip()), 1), message)


def _holds_options(value: Decoded) -> bool:
    """Returns whether a value is a table with an option in it, or in a table of it."""
    if not isinstance(value, dict):
        return False
    return any(key in KEYS or _holds_options(inner) for key, inner in value.items())


def _nearest_key(key: str) -> str | None:
    from difflib import get_close_matches

    found = get_close_matches(key.replace("_", "-").lower(), KEYS, 1, 0.5)
    return found[0] if found else None


def _nearest_option(prefix: str) -> str | None:
    return next((name for name in _BY_NAME if name.startswith(prefix)), None)


def _meant(nearest: str | None) -> str:
    return f", did you mean `{nearest}`?" if nearest else ""
