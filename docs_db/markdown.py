"""Converts docstrings to Markdown: reStructuredText with Sphinx's roles and directives and Google's sections.

Not by docutils, which wants indentation that is right and knows roles only when they are registered: docstrings are
written by hand and never compiled one by one. Nothing is lost here: what is not understood stays as text. Markdown that comes out needs no more than CommonMark; formulas become plain characters in code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlsp.docs_db.commonmark import (
    at_line_start,
    dedented,
    fenced,
    indentation,
    is_code,
    kind_of_mark,
    listed,
    quoted,
)
from torchlsp.docs_db.inline import Links, code, inline
from torchlsp.docs_db.mathematics import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# A third dot is a slip that torch makes.
_DIRECTIVE = re.compile(r"(?P<indent> *)\.\.\.? ?(?P<name>[A-Za-z][\w:+-]*?) ?:: ?(?P<rest>.*)$")
_TARGET = re.compile(r" *\.\. _(?P<name>`[^`]+`|(?:\\:|[^:`])+): *(?P<rest>.*)$")
_FOOTNOTE = re.compile(r" *\.\. (?P<mark>\[[#*\w]+\])(?: |$)(?P<rest>.*)$")
_COMMENT = re.compile(r" *\.\.(?: |$)")
_OPTION = re.compile(r" *:[\w-]+:(?: |$)")
_BULLET = re.compile(r"(?P<mark>[-*+•]|\(?(?:\d{1,3}|#|[a-zA-Z])[.)])(?P<gap> +)(?=\S)")
_UNDERLINE = re.compile(r"([-=~^\"'`#*+])\1{2,}$")
_FENCE = re.compile(r"(?P<ticks>`{3,}|~{3,})(?P<language>[\w+-]*)")
_GRID = re.compile(r"\+(?:[-=]+\+)+$")
_SIMPLE_TABLE = re.compile(r"=+(?: +=+)+$")
_FIELDS = "param parameter arg argument key keyword type returns return rtype raises raise yields ivar cvar var vartype"
_FIELD = re.compile(rf":(?P<name>{'|'.join(_FIELDS.split())})(?: (?P<of>[^:]+))?:(?: (?P<rest>.*)|$)")
_ITEM = re.compile(
    r"(?P<name>\*{0,2}`{0,2}[A-Za-z_][\w.*` /,-]{0,80}?(?:\[\w\]\w*)?)"
    r"(?: ?(?P<type>[(\[](?:[^()\[\]]|\([^()]*\)|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])*[)\]]))?"
    r" ?: (?P<rest>.*)|(?P<only>\*{0,2}[A-Za-z_][\w.]*)(?: ?(?P<its>\([^()]*(?:\([^()]*\)[^()]*)*\)))?:$"
)
# Shown, and as people write it.
_SECTION_NAMES = {
    "Args": "args|arg|arguments|parameters|params",
    "Inputs": "inputs",
    "Outputs": "outputs",
    "Keyword args": "keyword args|keyword arguments|kwargs",
    "Additional args": "additional args",
    "Other args": "other parameters",
    "Attributes": "attributes|variables",
    "Members": "members",
    "Raises": "raises|raise",
    "Returns": "returns|return",
    "Yields": "yields",
    "Shape": "shape",
    "Example": "example|example usage",
    "Examples": "examples",
    "Usage": "usage",
    "References": "references|reference",
    "Methods": "methods",
    "Properties": "properties",
}
_SECTIONS = {name: shown for shown, names in _SECTION_NAMES.items() for name in names.split("|")}
_WITH_ITEMS = frozenset(
    (
        "Args",
        "Keyword args",
        "Additional args",
        "Other args",
        "Attributes",
        "Members",
        "Raises",
        "Inputs",
        "Outputs",
    )
)
_ADMONITIONS = {
    "note": "Note",
    "notes": "Note",
    "warning": "Warning",
    "warn": "Warning",
    "warnings": "Warning",
    "caution": "Caution",
    "danger": "Danger",
    "attention": "Attention",
    "important": "Important",
    "hint": "Hint",
    "tip": "Tip",
    "todo": "To do",
    "seealso": "See also",
    "see also": "See also",
}
_SECTION = re.compile(
    rf"(?P<name>{'|'.join(sorted({*_SECTIONS, *_ADMONITIONS}, key=lambda name: (-len(name), name)))}) ?(?P<colons>::?)(?: +(?P<rest>\S.*))?$",
    re.IGNORECASE,
)
_CHANGES = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
    "deprecated-removed": "Deprecated since version",
}
_CODE = {
    "code-block": "python",
    "code": "python",
    "testcode": "python",
    "sourcecode": "python",
    "doctest": "python",
}
_CODE |= {
    "testoutput": "text",
    "parsed-literal": "text",
    "prompt": "shell",
    "ipython": "python",
    "testsetup": "python",
}
_DEFINED = frozenset(
    "function method class attribute data property exception decorator staticmethod classmethod".split()
)
_DEFINED |= {f"py:{name}" for name in _DEFINED}
# What they bring in is not in the docstring.
_DROPPED = frozenset(
    """include literalinclude testcleanup highlight automodule autoclass autofunction automethod autosummary
    currentmodule module toctree index only raw contents plot figure graphviz tabularcolumns py:module py:currentmodule
    role default-role container""".split()
)


def markdown(docstring: str, base: str | None = None) -> str:
    """Converts a docstring; `base` is the address of the manual's pages, for links of the `:doc:` role."""
    lines = docstring.expandtabs(8).replace("\r", "").split("\n")
    lines, targets = _without_targets([line.rstrip() for line in lines])
    try:
        return "\n\n".join(_blocks(lines, Links(base, targets)))
    except RecursionError:  # lists within lists, hundreds deep
        return fenced(lines, "text")


