"""The table in Markdown: whatever stands in checked code, it stays text in its cell."""

from __future__ import annotations

import html
import re

from built_findings import finding, notebook, rendered, reshape, result_of

from torchlsp.core.finding import Outcome, Related, Verdict
from torchlsp.core.span import Span
from torchlsp.core.text import Document


def test_nothing_found() -> None:
    assert rendered("markdown", result_of([Document("a.py", "")])) == "**torchlsp**: No findings in 1 file"


def test_a_finding_with_all_that_is_known() -> None:
    document = Document("src/a.py", "import torch\nx.view(1)\n")
    one = finding(
        "src/a.py",
        15,
        22,
        related=(Related(Span(0, 12), "`torch` comes from here"),),
        fixes=(reshape(15, 19),),
        verdict=Verdict(Outcome.CONFIRMED, torch="2.13.0", error="RuntimeError: no", own_code="why"),
    )
    assert rendered("markdown", result_of([document], one)).splitlines() == [
        "**torchlsp**: 1 error in 1 file; 1 fixable with --fix --unsafe-fixes",
        "",
        "| place | rule | finding |",
        "|---|---|---|",
        "| <code>src/a.py&#58;2&#58;3</code> | error TL101 view-on-noncontiguous | <code>x</code> is not contiguous<br>"
        "because <code>torch</code> comes from here (<code>src/a.py&#58;1&#58;1</code>)<br>"
        "fix (unsafe)&#58; Use <code>reshape</code><br>"
        "probe&#58; confirmed by torch 2.13.0&#58; your code fails here&#58; RuntimeError&#58; no<br>"
        "your own code proves nothing&#58; why |",
    ]


def test_what_is_refuted_is_called_so() -> None:
    one = finding("a.py", 0, 1, verdict=Verdict(Outcome.REFUTED, torch="2.13.0"))
    assert "| refuted TL101 " in rendered("markdown", result_of([Document("a.py", "abc")], one))


def test_a_cell_of_a_notebook_is_named() -> None:
    document = notebook()
    one = finding(document.path, document.text.index("x.view"), len(document.text) - 1)
    assert "<code>train.ipynb&#58;cell 3&#58;2&#58;2</code>" in rendered(
        "markdown", result_of([document], one)
    )


def test_nothing_of_the_code_is_markup() -> None:
    evil = "a`b | c\n# d *e* __f__ <img src=x> [g](https://example.org) @team :tada: $x$ ~~h~~ \\| &lt; ![i](j) `k|l <b>` #1"
    document = Document("| `x` <script>.py", "abc")
    one = finding(document.path, 0, 1, message=evil, related=(Related(Span(0, 1), evil),))
    row = rendered("markdown", result_of([document], one)).splitlines()[-1]
    tags = re.findall(r"<[^>]*>", row)
    assert set(tags) == {"<code>", "</code>", "<br>"}
    left = re.sub(r"</?code>|<br>|&#\d+;", "", row)
    assert re.findall(r"[^\w\s.,;/()?'%-]|_", left) == ["|"] * 4
    # Nothing is lost, either.
    told = html.unescape(re.sub(r"</?code>", "", row))
    assert "c # d *e* __f__ <img src=x> [g](https://example.org) @team :tada: $x$" in told
    assert "| `x` <script>.py:1:1" in told
