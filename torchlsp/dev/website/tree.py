"""Writes the Markdown tree of the site, and the configuration of the generator that builds it."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from torchlsp.core.publication import CURRENT
from torchlsp.dev.website import references

ROOT = Path(__file__).parents[3]
DOCUMENTS = (
    ("Use", "docs/checking.md", "check.md"),
    ("Use", "docs/configuration.md", "configuration.md"),
    ("Use", "docs/ci.md", "ci.md"),
    ("Use", "editors/README.md", "editors.md"),
    ("Use", "editors/vscode/README.md", "vscode.md"),
    ("Use", "docs/agents.md", "agents.md"),
    ("Use", "editors/agents/README.md", "agent-plugin.md"),
    ("Use", "docs/proven.md", "proven.md"),
    ("Use", "docs/recording.md", "recording.md"),
    ("Use", "docs/hangs.md", "hangs.md"),
    ("Use", "docs/privacy.md", "privacy.md"),
    ("Use", "docs/limits.md", "limits.md"),
    ("Project", "CHANGELOG.md", "changelog.md"),
    ("Project", "CONTRIBUTING.md", "contributing.md"),
    ("Project", "SECURITY.md", "security.md"),
    ("Project", "docs/releasing.md", "releasing.md"),
    ("Project", "ARCHITECTURE.md", "architecture.md"),
)
"""Section of the site, file in the repository, page on the site."""
COPIED = (
    ("docs/torchlsp.schema.json", "torchlsp.schema.json"),
    ("editors/vscode/media/icon.svg", "icon.svg"),
)
STYLE = """\
.md-grid { max-width: 72rem; }
.wraps code { white-space: pre-wrap; overflow-wrap: anywhere; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 0 .8rem; }
.sides > div { min-width: 0; }
.sides .highlight { margin-top: 0; }
.wrong .filename, .highlight:has(> .filename) { overflow-wrap: anywhere; }
.wrong > .highlight > .filename { border-left: .2rem solid #d33; }
.right > .highlight > .filename { border-left: .2rem solid #2a8; }
.md-typeset table:not([class]) td, .md-typeset table:not([class]) th { min-width: 0; }
.md-typeset table:not([class]) td:nth-child(2) { min-width: 9rem; }
.md-typeset table:not([class]) td:first-child code { white-space: nowrap; }
"""

WIDE = "---\nhide:\n  - toc\n---\n\n"
"""Above a page whose programs stand beside each other: without the list of its sections there is room."""

_FENCE = re.compile(r" *(`{3,})")
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_CODE = re.compile(r"(`+).+?\1")
_RULE = re.compile(r"(?<![\w\[/])TL\d{3}(?![\w\]])")
_ITEM = re.compile(r" *(?:[-*] |\d+\. )")


def write(out: Path) -> int:
    """Writes the tree below `out`; returns the number of pages."""
    found = pages()
    folder = out / "pages"
    for name, text in found.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WIDE + text if 'class="sides"' in text else text, encoding="utf-8")
    (folder / "site.css").write_text(STYLE, encoding="utf-8")
    for origin, name in COPIED:
        if (ROOT / origin).is_file():
            (folder / name).write_bytes((ROOT / origin).read_bytes())
    for picture in sorted((ROOT / "editors" / "vscode" / "media").glob("*.png")):
        (folder / "media").mkdir(exist_ok=True)
        (folder / "media" / picture.name).write_bytes(picture.read_bytes())
    (out / "zensical.toml").write_text(configuration(found), encoding="utf-8")
    return len(found)


def pages() -> dict[str, str]:
    """Returns the text of every page by its path on the site."""
    raw = references.rule_pages() | references.note_pages() | references.error_pages()
    found = {name: _for_generator(text) for name, text in raw.items()}
    places = _places()
    for origin, name in places.items():
        if name in found:
            continue
        text = (ROOT / origin).read_text(encoding="utf-8")
        if name == "configuration.md":
            text += references.list_of_options()
        found[name] = _for_generator(with_links(text, origin, name, places))
    codes = {Path(name).stem for name in found if re.fullmatch(r"rules/TL\d{3}\.md", name)}
    return {name: with_rules_linked(text, name, codes) for name, text in found.items()}


def _places() -> dict[str, str]:
    """Returns the page of each document of the repository that has one."""
    places = {"README.md": "index.md", "rules": "rules/index.md"}
    places |= {origin: name for _, origin, name in DOCUMENTS if (ROOT / origin).is_file()}
    designs = sorted((ROOT / "docs" / "design").glob("*.md"))
    return places | {f"docs/design/{path.name}": f"design/{path.name}" for path in designs}


def with_links(text: str, origin: str, name: str, places: dict[str, str]) -> str:
    """Returns a document with its links to files of the repository turned into links to pages.

    A file without a page is linked in the repository, where that is known; else its link is only its text."""

    def replaced(found: re.Match[str]) -> str:
        picture, title, target = found.groups()
        if picture:
            return f"![{title}]({_relative(f'media/{posixpath.basename(target)}', name)})"
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        path, hash_, anchor = target.partition("#")
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
        if whole in dict(COPIED):
            return f"[{title}]({_relative(dict(COPIED)[whole], name)})"
        if whole in places:
            return f"[{title}]({_relative(places[whole], name)}{hash_}{anchor})"
        if CURRENT.repository:
            return f"[{title}]({CURRENT.repository}/blob/main/{whole})"
        return title

    return "\n".join(
        _LINK.sub(replaced, line) if is_text else line for line, is_text in _lines(text.split("\n"))
    )


def with_rules_linked(text: str, name: str, codes: Iterable[str]) -> str:
    """Returns a page on which each code of a rule in running text is a link to the rule's page."""
    own = Path(name).stem

    def linked(found: re.Match[str]) -> str:
        code = found[0]
        if code == own or code not in codes:
            return code
        return f"[{code}]({_relative(f'rules/{code}.md', name)})"

    def outside(line: str) -> str:
        kept: list[str] = []
        at = 0
        for part in re.finditer(
            rf"{_CODE.pattern}|{_LINK.pattern.replace(chr(40) + '!?' + chr(41), '!?')}", line
        ):
            kept += [_RULE.sub(linked, line[at : part.start()]), part[0]]
            at = part.end()
        return "".join([*kept, _RULE.sub(linked, line[at:])])

    return "\n".join(
        outside(line) if is_text and not line.startswith(("#", "???")) else line
        for line, is_text in _lines(text.split("\n"))
    )


def _for_generator(text: str) -> str:
    """Returns Markdown that Python-Markdown reads as GitHub does: a blank line before lists and tables, and
    what belongs to an item indented by four."""
    written: list[str] = []
    in_list = False
    for line, is_text in _lines(text.split("\n")):
        begins = is_text and (_ITEM.match(line) is not None or line.lstrip().startswith("|"))
        before = written[-1] if written else ""
        kind = "|" if line.lstrip().startswith("|") else "-"
        continues = before.lstrip().startswith("|") if kind == "|" else in_list
        if begins and before.strip() and not continues:
            written.append("")
        if is_text and _ITEM.match(line):
            in_list = True
        elif is_text and line and not line.startswith(" "):
            in_list = in_list and bool(before.strip())
        if in_list and re.match(r" {2,3}\S", line) and not _ITEM.match(line):
            line = f"    {line.lstrip()}"
        written.append(line)
    return "\n".join(written)


def _lines(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yields each line, and whether it is text rather than part of a fenced block."""
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        if not fence and found:
            fence = found[1]
            yield line, False
        elif fence:
            if found and found[1] == fence and not line.strip().strip("`"):
                fence = ""
            yield line, False
        else:
            yield line, True


def _relative(target: str, page: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def navigation(found: dict[str, str]) -> list[Any]:
    """Returns the navigation of the site: sections, and their pages in order."""

    def title(name: str) -> str:
        return found[name].partition("\n")[0].removeprefix("# ").replace("`", "")

    def section(names: Iterable[str]) -> list[Any]:
        return [{title(name): name} for name in names]

    documents = [(where, name) for where, _, name in DOCUMENTS if name in found]
    families = references.families_of_rules()
    own = sorted(set(map(str, (Path(name) for name in found if name.startswith("rules/TL00")))))
    notes: dict[str, list[str]] = {}
    for path in references.note_paths():
        notes.setdefault(path.parent.name.replace("_", " ").capitalize(), []).append(
            f"notes/{path.parent.name}/{path.stem}.md"
        )
    return [
        {"torchlsp": "index.md"},
        {"Use": section(name for where, name in documents if where == "Use")},
        {
            "Rules": [
                "rules/index.md",
                {"How facts are written": "rules/notation.md"},
                *({family: section(map(str, names))} for family, names in families.items()),
                {"Of the tool itself": section(own)},
            ]
        },
        {
            "Notes on torch": [
                "notes/index.md",
                *({family: section(names)} for family, names in sorted(notes.items())),
            ]
        },
        {"Errors": ["errors/index.md", *section(f"errors/{entry.id}.md" for entry in references.entries())]},
        {
            "Project": [
                *section(name for where, name in documents if where == "Project"),
                {"Design": section(sorted(name for name in found if name.startswith("design/")))},
            ]
        },
    ]


def configuration(found: dict[str, str]) -> str:
    """Returns the text of zensical.toml. Nothing is loaded from other hosts."""
    project: dict[str, Any] = {
        "site_name": "torchlsp",
        "site_description": "Finds PyTorch mistakes in code that carries no annotations",
        "docs_dir": "pages",
        "site_dir": "html",
        "extra_css": ["site.css"],
        "nav": navigation(found),
    }
    if CURRENT.repository:
        project |= {"repo_url": CURRENT.repository, "site_url": CURRENT.site_address}
    rows = ["[project]", *(f"{key} = {_toml(value)}" for key, value in project.items())]
    features = (
        "content.code.copy",
        "navigation.footer",
        "navigation.indexes",
        "navigation.path",
        "navigation.prune",
        "navigation.tabs",
        "navigation.top",
        "search.highlight",
        "toc.follow",
    )
    rows += ["", "[project.theme]", "font = false", f"features = {_toml(list(features))}"]
    rows += ['logo = "icon.svg"', 'favicon = "icon.svg"']
    for scheme, icon, other in (("default", "sun", "dark"), ("slate", "moon", "light")):
        media = "dark" if scheme == "slate" else "light"
        rows += [
            "",
            "[[project.theme.palette]]",
            f'media = "(prefers-color-scheme: {media})"',
            f'scheme = "{scheme}"',
            f'toggle.icon = "lucide/{icon}"',
            f'toggle.name = "Switch to {other} mode"',
        ]
    rows += [
        "",
        "[project.markdown_extensions]",
        "admonition = {}",
        "attr_list = {}",
        "md_in_html = {}",
        "sane_lists = {}",
        "tables = {}",
        "toc.permalink = true",
        "pymdownx.details = {}",
        "pymdownx.highlight.pygments_lang_class = true",
        "pymdownx.superfences = {}",
    ]
    return "\n".join(rows) + "\n"


def _toml(value: object) -> str:
    """Returns a value in TOML, on one line."""
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{json.dumps(key, ensure_ascii=False)} = {_toml(one)}" for key, one in value.items())
            + " }"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
