"""An imported file is read without its functions; what is known of it is what reading the whole tells."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from torchlsp.core.text import Document
from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options
from torchlsp.program.lower import lower
from torchlsp.syntax.parse import body_at, parse, parse_imported

OURS = sorted((Path(__file__).parents[2] / "torchlsp").glob("[!rd]*/**/*.py"))
LONG = "        value = value.reshape(-1).contiguous()  # flat, whatever it was before\n" * 4


def shown(value: object) -> object:
    """A node with all that is in it, places included."""
    if isinstance(value, (tuple, list)):
        return [shown(item) for item in value]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return [
            type(value).__name__,
            *(shown(getattr(value, field.name)) for field in dataclasses.fields(value)),
        ]
    return repr(value)


def facts(tree) -> list:
    module = lower(tree)
    return [
        shown(module.body), [function.qualname for function in module.functions], module.statement_starts, module.size,
        module.changed_names, module.changed_attributes, module.unknown_names,
    ]  # fmt: skip


@pytest.mark.parametrize("part", range(8))
def test_our_own_files_read_the_same(part: int) -> None:
    outlined = 0
    for path in OURS[part::24]:
        document = Document.from_bytes(path.name, path.read_bytes())
        tree = parse_imported(document)
        outlined += tree.outline is not None
        assert facts(tree) == facts(parse(document)), path.name
    assert outlined > 5


HARD = {
    "texts": f'class A:\n    """\ndef no():\n{LONG}    """\n\n    def f(self, value):\n{LONG}        return """\nclass B:\n"""\n',
    "headers": f"def f(\n    value: dict[str, int] = {{'a:': 1}},\n    *, key=lambda x: x,\n) -> 'int':  # why: \n{LONG}        return 1\n",
    "decorated": f"@first(\n    1\n)\n@second\nasync def f(value):\n{LONG}\n\n# after\n@third\ndef g(): pass\n",
    "wide": f"def f(value):\n{LONG}        return 'é' + 'ü', value  # ö\n\nclass Ä:\n    def g(self, value):\n{LONG}        é = 'ü'; return é\n",
    "joined": f"def f(value):\n{LONG}        return 1 + \\\n  2\n\nlast = 1\n",
    "inside": f"if True:\n    def f(value):\n    {LONG.replace(chr(10), chr(10) + '    ').rstrip()}\n\ndef g(value):\n{LONG}        class H:\n            def i(self):\n                yield value\n        return H\n",
    "nested quotes": f"def f(value):\n{LONG}        return f\"{{value!r:>{{'1'}}}}\"\n\nx = '\"'\n",
}


@pytest.mark.parametrize("name", HARD)
def test_hard_texts_read_the_same(name: str) -> None:
    text = HARD[name]
    tree = parse_imported(Document("a.py", text))
    assert tree.outline is not None and tree.outline.bodies
    assert len(tree.outline.bodies) >= text.count(LONG) - (name in ("texts",))
    assert facts(tree) == facts(parse(Document("a.py", text)))


@pytest.mark.parametrize(
    "text",
    [
        f"def f(value):\n\tif value:\n{LONG}",
        f"def f(value):\r\n{LONG}",
        f"def f(value):\n{LONG}        return g(\nvalue)\n",
        f"def f(value):\n{LONG}        return 1;\n",
        "x = 1\n",
        f"def f(value:\n{LONG}",
    ],
)
def test_what_does_not_fit_is_read_as_a_whole(text: str) -> None:
    assert parse_imported(Document("a.py", text)).outline is None


def test_a_tree_knows_the_whole_when_it_is_asked_for() -> None:
    document = Document("a.py", f"def f(value):\n{LONG}\n\nx = 1\n")
    tree = parse_imported(document)
    assert tree.problems == () and tree.blanked == ()
    assert len(tree.module.body) == 2 and len(tree.module.body[0].body) == 4


@pytest.mark.parametrize("first", ["a.py", "b.py"])
def test_a_function_that_does_not_parse_costs_what_it_costs_in_a_whole_file(
    tmp_path: Path, first: str
) -> None:
    """The name of a statement that does not parse is unknown, in whichever order files are read."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "b.py").write_text(
        f"import torch\n\ndef broken(value):\n{LONG}        return value(\n\n"
        f"def whole(value):\n{LONG}        return torch.zeros(2, 3)\n"
    )
    (tmp_path / "a.py").write_text(
        "import torch\nfrom b import broken, whole\n\n"
        "broken(torch.zeros(3)).view(7)\ntorch.zeros(2, 3).t().view(6)\nwhole(torch.zeros(3)).t().view(6)\n"
    )
    paths = sorted((str(tmp_path / name) for name in ("a.py", "b.py")), key=lambda path: first not in path)
    result = Engine(Options(Overrides(isolated=True))).check(paths)
    assert not result.internal_errors
    found = [(Path(one.path).name, one.rule) for one in result.findings]
    assert found == [("a.py", "TL101"), ("a.py", "TL101"), ("b.py", "TL000")]


def test_bodies_asked_for_after_one_that_does_not_parse() -> None:
    text = (
        f"def broken(value):\n{LONG}        return value(\n\ndef whole(value):\n{LONG}        return value\n"
    )
    tree = parse_imported(Document("model.py", text))
    assert tree.outline is not None
    broken, whole = tree.outline.bodies
    assert body_at(tree, broken) is None
    # Whoever holds a function of the outline may still ask for its body.
    assert body_at(tree, whole) is None
    assert tree.module is not None and tree.problems
