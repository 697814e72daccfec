"""What holds for every format."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from built_findings import PLAIN, finding, rendered, reshape, result_of
from hypothesis import given, settings
from hypothesis import strategies as st

from torchlsp.core.finding import Applicability, Outcome, Related, Severity, Verdict
from torchlsp.core.span import Span
from torchlsp.core.text import Document
from torchlsp.engine.engine import CheckResult
from torchlsp.report.formats import FORMATS, render_statistics

ROOT = Path(__file__).parents[2]

# What a file system can hand over: any text, and undecodable bytes as halves of surrogate pairs.
PATHS = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0/"),
        st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF),
    ),
    min_size=1,
)
TEXTS = st.text(st.characters())


@st.composite
def results(draw) -> CheckResult:
    documents, findings = [], []
    for path in draw(st.lists(PATHS, max_size=3, unique=True)):
        document = Document(path, draw(TEXTS))
        documents.append(document)
        for _ in range(draw(st.integers(1, 2))):
            start, end = sorted(draw(st.tuples(*[st.integers(0, len(document.text))] * 2)))
            verdict = st.builds(
                Verdict,
                st.sampled_from(Outcome),
                st.sampled_from(["torch", "emulated"]),
                reason=TEXTS | st.none(),
            )
            findings.append(
                finding(
                    path,
                    start,
                    end,
                    message=draw(TEXTS),
                    severity=draw(st.sampled_from(Severity)),
                    related=(Related(Span(start, end), draw(TEXTS)),),
                    fixes=(reshape(start, end),),
                    verdict=draw(verdict | st.none()),
                    scope=draw(TEXTS),
                )
            )
    return result_of(
        documents,
        *findings,
        problems=draw(st.lists(TEXTS, max_size=1)),
        stopped=draw(st.lists(TEXTS, max_size=1)),
        internal_errors=draw(st.lists(TEXTS, max_size=1)),
    )


@settings(max_examples=60, deadline=None)
@given(results())
def test_every_input_gives_a_valid_document(result: CheckResult) -> None:
    number = len(result.findings)
    for name in ("json", "gitlab"):
        text = rendered(name, result)
        # Strict readers refuse half a surrogate pair.
        json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8")
        assert text.isascii() and len(json.loads(text)) == number
    sarif = json.loads(rendered("sarif", result))
    json.dumps(sarif, ensure_ascii=False).encode("utf-8")
    assert len(sarif["runs"][0]["results"]) == number
    tests = list(ElementTree.fromstring(rendered("junit", result).encode()).iter("testcase"))
    assert len(tests) == (number + len(result.internal_errors) or 1)
    rows = rendered("markdown", result).split("\n")
    assert len(rows) == (number + 4 if number else 1)
    assert {row.count("|") for row in rows[2:]} <= {4}
    for name in ("github", "concise"):
        text = rendered(name, result)
        assert text.count("\n") == max(0, number - 1) and text.count("\r") == 0


@pytest.mark.parametrize("name", FORMATS)
def test_a_real_run(checked: CheckResult, name: str) -> None:
    text = rendered(name, checked)
    assert "TL101" in text and "TL001" in text
    assert "faulty.py" in text
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("name", ["text", "concise", "github"])
def test_nothing_found_is_nothing_written(name: str) -> None:
    assert rendered(name, CheckResult()) == ""


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown output format: xml"):
        rendered("xml", CheckResult())


def test_statistics() -> None:
    document = Document("a.py", "abc")
    one = finding("a.py", 0, 1)
    result = result_of(
        [document],
        one,
        replace(one, rule="TL501", name="missing-zero-grad"),
        replace(one, fixes=(reshape(0, 1),)),
        replace(one, fixes=(replace(reshape(0, 1), applicability=Applicability.SAFE),)),
        groups={"TL101": "correctness", "TL501": "style"},
    )
    assert render_statistics("text", result, PLAIN).split("\n") == [
        "3  TL101  view-on-noncontiguous  fixable: 1 with --fix, 1 with --fix --unsafe-fixes",
        "1  TL501  missing-zero-grad",
    ]
    correctness = {"code": "TL101", "name": "view-on-noncontiguous", "group": "correctness"}
    style = {"code": "TL501", "name": "missing-zero-grad", "group": "style"}
    assert json.loads(render_statistics("json", result, PLAIN)) == [
        {**correctness, "count": 3, "fixable": 2, "safely_fixable": 1},
        {**style, "count": 1, "fixable": 0, "safely_fixable": 0},
    ]


def test_statistics_of_nothing() -> None:
    assert render_statistics("text", CheckResult(), PLAIN) == ""
    assert json.loads(render_statistics("json", CheckResult(), PLAIN)) == []


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_paths_are_relative_to_the_checkout_of_a_ci_service(
    checked: CheckResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, str(tmp_path.parent))
    expected = f"{tmp_path.name}/sub/faulty.py"
    assert rendered("github", checked).startswith(f"::error file={expected},")
    assert json.loads(rendered("gitlab", checked))[0]["location"]["path"] == expected
    location = json.loads(rendered("sarif", checked))["runs"][0]["results"][0]["locations"][0]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == expected
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert rendered("github", checked).startswith("::error file=sub/faulty.py,")


@pytest.mark.processes
def test_a_format_loads_only_itself() -> None:
    code = (
        "import sys\nfrom torchlsp.engine.engine import CheckResult\nfrom torchlsp.report.formats import render\n"
        "from torchlsp.report.sources import Sources\nfrom torchlsp.report.text import Painter\n"
        "for name in sys.argv[1:]:\n    render(name, CheckResult(), Sources({}), Painter(False))\n"
        "print(' '.join(sys.modules))"
    )

    def loaded(*names: str) -> set[str]:
        command = [sys.executable, "-c", code, *names]
        return set(
            subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        )

    every = loaded(*FORMATS)
    assert {"xml.etree.ElementTree", "torchlsp.report.sarif"} <= every
    assert not {name for name in loaded("text", "json") if name.split(".")[0] == "xml"}
    assert not loaded("text", "concise") & {
        f"torchlsp.report.{name}" for name in ("json", "sarif", "github", "junit")
    }


def test_the_documents_list_every_format() -> None:
    document = (ROOT / "docs" / "checking.md").read_text(encoding="utf-8")
    listed = document.partition("`--output-format` knows ")[2].partition(", `--output-file ")[0]
    assert re.findall(r"`([^`]+)`", listed) == list(FORMATS)
