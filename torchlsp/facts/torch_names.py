"""Looks up what each release of torch has: public names and the names of parameters, without torch.

The table is one text in `torch_table`, written by `python -m torchlsp.dev torch-api` and read on the first question. A line
begins with a namespace (`torch.nn`) or a function (`torch.tril()`), tells in which releases all of it is known, and lists its
names; a name that only some of these have says which. What is not in the table is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from torchlsp.facts.tri import Tri

Version = tuple[int, int]

OTHER_SPELLINGS = {
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
}
"""NumPy's names of arguments, which torch's C functions take as well."""
MODULES = "modules"
"""The namespace of the modules themselves, by their full names."""
_WIDTH = 118


@dataclass(frozen=True, slots=True)
class Known:
    """A namespace or a function: the releases (as bits, the oldest lowest) in which it is known, and those of
    each name."""

    releases: int
    names: Mapping[str, int]


@dataclass(slots=True)
class TorchNames:
    """The names of the torch release that a file is checked for. `version` None: none is known, so it is the
    newest of the table."""

    version: Version | None = None
    may_be_newer: bool = False
    """Whether what says so may be older than the program: what later releases have is not missing."""
    _bit: int | None = field(default=None, init=False, repr=False)

    def has(self, namespace: str, name: str) -> Tri:
        """Returns whether the namespace has this name. Unknown where not all of its names are known."""
        return self._given(namespace, name)

    def takes(self, function: str, keyword: str) -> Tri:
        """Returns whether an argument of the function may have this name."""
        answer = self._given(f"{function}()", keyword)
        if answer is Tri.NO and keyword in OTHER_SPELLINGS:
            return self._given(f"{function}()", OTHER_SPELLINGS[keyword])
        return answer

    def first_without(self, key: str, name: str) -> Version | None:
        """Returns the release from which on a name is gone; None where no release before this torch had it."""
        known, bit = _known(key), self.bit
        held = 0 if known is None else known.names.get(name, 0) & (bit - 1)
        return None if not held else known_releases()[held.bit_length()]

    def first_with(self, key: str, name: str) -> Version | None:
        """Returns the release after this torch in which a name is added; None where there is none."""
        known, bit = _known(key), self.bit
        later = 0 if known is None else known.names.get(name, 0) & ~(2 * bit - 1)
        return None if not later else known_releases()[(later & -later).bit_length() - 1]

    def names(self, namespace: str) -> tuple[str, ...]:
        """Returns the names of a namespace; none where they are not all known."""
        known = _known(namespace)
        if known is None or not known.releases & self.bit:
            return ()
        return tuple(name for name, held in known.names.items() if held & self.bit)

    def parameters(self, function: str) -> tuple[str, ...]:
        return self.names(f"{function}()")

    def always_takes(self, function: str, parameter: str) -> bool:
        """Returns whether no release that is known has a function without this parameter; true of what is not in the table."""
        known = _known(f"{function}()")
        return known is None or known.releases == known.names.get(parameter, 0)

    def most_parameters(self, function: str) -> int:
        """Returns how many parameters a function has had in all releases together; 0 if that is not known."""
        known = _known(f"{function}()")
        return 0 if known is None else len(known.names)

    def is_before(self, major: int, minor: int) -> bool:
        """Returns whether this torch is older than a release."""
        return (self.version or known_releases()[-1]) < (major, minor)

    @property
    def release(self) -> Version:
        """The release of the table that is used: this torch's, or the one nearest to it."""
        return known_releases()[self.bit.bit_length() - 1]

    @property
    def bit(self) -> int:
        if self._bit is None:
            releases = known_releases()
            wanted = self.version or releases[-1]
            older = [number for number, release in enumerate(releases) if release <= wanted]
            self._bit = 1 << (older[-1] if older else 0)
        return self._bit

    @property
    def _is_older_than_known(self) -> bool:
        """Whether this torch is older than the first release of the table, and may have what that has no more."""
        return self.version is not None and self.version < known_releases()[0]

    def _given(self, key: str, name: str) -> Tri:
        known = _known(key)
        if known is None or not known.releases & self.bit:
            return Tri.UNKNOWN
        held = known.names.get(name, 0)
        if not held and self._is_older_than_known:
            return Tri.UNKNOWN
        return Tri.of(bool(held & self.bit))


def parse_version(text: str) -> Version | None:
    """Returns `2.13.0+cpu` as (2, 13); None for what is not a version."""
    major, _, rest = text.partition(".")
    minor = rest.partition(".")[0]
    digits = "".join(char for char in minor if char.isdigit())
    return (int(major), int(digits)) if major.isdigit() and digits and minor.startswith(digits) else None