def _without_targets(lines: list[str]) -> tuple[list[str], dict[str, str]]:
    """Splits the lines into those without definitions of link targets, and the targets."""
    kept: list[str] = []
    targets: dict[str, str] = {}
    row = 0
    while row < len(lines):
        found = _TARGET.match(lines[row])
        row += 1
        if found is None:
            kept.append(lines[row - 1])
            continue
        address = found["rest"]
        body, end = _indented(lines, row, indentation(lines[row - 1]))
        if not address or (body and body[0] and " " not in body[0]):
            address += "".join(body).replace(" ", "")
            row = end
        if address:
            targets[" ".join(found["name"].replace("\\", "").strip("`").lower().split())] = address
    return kept, targets


def _blocks(lines: Sequence[str], links: Links) -> list[str]:
    """Returns Markdown of each block, without the lines' common indentation."""
    lines = dedented(lines)
    found: list[str] = []
    row = 0
    while row < len(lines):
        if not lines[row].strip():
            row += 1
            continue
        for read in _READERS:
            blocks = read(lines, row, links)
            if blocks is not None:
                break
        else:
            blocks = _paragraph(lines, row, links)
        texts, end = blocks
        assert end > row
        found.extend(text for text in texts if text.strip())
        row = end
    return found


Read = tuple[list[str], int]
"""Blocks of Markdown, and the row after what they were read from."""


def _fenced_already(lines: Sequence[str], row: int, links: Links) -> Read | None:
    found = _FENCE.match(lines[row].lstrip())
    if found is None or found["ticks"][0] in lines[row].lstrip()[len(found[0]) :]:
        return None
    end = next((at for at in range(row + 1, len(lines)) if lines[at].strip() == found["ticks"]), None)
    if end is None:
        return None
    return [fenced(lines[row + 1 : end], found["language"] or "python")], end + 1


def _doctest(lines: Sequence[str], row: int, links: Links) -> Read | None:
    if not lines[row].lstrip().startswith(">>>"):
        return None
    indent = indentation(lines[row])
    end = start = row
    while end < len(lines):
        if lines[end].lstrip().startswith(">>>"):
            start = end
        if lines[end].strip():
            # A section, a directive or another paragraph may follow with no line between.
            if indentation(lines[end]) < indent or _DIRECTIVE.match(lines[end]):
                break
            end += 1
            continue
        following = _next_filled(lines, end)
        if following is None or indentation(lines[following]) < indent:
            break
        # What torch prints of three dims and more has empty lines.
        is_open = _brackets(lines[start:end]) > 0 and not _DIRECTIVE.match(lines[following])
        if not is_open and not lines[following].lstrip().startswith((">>>", "...")):
            break
        end = following
    # Orders to the tool that runs torch's examples are none of a reader's business.
    shown = [line for line in lines[row:end] if not line.lstrip().startswith(">>> # xdoctest:")]
    return ([fenced(shown, "python")] if shown else []), end


