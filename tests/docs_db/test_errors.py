"""The entries hold for the torch that is installed, and no two claim one text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchlsp.docs_db import errors

RUNNER = Path(__file__).with_name("run_triggers.py")
ENTRIES = errors.entries()
TRIGGERED = [entry for entry in ENTRIES if entry.trigger]
each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)

# Groups that an error of torch 2.13 tells, where a test on words alone could not show that they mean what they say.
TOLD = {
    "E01": {},
    "E02": {"shape": "4", "numel": "6"},
    "E03": {"rows": "1", "arrives": "4", "expected": "3", "columns": "2"},
    "E04": {"dtype_a": "float64", "dtype_b": "float32"},
    "E05": {"size_a": "3", "size_b": "2", "dim": "1"},
    "E07": {"device": "meta"},
    "E08": {"device_a": "cuda:0", "device_b": "cpu"},
    "E09": {"dtype_target": "int32"},
    "E10": {"dtype_target": "int64"},
    "E12": {"input": "4", "target": "3"},
    "E13": {"expected": "4, 3", "got": "4, 5"},
    "E14": {"label": "3"},
    "E16": {"dtype_found": "int64", "dtype_expected": "float32"},
    "E17": {"dtype_result": "float32", "dtype_out": "int64"},
    "E19": {"input": "3, 1", "target": "3"},
    "E20": {"input": "3, 1", "target": "3"},
    "E23": {
        "type": "torch.FloatTensor",
        "shape": "3",
        "output": "0",
        "op": "Exp",
        "version": "1",
        "expected": "0",
    },
    "E33": {"module": "ModuleList"},
    "E34": {"shape": "1, 4, 1, 1"},
    "E35": {"groups": "1", "weight": "4, 3, 3, 3", "shape": "1, 8, 8, 3", "expected": "3", "arrives": "8"},
    "E37": {"shape_a": "1", "entry_a": "0", "shape_b": "2", "entry_b": "1"},
    "E38": {"dim": "0", "expected": "3", "got": "4", "entry": "1"},
    "E40": {"mask": "3", "dim": "0", "shape": "2, 3"},
    "E41": {"kernel": "normal_kernel_cpu", "dtype": "int64"},
    "E42": {"function": "tril", "name": "k"},
    "E43": {"module": "torch", "name": "from_array"},
    "E44": {"module": "torch.compile"},
    "E48": {"name": "weight", "file": "3, 5", "model": "3, 4"},
    "E53": {"bytes": "40000000000000"},
    "E73": {"name": "RANK"},
    "E86": {"numel": "3"},
    "E92": {"size": "4", "existing": "2", "dim": "1", "target": "3, 4", "shape": "3, 2"},
    "E93": {"dtype": "uint8"},
    "E95": {"type": "torch.FloatTensor", "name": "weight"},
    "E96": {"low": "-2", "high": "1", "dim": "2"},
    "E97": {"shape": "3 x 3", "kernel": "5 x 5"},
    "E99": {"expected": "2, 4", "got": "2, 5"},
    "E100": {"arrives": "4", "expected": "3"},
    "E101": {"arrives": "5", "expected": "3"},
    "E102": {"dtype": "int64"},
    "E103": {"index_type": "torch.FloatTensor"},
    "E107": {"module": "DataParallel", "name": "in_features"},
    "E109": {"name": "tag"},
    "E110": {"setting": "stride", "dims": "1", "got": "1, 1"},
    "E111": {"dim": "0", "expected": "2", "got": "5"},
    "E112": {"rank": "2", "shape": "2, 2", "expected": "5, 5"},
    "E113": {"type": "tuple", "name": "view"},
    "E114": {"name": "zero_"},
    "E115": {"type": "Tensor", "name": "astype"},
    "E116": {"type": "Linear", "name": "wieght"},
    "E118": {"letter": "j", "size": "4", "operand": "1", "other": "3"},
    "E119": {"dtype_to": "float32", "dtype_from": "bfloat16"},
    "E121": {"function": "mm"},
    "E122": {"steps": "3", "total": "2"},
    "E123": {"classes": "3", "shape": "4"},
    "E125": {"function": "Bilinear.forward", "count": "1", "names": "'input2'"},
    "E126": {"function": "Linear.forward", "takes": "2", "given": "3"},
    "E127": {"rank_a": "3", "rank_b": "2"},
    "E128": {"rank": "2", "dims": "3"},
    "E129": {"kind": "batched", "rank_in": "3", "rank": "3", "got": "2"},
    "E130": {"module": "a_package_that_nobody_has"},
    "E132": {"which": "output", "got": "2", "expected": "1"},
    "E133": {"type": "list"},
    "E134": {"element": "0", "argument": "0", "type": "float"},
    "E135": {"function": "linear", "name": "input", "position": "1", "wanted": "Tensor", "type": "tuple"},
    "E136": {"function": "randn", "got": "float, int"},
    "E137": {"operator": "+", "left": "Tensor", "right": "NoneType"},
    "E138": {"expected": "3", "got": "2"},
    "E139": {"type": "torch.Size"},
    "E141": {"rank": "2"},
    "E143": {"value": "3, 3", "place": "2, 3"},
    "E144": {"shape": "3", "other": "2, 3"},
    "E145": {"function": "max"},
    "E146": {"got": "3", "batch": "2"},
    "E147": {"padding": "3, 3", "dim": "2", "shape": "1, 1, 3"},
    "E148": {"spatial": "4", "size": "(2, 2)"},
    "E150": {"length": "2", "dim": "1", "got": "1"},
    "E151": {"name": "num_samples", "got": "0"},
    "E153": {"left": "3", "right": "4"},
    "E154": {"sizes": "1", "rank": "2"},
    "E155": {"support": "IntegerInterval(lower_bound=0, upper_bound=1)", "distribution": "Categorical"},
    "E156": {"what": "smaller than num_classes"},
    "E157": {"dtype": "float32"},
    "E158": {"at": "1", "index": "4, 4", "shape": "3, 3"},
    "E159": {"function": "DoubleBackward", "expected": "2", "got": "1"},
    "E161": {"expected": "4", "got": "5"},
    "E162": {"type": "list"},
    "E163": {"method": "backward"},
    "E165": {"value": "2", "shape": "3"},
    "E167": {"pad": "2", "kernel": "2"},
    "E169": {"start": "2", "length": "3", "size": "3"},
    "E170": {"index": "0", "got": "2", "wanted": "3"},
    "E171": {"which": "in_channels"},
    "E174": {"type": "str"},
    "E175": {"what": "module"},
    "E176": {"type": "Linear"},
    "E177": {"function": "cholesky"},
    "E178": {"what": "calling .item()"},
    "E179": {"low": "5", "high": "5"},
    "E181": {"path": "'/no/such/file.pt'"},
    "E182": {"type": "Linear", "what": "iterable"},
    "E184": {"name": "persistent_workers"},
    "E186": {"output": "0", "op": "Split"},
    "E187": {
        "why": "Dynamo does not know how to trace builtin operator `open` with argument types ['str'] (has_kwargs False)"
    },
    "E188": {"name": "gpu"},
    "E190": {"p": "1.5"},
    "E191": {"size": "3", "parts": "4"},
    "E192": {"method": "unscale_"},
    "E193": {"got": "4", "expected": "2"},
    "E194": {"type": "float"},
    "E195": {"operator": "<=", "left": "float", "right": "str"},
    "E196": {"parameter": "tensor"},
    "E197": {"rank": "4"},
}


def raised() -> dict[str, dict]:
    """What the triggers raise in the installed torch, by the entry's id."""
    programs = [{"id": one.id, "program": one.trigger, "ranks": one.ranks} for one in TRIGGERED]
    done = subprocess.run(
        [sys.executable, str(RUNNER)], input=json.dumps(programs), capture_output=True, text=True, timeout=300
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(programs), done.stderr[-2000:]
    return {answer["id"]: answer for answer in answers}


def wrong_with(entry: errors.ErrorEntry, answer: dict) -> Iterator[str]:
    """In what the end of an entry's trigger differs from what the entry explains."""
    told = [(answer["exception"], answer["text"])] if "exception" in answer else answer["warnings"]
    if not told:
        yield "nothing was raised"
        return
    for exception, text in told if "exception" in answer else []:
        found = errors.explanations(text, exception)
        if [one.entry.id for one in found] != [entry.id]:
            yield f"not explained by this entry alone: {text}"
        if entry.exceptions and exception not in entry.exceptions:
            yield f"raises {exception}"
    explained = [one for exception, text in told if (one := errors.explain(text, exception)) is not None]
    if [one.entry.id for one in explained] != [entry.id]:
        yield f"not explained by this entry alone: {told}"
    elif entry.id in TOLD:
        if dict(explained[0].values) != TOLD[entry.id]:
            yield f"reads {dict(explained[0].values)} of the text"
        if bool(explained[0].here) != bool(TOLD[entry.id]):
            yield "says nothing of the place"


@pytest.mark.torch
@pytest.mark.slow
def test_the_trigger_raises_what_the_entry_explains() -> None:
    pytest.importorskip("torch")
    answers = raised()
    problems = [
        f"{entry.id}: {problem}" for entry in TRIGGERED for problem in wrong_with(entry, answers[entry.id])
    ]
    assert not problems, "\n".join(["", *problems])


@each_entry
def test_other_wordings_are_matched_by_this_entry_alone(entry: errors.ErrorEntry) -> None:
    for text in entry.others:
        assert [one.entry.id for one in errors.explanations(text)] == [entry.id], text
    assert entry.trigger or entry.others or entry.stems[0].search(plain(entry.stems[0].pattern))


def plain(pattern: str) -> str:
    """The text of a stem that is a literal apart from escapes and one optional group."""
    text = re.sub(r"\(\?:|\|.*?\)|\)(?!\\)", "", pattern.replace("\\(", "\0").replace("\\)", "\1"))
    return re.sub(r"\\(.)", r"\1", text).replace("\0", "(").replace("\1", ")")


@each_entry
def test_entries_are_complete(entry: errors.ErrorEntry) -> None:
    assert re.fullmatch(r"E\d{2,3}", entry.id)
    assert 1 <= len(re.findall(r"[.?](?= |$)", entry.meaning)) <= 5, entry.meaning
    assert entry.fixes and all(fix.endswith(".") for fix in entry.fixes)
    assert entry.meaning.endswith(".") and not entry.title.endswith(".")
    assert entry.evidence in ("torch", "emulated", "unverified")
    assert bool(entry.trigger) == (entry.evidence != "unverified")
    assert bool(entry.why) == (entry.evidence != "torch")
    assert all(re.fullmatch(r"TL\d{3}", rule) for rule in entry.rules)
    groups = {name for stem in entry.stems for name in stem.groupindex}
    for sentence in (*entry.here, *entry.fixes):
        assert set(re.findall(r"\{(\w+)\}", sentence)) <= groups, sentence
    assert any(not re.search(r"\{\w+\}", fix) for fix in entry.fixes) or not any(
        set(re.findall(r"\{(\w+)\}", " ".join(entry.fixes))) - set(stem.groupindex) for stem in entry.stems
    ), "a text that tells less must still have a fix"


def test_ids_are_given_once_and_all_of_the_catalogue_are_there() -> None:
    ids = [entry.id for entry in ENTRIES]
    assert ids == [f"E{number:02}" for number in range(1, len(ids) + 1)]
    assert len(ids) >= 95 and len(TRIGGERED) >= 83


def test_rules_that_exist_are_named_by_their_codes() -> None:
    from torchlsp.lint.registry import rules

    named = {code for entry in ENTRIES for code in entry.rules}
    existing = {info.code for info in rules()}
    assert existing & named, "no entry names an existing rule"


@pytest.mark.parametrize(
    ("text", "exception", "identifier"),
    [
        # The class in front does no harm, nor does text around it.
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x5 and 3x4)", "", "E03"),
        ("help!! I get this: shape '[4, -1]' is invalid for input of size 6, why", "", "E02"),
        # What a worker raised is what counts, not that it was in a worker.
        (
            "Caught RuntimeError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n"
            "RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0 and [4] at entry 1\n",
            "RuntimeError",
            "E37",
        ),
        # Missing keys come first in torch's report, and the cause of the other lines is the same.
        (
            'Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "fc.weight". \n'
            "\tsize mismatch for a: copying a param with shape torch.Size([2]) from checkpoint, the shape in "
            "current model is torch.Size([3]).",
            "RuntimeError",
            "E47",
        ),
    ],
)
def test_the_best_meaning_comes_first(text: str, exception: str, identifier: str) -> None:
    explanation = errors.explain(text, exception)
    assert explanation is not None and explanation.entry.id == identifier


