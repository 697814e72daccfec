"""Says whose repository this is and what of it is published; `python -m torchlsp.dev publication` changes it.

Texts, URLs and workflows that depend on it are written from here (`torchlsp/dev/publication.py`), so nothing else is edited by hand.
"""

from __future__ import annotations

from torchlsp.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Publication:
    """`owner` is the account or organisation on GitHub that has the repository, empty while there is none."""

    owner: str
    on_pypi: bool
    has_site: bool

    @property
    def repository(self) -> str:
        """Returns the address of the repository; empty while it has none."""
        return f"https://github.com/{self.owner}/torchlsp" if self.owner else ""

    @property
    def requirement(self) -> str:
        """Returns what pip is to install where no copy of the repository is at hand; `$TORCHLSP_REPOSITORY` stands for
        the address of a copy that only the user knows."""
        if self.on_pypi:
            return "torchlsp"
        return f"torchlsp @ git+{self.repository or '$TORCHLSP_REPOSITORY'}"

    @property
    def site_address(self) -> str:
        """Returns the address at which the site is, or would be, published; empty while that is not known."""
        return f"https://{self.owner.lower()}.github.io/torchlsp/" if self.owner else ""

    @property
    def rules_url(self) -> str:
        """Returns the address to which a rule's code is added for its page; empty until the site is published."""
        return f"{self.site_address}rules/" if self.has_site and self.owner else ""


CURRENT = Publication(owner="", on_pypi=False, has_site=False)
