"""Converts inline reStructuredText to Markdown: roles, links, literals, emphasis, escapes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from torchlsp.docs_db.mathematics import plain


@dataclass(frozen=True, slots=True)
class Links:
    """The link targets of a docstring, in lower case, and `base`, the address of the manual's pages."""

    base: str | None = None
    targets: dict[str, str] = field(default_factory=dict)


_ROLE = r":(?P<{0}>[a-zA-Z]+(?:[:+.-][a-zA-Z]+)*):"
_TOKEN = re.compile(
    r"``(?P<literal>.+?)``(?!`)"
    rf"|{_ROLE.format('role')}[ ]?`(?P<said>[^`]+)(?<!:)`(?:__?)?"
    r"|`(?P<post>[^`]+)`:(?:attr|class|func|meth|math|ref|doc|obj|mod|data|code):"
    r"|`(?P<title>[^`<]*)<(?P<address>[^`>]+)>`__?"
    r"|`(?P<named>[^`]+)`__?(?!\w)"
    r"|`(?P<code>[^`]+)(?<!:)`"
    r"|(?P<markdown>!?\[[^\]\n]+\]\(https?://[^)\s]+\))"
    r"|(?P<url>https?://[^\s<>`]+)"
    r"|\$(?P<math>[^$`]{1,300}[\\^_=][^$`]{0,300})\$"
    r"|(?P<strong>\*\*(?=\S)[^*\n]+(?<=\S)\*\*)(?!\w)"
    r"|(?<!\w)(?P<emphasis>\*(?=[^\s*])[^*\n]+(?<=\S)\*)(?![\w*])"
    r"|\[(?P<note>#?[\w*]+)\]_"
    r"|(?<!\w)(?P<word>[A-Za-z][\w-]*?)__?(?![\w`])"
    r"|\\(?P<escaped>.)",
    re.DOTALL,
)
# Left where the markup was broken; the word itself still says what is meant.
_KNOWN_ROLES = "attr class func meth math ref doc obj mod data exc const code any term numref py:class py:meth py:func".split()
_STRAY = re.compile(rf":(?:py:)?(?:{'|'.join(map(re.escape, _KNOWN_ROLES))}):[ ]?`?")
_HTML = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w+;)")
_CALLED = ("func", "meth")
_QUIET = ("doc", "ref", "term", "numref", "any", "download")


def inline(text: str, links: Links) -> str:
    """Converts one paragraph, its lines joined by spaces or not."""
    parts: list[str] = []
    end = 0
    for found in _TOKEN.finditer(text):
        parts.append(_escaped(text[end : found.start()]))
        token = _token(found, links)
        if token.startswith("`") and parts[-1] == "" and len(parts) > 1 and parts[-2].endswith("`"):
            # Side by side their ticks would be those of one span.
            parts.append(" ")
        # What becomes nothing, as an escaped space, must not come between the two.
        if token:
            parts.append(token)
        elif parts[-1] == "":
            parts.pop()
        end = found.end()
    parts.append(_escaped(text[end:]))
    return "".join(parts)


def without_roles(text: str) -> str:
    """Removes roles from code, a table or a comment, where nothing is escaped and roles would stay visible."""
    text = re.sub(_ROLE.format("role") + r"`([^`\n]+)`", lambda found: _named(found["role"], found[2]), text)
    return _STRAY.sub("", text)


def code(text: str) -> str:
    """Returns a code span, whatever backticks the text has."""
    text = " ".join(text.split())
    if not text:
        return ""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _token(found: re.Match[str], links: Links) -> str:
    kind = found.lastgroup
    if kind == "literal":
        return code(_STRAY.sub("", found["literal"]))
    if kind == "said":
        return _role(found["role"], found["said"], links)
    if kind == "post":
        return code(found["post"])
    if kind == "address":
        title = " ".join(found["title"].split())
        address = "".join(found["address"].split())
        if address.endswith("_") and "://" not in address:
            address = links.targets.get(address[:-1].lower(), "")
        return _link(title or address, address)
    if kind == "named":
        name = " ".join(found["named"].replace("\\", "").split())
        target = links.targets.get(name.lower())
        return _link(name, target) if target else code(name)
    if kind == "code":
        return code(_STRAY.sub("", found["code"]))
    if kind in ("markdown", "url"):
        return found[0]
    if kind == "math":
        return code(plain(found["math"]))
    if kind in ("strong", "emphasis"):
        stars = "**" if kind == "strong" else "*"
        inner = found[kind][len(stars) : -len(stars)]
        # What stands between the stars may hold roles of its own, which reStructuredText forbids and people write.
        return f"{stars}{inline(inner, links) if '`' in inner else _escaped(inner)}{stars}"
    if kind == "note":
        return f"[{found['note'].lstrip('#')}]"
    if kind == "word":
        target = links.targets.get(found["word"].lower())
        return _link(found["word"], target) if target else _escaped(found[0])
    escaped = found["escaped"]
    return "" if escaped.isspace() else _escaped_always(escaped)


def _role(role: str, said: str, links: Links) -> str:
    role = role.lower().rpartition(":")[2]
    said = " ".join(said.split())
    if role == "math":
        return code(plain(said))
    title, _, target = said.partition("<")
    if role in _QUIET:
        shown = title.strip() if target else said.strip("/~!").replace("-", " ").replace("_", " ")
        path = target.rstrip("> ") or said
        if role == "doc" and links.base:
            return _link(shown or path, f"{links.base}/{path.strip('/')}.html")
        return _escaped(shown)
    if role in ("emphasis", "strong", "sup", "sub", "abbr"):
        return _escaped(said)
    return code(_named(role, said))


def _named(role: str, said: str) -> str:
    """Returns the text of a reference as Sphinx shows it: the last part after `~`, the title before
    `<target>`, brackets after a function."""
    role = role.lower().rpartition(":")[2]
    if role == "math":
        return plain(said)
    found = re.fullmatch(r"\s*([^<]+?)\s*<[^>]*>\s*", said)
    shown = found[1] if found else said.strip().lstrip("!")
    if shown.startswith("~"):
        shown = shown[1:].rpartition(".")[2]
    shown = shown.lstrip(".")
    if role in _CALLED and not found and re.fullmatch(r"[\w.]+", shown):
        return shown + "()"
    return shown


def _link(title: str, address: str) -> str:
    title = _escaped(title).replace("[", r"\[").replace("]", r"\]")
    if not re.match(r"https?://", address):
        return title
    address = address.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f"[{title}]({address})"


def _escaped(text: str) -> str:
    text = _STRAY.sub("", text)
    text = re.sub(r"([*`])", r"\\\1", text)
    text = re.sub(r"(?<![\w\\])(_+)(?=\w)", lambda found: r"\_" * len(found[1]), text)
    text = re.sub(r"(?<=\w)(_+)(?!\w)", lambda found: r"\_" * len(found[1]), text)
    text = _HTML.sub(lambda found: "&lt;" if found[0] == "<" else "&amp;", text)
    return text.replace("](", r"]\(")


def _escaped_always(character: str) -> str:
    return f"\\{character}" if character in r"\`*_<[]#" else character