@cache
def known_releases() -> tuple[Version, ...]:
    from torchlsp.facts.torch_table import RELEASES

    found = (parse_version(release) for release in RELEASES.split())
    return tuple(release for release in found if release is not None)


@cache
def _lines() -> dict[str, str]:
    from torchlsp.facts.torch_table import TABLE

    found = {}
    for line in TABLE.replace("\n ", " ").splitlines():
        key, _, rest = line.partition(" ")
        found[key] = rest
    return found


@cache
def _known(key: str) -> Known | None:
    line = _lines().get(key)
    if line is None:
        return None
    head, *names = line.split(" ")
    releases = _bits(head)
    held = {}
    for one in names:
        name, _, spans = one.partition("@")
        held[name] = _bits(spans) if spans else releases
    return Known(releases, held)


def _bits(spans: str) -> int:
    """Parses `3-7,9-`: releases 3 to 6, and 9 on."""
    count, bits = len(known_releases()), 0
    for span in spans.split(","):
        first, _, last = span.partition("-")
        bits |= (1 << (int(last) if last else count)) - (1 << int(first or 0))
    return bits


def written(found: Mapping[Version, Mapping[str, Iterable[str]]]) -> str:
    """Returns the module `torch_table`, from the names of each release."""
    releases = sorted(found)
    held: dict[str, dict[str, int]] = {}
    known: dict[str, int] = {}
    for number, release in enumerate(releases):
        for key, names in found[release].items():
            known[key] = known.get(key, 0) | 1 << number
            of_key = held.setdefault(key, {})
            for name in names:
                of_key[name] = of_key.get(name, 0) | 1 << number
    lines = []
    for key in sorted(held):
        words = [key, _spans(known[key], len(releases))]
        for name, bits in sorted(held[key].items()):
            spans = "" if bits == known[key] else f"@{_spans(bits, len(releases))}"
            words.append(name + spans)
        lines.append(_wrapped(words))
    versions = " ".join(f"{major}.{minor}" for major, minor in releases)
    return (
        '"""Names of torch\'s releases, written by `python -m torchlsp.dev torch-api`; see `torch_names`.\n\nLong because it names all that torch has.\n"""\n\n'
        f'RELEASES = "{versions}"\nTABLE = """\\\n' + "\n".join(lines) + '\n"""  # noqa: E501\n'
    )


def _spans(bits: int, count: int) -> str:
    spans, number = [], 0
    while number < count:
        if not bits >> number & 1:
            number += 1
            continue
        end = number
        while end < count and bits >> end & 1:
            end += 1
        spans.append(f"{number}-{end if end < count else ''}")
        number = end
    return ",".join(spans)


def _wrapped(words: list[str]) -> str:
    """Wraps words on lines of the width of a page; all but the first line are indented."""
    lines, line = [], ""
    for word in words:
        if line and len(line) + len(word) >= _WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line or lines else word
    return "\n".join([*lines, line])


@lru_cache(1024)
def canonical(name: str) -> str:
    """Returns the public name of something that torch also has under the module it is defined in."""
    if not name.startswith("torch.") or name.startswith("torch.nn.modules.utils"):
        return name  # of which torch.nn.utils has nothing
    for prefix, public in _PUBLIC:
        if name.startswith(prefix):
            rest = name[len(prefix) :]
            return f"{public}{rest.rpartition('.')[2]}"
    return name


_PUBLIC = (
    ("torch.nn.modules.", "torch.nn."),
    ("torch.nn.parameter.", "torch.nn."),
    ("torch.nn.parallel.distributed.", "torch.nn.parallel."),
    ("torch.nn.parallel.data_parallel.", "torch.nn.parallel."),
    ("torch.distributed.distributed_c10d.", "torch.distributed."),
    ("torch.utils.data.dataloader.", "torch.utils.data."),
    ("torch.utils.data.dataset.", "torch.utils.data."),
    ("torch.utils.data.distributed.", "torch.utils.data."),
    ("torch.autograd.variable.", "torch.autograd."),
    ("torch.cuda.amp.grad_scaler.", "torch.cuda.amp."),
    *((f"torch.optim.{name}.", "torch.optim.") for name in (
        "sgd", "adam", "adamw", "optimizer", "rmsprop", "adagrad", "adadelta", "lbfgs", "radam", "nadam", "asgd", "rprop",
    )),
)  # fmt: skip
