"""Says of the dumps of a job where its ranks wait, where they differ, and where they parted."""

from __future__ import annotations

from collections.abc import Sequence

from torchlsp.core.records import dataclass
from torchlsp.hang.dumps import Dump, named_files, read_dumps
from torchlsp.hang.matching import Difference, differences, waits
from torchlsp.hang.parting import Parting, part
from torchlsp.hang.sources import Sources


@dataclass(frozen=True, slots=True)
class Account:
    """What the dumps of a job say. `refused` are files that could not be read, with the reason."""

    dumps: tuple[Dump, ...]
    refused: tuple[tuple[str, str], ...]
    missing: tuple[int, ...]
    """Ranks of which there is no dump."""
    differences: tuple[Difference, ...]
    parting: Parting | None
    unread: tuple[tuple[str, str], ...]
    """Files of the user's own that stacks name and that could not be read, with the reason."""

    @property
    def is_hanging(self) -> bool:
        """Returns whether some rank waits, or ranks have recorded different collectives."""
        return bool(self.differences) or any(waits(dump) is not None for dump in self.dumps)


def account(paths: Sequence[str], source: str | None = None) -> Account:
    """Reads the dumps of a job and compares them."""
    dumps, refused = read_dumps(named_files(paths))
    found = differences(dumps)
    sources = Sources(source)
    by_rank = {dump.rank: dump for dump in dumps}
    parting = part(by_rank, found[0], sources) if found else None
    return Account(
        tuple(dumps),
        tuple(refused),
        _missing(dumps),
        tuple(found),
        parting,
        tuple(sources.unread.items()),
    )


def _missing(dumps: Sequence[Dump]) -> tuple[int, ...]:
    """Returns the ranks that the dumps list, or that lie between those that are there, without a dump of their own."""
    there = {dump.rank for dump in dumps}
    named = {rank for dump in dumps for ranks in dump.members.values() for rank in ranks}
    if there:
        named |= set(range(min(max(there), 100_000)))
    return tuple(sorted(named - there))
