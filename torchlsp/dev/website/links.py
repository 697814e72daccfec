"""Checks the pages of a built site: links, anchors, and text that the generator has not understood."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LEFT = re.compile(
    r"```|^\s*\|[-| ]+\||\]\([\w./#-]+\)|\{ ?[.#][\w-]+ ?\}|^\s*(?:- |\d+\. ).*\n\s*(?:- |\d+\. )",
    re.MULTILINE,
)
_MARKER = re.compile(r"# (?:expect: TL\d{3}|ok: )")
_ELSEWHERE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")


@dataclass(slots=True)
class Looked:
    """What one page links to, can be linked at, and says."""

    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    paragraphs: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Looked()
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        for key in ("id", "name"):
            if (word := given.get(key)) and (key == "id" or tag == "a"):
                self.page.anchors.add(word)
        for key in ("href", "src"):
            if (word := given.get(key)) is not None:
                self.page.links.append(word)
        if tag in ("p", "pre", "code", "script", "style"):
            self._inside.append(tag)
            if tag == "p":
                self.page.paragraphs.append("")
            elif tag == "pre":
                self.page.code.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside:
            while self._inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if "pre" in self._inside:
            self.page.code[-1] += data
        elif self._inside == ["p"]:
            self.page.paragraphs[-1] += data


def problems(folder: Path, *, markers_in: Iterable[str] = ()) -> list[str]:
    """Returns every link of a built site that leads nowhere on it, every anchor that is not there, and every page with
    Markdown or a marker of tests in its text. Pages below `markers_in` explain the markers and may have them."""
    pages = {path.relative_to(folder).as_posix(): _read(path) for path in sorted(folder.rglob("*.html"))}
    found: list[str] = []
    explained = tuple(markers_in)
    for name, page in pages.items():
        if name != "404.html":  # its links are those of the site's address
            found += [f"{name}: {why}" for why in _broken(name, page, pages, folder)]
        found += [
            f"{name}: Markdown in the text: {_LEFT.search(text)[0].strip()}"  # type: ignore[index] # it was found just now
            for text in page.paragraphs
            if _LEFT.search(text)
        ]
        if not name.startswith(explained or "\0"):
            found += [
                f"{name}: a marker of tests: {mark[0]}"
                for text in page.code
                if (mark := _MARKER.search(text))
            ]
    return found


def _read(path: Path) -> Looked:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader.page


def _broken(name: str, page: Looked, pages: dict[str, Looked], folder: Path) -> Iterator[str]:
    for link in dict.fromkeys(page.links):
        if _ELSEWHERE.match(link):
            continue
        parts = urlsplit(link)
        path = unquote(parts.path)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
        if path.startswith("/"):
            target = path.lstrip("/") or "."
        if path and (path.endswith("/") or (folder / target).is_dir()):
            target = posixpath.normpath(posixpath.join(target, "index.html"))
        if target.startswith("..") or not os.path.isfile(folder / target):
            yield f"no page: {link}"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
            yield f"no anchor: {link}"
