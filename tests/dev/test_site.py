"""`python -m torchlsp.dev site`: the pages that it makes of the project's files, and the check of their links."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

import pytest

from torchlsp.core import publication
from torchlsp.dev import site
from torchlsp.dev.website import links, references, tree
from torchlsp.docs_db.errors import entries
from torchlsp.docs_db.notes import note_paths
from torchlsp.engine.config_options import OPTIONS
from torchlsp.lint.pages import parse_page
from torchlsp.lint.registry import rules

PAGE = """\
# TL101 view-on-noncontiguous

*error · correctness · on by default*

It merges.

## Bad

```python bad raises="RuntimeError: view .* \\(really\\)"
x = torch.zeros(2, 3).t()
y = x.view(6)  # expect: TL101
```

```python fixed
x = torch.zeros(2, 3).t()
y = x.reshape(6)
```

## Good

```python good
y = x.view(2, 3)  # ok: nothing is merged
```

```python proof
assert ran
```

[How facts are written](../notation.md)
"""


def rendered(tmp_path: Path, text: str = PAGE) -> str:
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    return references.rule_page(parse_page(text, path))


def test_a_rules_page_has_bad_beside_fixed_with_labels_and_no_markers(tmp_path: Path) -> None:
    text = rendered(tmp_path)
    assert "expect" not in text and "ok:" not in text and "python bad" not in text and "raises=" not in text
    sides = text.partition('<div class="sides" markdown>')[2].partition("## Good")[0]
    bad, fixed = sides.split('<div class="right" markdown>')
    assert '```python title="Bad: RuntimeError: view … (really)" hl_lines="2"' in bad
    assert '```python title="Fixed" hl_lines="2"' in fixed and "y = x.reshape(6)\n" in fixed


def test_what_a_test_says_of_a_right_line_stays_as_a_comment(tmp_path: Path) -> None:
    assert "y = x.view(2, 3)  # nothing is merged\n" in rendered(tmp_path)


def test_programs_that_only_tests_need_are_folded(tmp_path: Path) -> None:
    after = rendered(tmp_path).partition("??? note")[2]
    assert "    ```python\n    assert ran\n    ```" in after


def test_a_wrong_program_without_a_fix_stands_alone(tmp_path: Path) -> None:
    text = re.sub(r"```python fixed.*?```\n", "", PAGE, flags=re.DOTALL)
    assert "sides" not in rendered(tmp_path, text)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return tree.pages()


def test_every_rule_note_error_and_document_has_a_page(pages: dict[str, str]) -> None:
    wanted = {f"rules/{info.code}.md" for info in rules()}
    wanted |= {f"notes/{path.parent.name}/{path.stem}.md" for path in note_paths()}
    wanted |= {f"errors/{entry.id}.md" for entry in entries()}
    wanted |= {"index.md", "editors.md", "design/groups.md", "rules/TL000.md", "rules/notation.md"}
    assert wanted - pages.keys() == set()
    names = [name.lower() for name in pages]
    assert len(set(names)) == len(names)


def test_lists_end_their_sentences_and_name_a_rule_that_is_off(pages: dict[str, str]) -> None:
    rows = [row for name in ("notes/index.md", "errors/index.md") for row in pages[name].split("\n")]
    assert len(rows) > 300
    assert [row for row in rows if row.endswith(": |")] == []
    named = re.search(r'extend-select = \["(TL\d+)"', pages["rules/index.md"])
    assert named is not None
    assert [info.is_default for info in rules() if info.code == named[1]] == [False]


def test_every_page_is_in_the_navigation(pages: dict[str, str]) -> None:
    def names(entry: Any) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        return [name for one in (entry.values() if isinstance(entry, dict) else entry) for name in names(one)]

    assert sorted(names(tree.navigation(pages))) == sorted(pages)


def test_links_between_pages_lead_to_pages_and_no_marker_is_left(pages: dict[str, str]) -> None:
    wrong = []
    for name, text in pages.items():
        prose = re.sub(r"(?ms)^ *(`{3,}).*?^ *\1$", "", text)
        prose = re.sub(r"(`+).+?\1", "", prose)
        for target in re.findall(r"\]\(([^)#\s]+\.md)\b[^)]*\)", prose):
            if (
                "://" not in target
                and posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) not in pages
            ):
                wrong.append(f"{name}: {target}")
        if name.startswith(("rules/", "notes/")) and re.search(r"# (?:expect|ok): ", text):
            wrong.append(f"{name}: a marker of tests")
    assert wrong == []


def test_a_rules_code_in_text_is_a_link_to_its_page() -> None:
    text = "# On TL102\n\nTL102 and `TL102`, [TL102](x), TL10.\n\n```text\nTL102\n```\n"
    assert tree.with_rules_linked(text, "notes/a.md", {"TL102"}) == text.replace(
        "\nTL102 and", "\n[TL102](../rules/TL102.md) and"
    )


def test_a_link_to_a_file_without_a_page_is_only_its_text() -> None:
    text = "[a](../pyproject.toml) [b](design/groups.md#upgrade) [c](https://x.y) ![d](../editors/vscode/media/hover.png)"
    assert tree.with_links(text, "docs/ci.md", "ci.md", {"docs/design/groups.md": "design/groups.md"}) == (
        "a [b](design/groups.md#upgrade) [c](https://x.y) ![d](media/hover.png)"
    )


def test_every_option_is_on_the_page_of_the_configuration(pages: dict[str, str]) -> None:
    table = pages["configuration.md"].partition("## All options")[2]
    assert [option.name for option in OPTIONS if f"| `{option.name}` |" not in table] == []


def html(body: str) -> str:
    return f"<html><body>{body}</body></html>"


def test_broken_links_anchors_and_leftovers_are_found(project) -> None:
    root = project(
        {
            "index.html": html(
                '<h1 id="top">x</h1><a href="a/#there">1</a><a href="a/#not-there">2</a><a href="b/">3</a>'
                '<a href="#top">4</a><a href="#bottom">5</a><img src="no.png"><a href="https://x.y/z">6</a>'
                '<a href="../outside.html">7</a>'
            ),
            "a/index.html": html(
                '<p id="there">text [link](a.md)</p><pre>x  # expect: TL101\n</pre><a href="..">up</a><a href="/a/">own</a>'
                "<p>one\n- two\n- three</p><p><code>[link](a.md)</code></p>"
            ),
        }
    )
    assert links.problems(root) == [
        "a/index.html: Markdown in the text: ](a.md)",
        "a/index.html: Markdown in the text: - two\n- three".replace("\n- three", "\n-"),
        "a/index.html: a marker of tests: # expect: TL101",
        "index.html: no anchor: a/#not-there",
        "index.html: no page: b/",
        "index.html: no anchor: #bottom",
        "index.html: no page: no.png",
        "index.html: no page: ../outside.html",
    ]
    assert len(links.problems(root, markers_in=["a/"])) == 7


def test_a_site_with_a_broken_link_ends_with_status_1(project, capsys) -> None:
    root = project({"html/index.html": html('<a href="gone/">x</a>')})
    assert site.main([str(root), "--check"]) == 1
    assert "index.html: no page: gone/" in capsys.readouterr().out
    (root / "html" / "index.html").write_text(html("fine"))
    assert site.main([str(root), "--check"]) == 0


def test_rules_lead_to_the_site_once_it_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    from torchlsp.server.features.diagnostics import page_link

    assert str(page_link("TL101", None)).startswith("file:")
    published = publication.Publication(owner="Some", on_pypi=False, has_site=True)
    monkeypatch.setattr(publication, "CURRENT", published)
    assert page_link("TL101", None) == "https://some.github.io/torchlsp/rules/TL101"
    assert page_link("TL101", "https://x.y/") == "https://x.y/TL101"


@pytest.mark.slow
@pytest.mark.processes
def test_the_site_is_built_and_its_links_hold(tmp_path: Path, capsys) -> None:
    pytest.importorskip("zensical")
    assert site.main([str(tmp_path)]) == 0, capsys.readouterr().out
    built = tmp_path / "html" / "rules" / "TL101" / "index.html"
    assert 'class="sides"' in built.read_text(encoding="utf-8")
    assert (tmp_path / "html" / "search.json").stat().st_size > 100_000