def _brackets(lines: Sequence[str]) -> int:
    """Returns how many brackets are open after these lines."""
    text = "\n".join(lines)
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def _directive(lines: Sequence[str], row: int, links: Links) -> Read | None:
    found = _DIRECTIVE.match(lines[row])
    if found is None:
        return None
    body, end = _indented(lines, row + 1, len(found["indent"]))
    while body and _OPTION.match(body[0]) and not _FIELD.match(body[0].strip()):
        body = body[1:]
    name, rest = found["name"].lower(), found["rest"].strip()
    if name == "math":
        text = "\n".join(
            dedented([rest, *body] if not body else [*([rest] if rest else []), *dedented(body)])
        )
        return [fenced(plain(text).split("\n"), "text")], end
    if name in _CODE:
        return [fenced(body, rest.split()[0] if rest and name != "prompt" else _CODE[name])], end
    if name in _ADMONITIONS:
        return [_admonition(_ADMONITIONS[name], _after_rest(rest, body), links)], end
    if name in _CHANGES:
        version, _, said = rest.partition(" ")
        return [_admonition(f"{_CHANGES[name]} {version}", _after_rest(said, body), links)], end
    if name == "admonition":
        return [_admonition(inline(rest, links), body, links)], end
    if name == "image":
        return [f"[image]({rest})"] if rest.startswith(("http://", "https://")) else [], end
    if name in _DEFINED:
        return [code(rest), *_blocks(body, links)], end
    if name == "list-table":
        return [_list_table(rest, body, links)], end
    if name == "rubric":
        return [f"**{inline(rest, links)}**", *_blocks(body, links)], end
    if name in _DROPPED:
        return [], end
    heading = _unknown(found["name"], rest, links)
    return [heading, *_blocks(body, links)], end


def _unknown(name: str, rest: str, links: Links) -> str:
    return f"**{inline(name.replace('-', ' ').capitalize(), links)}** {inline(rest, links)}".strip()


def _comment(lines: Sequence[str], row: int, links: Links) -> Read | None:
    """Keeps a footnote and drops a comment."""
    found = _FOOTNOTE.match(lines[row])
    if found is None and not _COMMENT.match(lines[row]):
        return None
    body, end = _indented(lines, row + 1, indentation(lines[row]))
    if found is None:
        return [], end
    return [
        " ".join([found["mark"].replace("#", ""), *_blocks(_after_rest(found["rest"], body), links)])
    ], end


def _table(lines: Sequence[str], row: int, links: Links) -> Read | None:
    """Keeps a grid or simple table as it is drawn: cells over several lines have no form in Markdown."""
    text = lines[row].strip()
    is_grid = bool(_GRID.match(text))
    if not is_grid and not _SIMPLE_TABLE.match(text):
        return None
    end = row
    if is_grid:
        while end < len(lines) and lines[end].lstrip().startswith(("+", "|")):
            end += 1
    else:
        borders = [at for at in range(row, len(lines)) if _SIMPLE_TABLE.match(lines[at].strip())][:3]
        if len(borders) < 2:
            return None
        end = borders[-1] + 1
    return [fenced(lines[row:end], "text")], end


def _heading(lines: Sequence[str], row: int, links: Links) -> Read | None:
    """Converts a heading, underlined or between lines."""
    text = lines[row].strip()
    if (
        _UNDERLINE.match(text)
        and row + 2 < len(lines)
        and lines[row + 2].strip() == text
        and lines[row + 1].strip()
    ):
        return [f"**{inline(lines[row + 1].strip(), links)}**"], row + 3
    if _UNDERLINE.match(text):
        # A transition, or half of a heading.
        return [], row + 1
    if (
        row + 1 < len(lines)
        and _UNDERLINE.match(lines[row + 1].strip())
        and indentation(lines[row]) == indentation(lines[row + 1])
    ):
        return [f"**{inline(text, links)}**"], row + 2
    return None


def _section(lines: Sequence[str], row: int, links: Links) -> Read | None:
    """Converts a section in Google's style: a word and a colon, and what is indented below it."""
    found = _SECTION.match(lines[row].strip())
    if found is None or (found["rest"] and not found["name"][0].isupper()):
        return None
    indent = indentation(lines[row])
    body, end = _indented(lines, row + 1, indent)
    name = " ".join(found["name"].lower().split())
    if found["rest"]:
        # The rest of the paragraph may not be indented.
        while not body and end < len(lines) and lines[end].strip() and not _starts_block(lines[end]):
            end += 1
        body = _after_rest(found["rest"], [*lines[row + 1 : end]] if not body else body)
    if name in _ADMONITIONS:
        if not body:
            start = _next_filled(lines, row + 1)
            if start is None:
                return [], end
            texts, end = _one_block(lines, start, links)
            return [quoted(_ADMONITIONS[name], texts)], end
        return [_admonition(_ADMONITIONS[name], body, links)], end
    heading = f"**{_SECTIONS[name]}**"
    if not body:
        return [heading], end
    if _SECTIONS[name] in _WITH_ITEMS:
        return [heading, *_items(body, links)], end
    if found["colons"] == "::" or _SECTIONS[name] in ("Example", "Examples", "Usage"):
        if is_code(body, is_certain=found["colons"] == "::"):
            return [heading, fenced(body, "python")], end
    return [heading, *_blocks(body, links)], end