def test_what_the_text_tells_is_put_into_the_words() -> None:
    explanation = errors.explain("mat1 and mat2 shapes cannot be multiplied (32x400 and 256x10)")
    assert explanation is not None
    assert "400 values arrive" in explanation.here and "256 are expected" in explanation.here
    assert "in_features=400" in explanation.fixes[0]
    cut = errors.explain("CUDA error: out of memory")
    assert cut is not None and cut.here == ""
    assert not any("{" in fix for entry in ENTRIES for fix in errors.general_fixes(entry))


@pytest.mark.parametrize(
    "text",
    ["", "KeyError: 'loss'", "everything is fine", "mat1 and mat2", "Traceback (most recent call last):"],
)
def test_an_unknown_text_is_not_explained(text: str) -> None:
    assert errors.explain(text) is None


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("mat1 and mat2 shapes can not be multiplied", "E03"),
        ("expected all of the tensors on one device, cuda and cpu", "E08"),
        ("dataloader worker exited", "E52"),
    ],
)
def test_the_nearest_of_a_text_in_other_words(text: str, identifier: str) -> None:
    near = [entry.id for entry in errors.nearest(text, 3)]
    assert near[0] == identifier and len(near) <= 3
    assert errors.nearest("zzz qqq", 3) == ()


def test_of_two_forms_of_a_text_both_tell_the_same() -> None:
    for text in next(entry for entry in ENTRIES if entry.id == "E59").others[:2]:
        explanation = errors.explain(text)
        assert (
            explanation is not None and {"wanted", "gpu", "total", "free"} <= dict(explanation.values).keys()
        )


