"""The few lines that a hover has of a symbol: pitfall, signature, one sentence, links."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torchlsp.docs_db.build import DocEntry
from torchlsp.docs_db.notes import note
from torchlsp.report.brief import Links, brief, short_signature

ENTRY = DocEntry(
    "torch.nn.functional.relu",
    "function",
    "torch.nn.functional.relu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor",
    "Applies the rectified linear unit function element-wise.",
    "Long text.\n" * 100,
    None,
    "2.13.0+cpu",
    url="https://docs.pytorch.org/relu.html",
)
LINKS = Links("file:///page.md", "file:///notation.md", lambda code: f"file:///{code}.md")


def shown(entry: DocEntry | None = ENTRY, **others) -> str:
    given = {"note": None, "pitfall": None, "is_certain": False, "says_memory": True, "links": LINKS}
    return brief(entry, **(given | others))


def test_signature_sentence_and_links() -> None:
    assert shown() == (
        "```python\ntorch.nn.functional.relu(input, inplace=False) -> Tensor\n```\n\n"
        "Applies the rectified linear unit function element-wise.\n\n"
        "[Documentation](<file:///page.md>) · [manual of torch 2.13.0](https://docs.pytorch.org/relu.html)"
        " · [How facts are written](<file:///notation.md>)"
    )


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("torch.f(a: int, b: Union[int, tuple[int, int]] = 1)", "torch.f(a, b=1)"),
        ("torch.f(mode: Literal['a', 'b'] = 'a', *, out=None) -> Tensor", "torch.f(mode='a', *, out=None) -> Tensor"),
        ("Tensor.view(*shape) -> Tensor", "Tensor.view(*shape) -> Tensor"),
        ("detach(Tensor(a) self) -> Tensor(a)", "detach(Tensor(a) self) -> Tensor(a)"),
        ("f(x: Callable[[int], str] = lambda x: x)", "f(x=lambda x: x)"),
        ("torch.float32", "torch.float32"),
        ("f() -> bool", "f() -> bool"),
    ],
)  # fmt: skip
def test_a_signature_has_names_and_defaults(signature: str, expected: str) -> None:
    assert short_signature(replace(ENTRY, signature=signature)) == expected


def test_a_signature_begins_with_the_whole_name() -> None:
    entry = replace(ENTRY, symbol="torch.Tensor.view", signature="Tensor.view(*shape) -> Tensor")
    assert short_signature(entry) == "torch.Tensor.view(*shape) -> Tensor"
    other = replace(ENTRY, symbol="torch.Tensor.review", signature="view(*shape)")
    assert short_signature(other) == "view(*shape)"


def test_a_long_signature_is_wrapped_and_cut_to_five_rows() -> None:
    many = ", ".join(f"parameter_number_{i}={i}" for i in range(100))
    rows = short_signature(replace(ENTRY, signature=f"f({many})")).split("\n")
    assert len(rows) == 5 and rows[-1] == "    …" and max(map(len, rows)) <= 80


def test_a_certain_pitfall_is_above_with_the_rules_that_find_it() -> None:
    known = note("torch.nn.CrossEntropyLoss")
    assert known is not None
    pitfall = next(one for one in known.pitfalls if one.title == "Softmax before it")
    text = shown(note=known, pitfall=pitfall, is_certain=True)
    assert text.startswith("**Pitfall: Softmax before it.** ")
    assert "TL20" not in text  # four rules find its pitfalls
    one = shown(note=replace(known, rules=("TL201",)), pitfall=pitfall, is_certain=True)
    assert one.split("\n")[0].endswith(" ([TL201](<file:///TL201.md>))")
    assert "[Documentation and 9 pitfalls](<file:///page.md>)" in text
    common = shown(note=known, pitfall=pitfall)
    assert common.startswith("**Common pitfall: Softmax before it.** ")


def test_a_pitfall_without_text_shows_the_wrong_line_and_the_right_one_or_the_error() -> None:
    known = note("torch.Tensor.cuda")
    assert known is not None
    text = shown(note=known, pitfall=known.pitfalls[0], is_certain=True)
    assert "**Pitfall: Dropping the result.** Not `x.cuda()` but `x = x.cuda()`." in text
    known = note("torch.Tensor.backward")
    assert known is not None
    text = shown(note=known, pitfall=known.pitfalls[0], is_certain=True)
    assert "`RuntimeError: grad can be implicitly created only for scalar outputs`" in text


def test_what_refers_to_another_symbol_has_its_sentence() -> None:
    entry = replace(ENTRY, summary="See `torch.clone()`")
    other = {"torch.clone": replace(ENTRY, summary="Returns a copy of `input`.")}
    assert "Returns a copy of `input`." in shown(entry, other=other.get)
    assert "See" not in shown(entry)


def test_only_the_first_sentence_and_no_half_of_a_formula() -> None:
    assert "Second" not in shown(replace(ENTRY, summary="First sentence, e.g. this. Second one."))
    known = note("torch.allclose")
    assert known is not None
    text = shown(replace(ENTRY, summary="Checks if the following holds:"), note=known)
    assert "holds:" not in text and known.summary.split(". ")[0] in text


def test_a_long_sentence_is_cut_between_words_and_leaves_no_markup_open() -> None:
    text = shown(replace(ENTRY, summary="word " * 46 + "`some code that is long` and [a link](http://a)"))
    sentence = next(line for line in text.split("\n") if line.startswith("word"))
    assert (
        sentence.endswith(" …")
        and len(sentence) < 245
        and sentence.count("`") % 2 == 0
        and "[" not in sentence
    )


def test_memory_is_told_where_the_facts_do_not_say_it() -> None:
    entry = replace(ENTRY, symbol="torch.Tensor.permute")
    assert "Gives a view: it shares memory." in shown(entry, says_memory=False)
    assert "Gives a view" not in shown(entry)


def test_a_symbol_of_which_nothing_more_is_known_has_no_page() -> None:
    assert "Documentation" not in shown(replace(ENTRY, markdown=""))


def test_what_is_gone_says_so_first() -> None:
    text = shown(replace(ENTRY, removed="Use torch.linalg.eigh."))
    assert text.startswith("**Removed.** Use torch.linalg.eigh.")


def test_without_documentation_there_is_our_sentence_and_the_torch_that_it_is_of() -> None:
    known = note("torch.Tensor.permute")
    text = shown(None, note=known, version=None)
    assert known is not None and text.startswith(known.summary.split(". ")[0])
    assert "No torch is installed: this is of torch 2.13." in text
    assert "[2 pitfalls](<file:///page.md>)" in text