def _one_block(lines: Sequence[str], row: int, links: Links) -> Read:
    for read in _READERS:
        found = read(lines, row, links)
        if found is not None:
            return found
    return _paragraph(lines, row, links)


def _list(lines: Sequence[str], row: int, links: Links) -> Read | None:
    """Converts a list, whatever the marks of its items, with or without empty lines between them."""
    indent = indentation(lines[row])
    first = _BULLET.match(lines[row].lstrip())
    if first is None or _is_prose(first["mark"], lines, row):
        return None
    items: list[tuple[str, list[str]]] = []
    end = row
    while end < len(lines):
        at = _next_filled(lines, end)
        if at is None or indentation(lines[at]) != indent:
            break
        found = _BULLET.match(lines[at].lstrip())
        if found is None or kind_of_mark(found["mark"]) != kind_of_mark(first["mark"]):
            break
        body, end = _indented(lines, at + 1, indent)
        width = len(found[0])
        rest = lines[at].lstrip()[width:]
        items.append((found["mark"], _hanging(rest, body)))
    return [listed([(mark, _blocks(body, links)) for mark, body in items])], end


def _is_prose(mark: str, lines: Sequence[str], row: int) -> bool:
    """ "a. " and "I. " may as well begin a sentence: a list has a second item or nothing before it."""
    if not mark.strip("().").isalpha():
        return False
    following = [
        line for line in lines[row + 1 :] if line.strip() and indentation(line) == indentation(lines[row])
    ]
    return mark.strip("().") not in "aAi" or not any(_BULLET.match(line.lstrip()) for line in following[:1])


def _hanging(rest: str, body: Sequence[str]) -> list[str]:
    """Returns an item's lines: the first after its mark, the others aligned with their first paragraph."""
    rest = rest.strip()
    head = []
    for line in body:
        if not line.strip():
            break
        head.append(line)
    if head and not (_starts_block(head[0]) or head[0].lstrip().startswith(">>>")):
        return [
            rest,
            *(
                line.lstrip() if len({*map(indentation, head)}) == 1 else line[min(map(indentation, head)) :]
                for line in head
            ),
            *dedented(body[len(head) :]),
        ]
    return [rest, *([""] if head else []), *dedented(body)]


def _field_list(lines: Sequence[str], row: int, links: Links) -> Read | None:
    found = _FIELD.match(lines[row].lstrip())
    if found is None:
        return None
    indent = indentation(lines[row])
    items: list[tuple[str, list[str]]] = []
    end = row
    while end < len(lines):
        found = _FIELD.match(lines[end].lstrip())
        if found is None or indentation(lines[end]) != indent:
            break
        body, after = _indented(lines, end + 1, indent)
        of = (found["of"] or "").split()
        label = code(of[-1]) if of else found["name"].capitalize()
        if found["name"] in ("type", "rtype"):
            label = f"{label}, type" if of else "Return type"
        kind = f" (*{inline(' '.join(of[:-1]), links)}*)" if len(of) > 1 else ""
        items.append(
            (
                "-",
                _labelled(
                    f"**{label}**{kind}" if not of else f"{label}{kind}",
                    _blocks(_after_rest(found["rest"] or "", body), links),
                ),
            )
        )
        end = after
    return [listed(items)], end


def _items(body: Sequence[str], links: Links) -> list[str]:
    """Converts `name (type): text` to list items; what has another form is converted as elsewhere."""
    lines = dedented(body)
    found: list[str] = []
    items: list[tuple[str, list[str]]] = []
    row = 0
    while row < len(lines):
        if not lines[row].strip():
            row += 1
            continue
        item = _ITEM.match(lines[row].strip()) if not _starts_block(lines[row]) else None
        rest, end = _indented(lines, row + 1, indentation(lines[row]))
        if item is not None and (item["rest"] or rest):
            items.append(("-", _item(item, rest, links)))
            row = end
            continue
        if items:
            found.append(listed(items))
            items = []
        texts, row = _one_block(lines, row, links)
        found.extend(texts)
    if items:
        found.append(listed(items))
    return found