def test_one_common_word_is_not_near() -> None:
    assert errors.nearest("SyntaxError: invalid syntax") == ()


@given(
    st.text(max_size=400)
    | st.lists(st.sampled_from([s for e in ENTRIES for s in e.others]), max_size=5).map("\n".join)
)
def test_any_text_is_answered(text: str) -> None:
    found = errors.explanations(text)
    assert len({one.entry.id for one in found}) == len(found)
    assert len(errors.nearest(text, 3)) <= 3


@pytest.mark.parametrize(
    "piece",
    [
        "shape '[",
        "shape torch.Size([",
        "Cannot view a tensor with shape torch.Size([",
        "Given groups=1, weight of size [",
        "Expected all tensors to be on the same device, but found at least two devices, ",
        "module 'torch.",
        "torch." * 50,
        "a.b.c() ",
        "Input type (" + "x" * 39,
        "size mismatch for ",
        '"',
        "Assertion `",
        "Using a target size (torch.Size([",
        "\n",
        " ",
    ],
)
def test_the_time_does_not_grow_with_the_square_of_the_text(piece: str) -> None:
    """Four times the text takes four times as long, not sixteen times; in processor time, which other programs do not add to."""
    errors.nearest(piece)
    short, long = (min(_seconds(piece * (size // len(piece))) for _ in range(4)) for size in (5_000, 20_000))
    assert long < 9 * max(short, 0.002)


def _seconds(text: str) -> float:
    begun = time.process_time()
    errors.explain(text)
    return time.process_time() - begun


def test_a_usual_text_takes_a_small_part_of_a_long_one() -> None:
    text = "mat1 and mat2 shapes cannot be multiplied (32x400 and 256x10)"
    errors.nearest(text)
    usual, long = (min(_seconds(one) for _ in range(20)) for one in (text, text * 400))
    assert usual < long / 20