def _item(item: re.Match[str], body: Sequence[str], links: Links) -> list[str]:
    name = (item["name"] or item["only"]).replace("`", "").strip()
    kind = item["type"] or item["its"]
    label = ", ".join(code(part.strip()) for part in name.split(",") if part.strip())
    if kind:
        label += f" ({inline(kind[1:-1].strip(), links)})"
    return _labelled(label, _blocks(_hanging(item["rest"] or "", body), links))


def _labelled(label: str, blocks: list[str]) -> list[str]:
    if not blocks:
        return [label]
    if blocks[0].startswith(("- ", "> ", "```", "1. ", "**")):
        return [f"{label}:", *blocks]
    return [f"{label}: {blocks[0]}", *blocks[1:]]


def _paragraph(lines: Sequence[str], row: int, links: Links) -> Read:
    indent = indentation(lines[row])
    end = row + 1
    while end < len(lines) and lines[end].strip() and not _starts_block(lines[end]):
        if (
            _SECTION.match(lines[end].strip())
            and not (_SECTION.match(lines[end].strip()) or {"rest": ""})["rest"]
        ):
            break
        if indentation(lines[end]) != indent and indentation(lines[end]) < indent:
            break
        if _UNDERLINE.match(lines[end].strip()):
            break
        end += 1
    text = " ".join(line.strip() for line in lines[row:end])
    if text.endswith("::"):
        return _literal(text, lines, end, indent, links)
    # `..` and `:` alone are leftovers of markup.
    said = inline(text, links) if text.strip(".: ") or len(text) == 3 else ""
    return [at_line_start(said)], end


def _literal(text: str, lines: Sequence[str], row: int, indent: int, links: Links) -> Read:
    """Converts a paragraph that ends in `::`, and the code below it."""
    said = text[:-2].rstrip()
    blocks = [at_line_start(inline(f"{said}:", links))] if said else []
    body, end = _indented(lines, row, indent)
    if not body:
        return blocks, end
    return [*blocks, fenced(body, "python" if is_code(body, is_certain=False) else "text")], end


def _indented_block(lines: Sequence[str], row: int, links: Links) -> Read | None:
    if not indentation(lines[row]):
        return None
    body, end = _indented([*lines], row, 0)
    if not _starts_block(body[0]) and is_code(body, is_certain=False):
        return [fenced(body, "python")], end
    return _blocks(body, links), end


_READERS: tuple[Callable[[Sequence[str], int, Links], Read | None], ...] = (
    _fenced_already,
    _doctest,
    _directive,
    _comment,
    _table,
    _heading,
    _section,
    _list,
    _field_list,
    _indented_block,
)


def _starts_block(line: str) -> bool:
    """Returns whether a line ends a paragraph without an empty line before it, unlike for strict readers."""
    text = line.lstrip()
    if text.startswith((">>>", "```", ".. ", "1. ", "1) ")):
        return True
    found = _BULLET.match(text)
    # A dash or a star may be a minus or a product in a paragraph that was wrapped.
    return found is not None and found["mark"] in ("-", "*", "•", "+") and not text.startswith(("* (", "- ("))


def _list_table(title: str, body: Sequence[str], links: Links) -> str:
    rows: list[list[str]] = []
    for line in dedented(body):
        text = line.strip()
        if text.startswith("* -"):
            rows.append([text[3:].strip()])
        elif rows and text.startswith("- "):
            rows[-1].append(text[2:].strip())
        elif rows and text:
            rows[-1][-1] += f" {text}"
    if not rows:
        return ""
    width = max(map(len, rows))
    cells = [
        [inline(cell, links).replace("|", r"\|") for cell in [*row, *[""] * (width - len(row))]]
        for row in rows
    ]
    drawn = [f"| {' | '.join(row)} |" for row in cells]
    drawn.insert(1, "|" + "---|" * width)
    return "\n".join([*([f"**{inline(title, links)}**", ""] if title else []), *drawn])


def _admonition(title: str, body: Sequence[str], links: Links) -> str:
    return quoted(title, _blocks(body, links))


def _after_rest(rest: str, body: Sequence[str]) -> list[str]:
    """Returns a body whose first line is on the line of its heading."""
    return [rest, *dedented(body)] if rest else [*body]


def _indented(lines: Sequence[str], row: int, indent: int) -> tuple[list[str], int]:
    """Returns the deeper indented or empty lines from a row on, and the row after them."""
    end = row
    last = row
    while end < len(lines) and (not lines[end].strip() or indentation(lines[end]) > indent):
        end += 1
        if lines[end - 1].strip():
            last = end
    return [*lines[row:last]], last if last > row else row


def _next_filled(lines: Sequence[str], row: int) -> int | None:
    return next((at for at in range(row, len(lines)) if lines[at].strip()), None)
