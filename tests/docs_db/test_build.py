"""What is read off an extracted line: signatures, the summary, deprecations, effects, the page of the manual."""

from __future__ import annotations

import json

import pytest

from torchlsp.docs_db.build import (
    Header,
    Unreadable,
    effects,
    entries,
    leading_signatures,
    read_header,
    summary,
)
from torchlsp.docs_db.pages import page

HEADER = Header({"torch": "2.13.0+cpu", "torchvision": "0.28.0"}, "cpython-311")


def entry(**told):
    line = {"symbol": "torch.f", "kind": "function", "aliases": [], "doc": ""} | told
    return next(iter(entries([json.dumps(line)], HEADER))).entry


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("f(x) -> Tensor\n\nText.", (["f(x) -> Tensor"], "Text.")),
        ("torch.f(x,\n  y=(1, 2)) -> Tensor\n\nText.", (["torch.f(x, y=(1, 2)) -> Tensor"], "Text.")),
        ("f(x)\nf(x, y)\n\nText.", (["f(x)", "f(x, y)"], "Text.")),
        (r"f(\*x) -> Tensor", (["f(*x) -> Tensor"], "")),
        ("__init__(a)\n\nText.", (["__init__(a)"], "Text.")),
        ("f(x) is one thing.", ([], "f(x) is one thing.")),
        ("g(x) -> Tensor\n\nText.", (["g(x) -> Tensor"], "Text.")),
        ("g(x)\n\nText.", ([], "g(x)\n\nText.")),
        ("f(x\n\nnever closed", ([], "f(x\n\nnever closed")),
        ("", ([], "")),
    ],
)
def test_leading_signatures(docstring: str, expected: tuple[list[str], str]) -> None:
    assert leading_signatures(docstring, "torch.f") == expected


def test_python_knows_best_unless_it_knows_nothing() -> None:
    assert entry(signature="(x: int)", doc="f(y)\n\nText.").signature == "torch.f(x: int)"
    assert entry(signature="(*args, **kwargs)", doc="f(y)\n\nText.").signature == "torch.f(y)"
    assert entry(
        signature=None, overloads=["f(Tensor self)", "f.out(Tensor self, *, Tensor(a!) out)"]
    ).signature == ("f(Tensor self)")
    method = {"symbol": "torch.C.f", "kind": "method"}
    assert entry(**method, signature="(self, x=1)").signature == "C.f(x=1)"
    assert entry(**method, signature="(self)").signature == "C.f()"
    assert entry(kind="class", signature="(x) -> None").signature == "torch.f(x)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another.", "One thing."),
        ("See e.g. Numpy. More.", "See e.g. Numpy."),
        ("`g(x)`\n\n`h(x)` is `g(x)`", "`h(x)` is `g(x)`"),
        ("> **Warning**\n>\n> No.\n\nText.", "Text."),
        ("", ""),
    ],
)
def test_summary(text: str, expected: str) -> None:
    assert summary(text) == expected


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("Text.\n\n.. deprecated:: 2.1\n   Use :func:`g`.", "since 2.1: Use `g()`."),
        (
            ".. warning::\n   :func:`torch.f` is deprecated in favor of g.",
            "`torch.f()` is deprecated in favor of g.",
        ),
        ("This function is deprecated. Use g.", "This function is deprecated."),
        ("Args:\n    x: this argument is deprecated\n    y: z\n\n      .. deprecated:: 1.0", None),
        ("Other functions, :func:`g` among them, are deprecated.", None),
    ],
)
def test_deprecation(docstring: str, expected: str | None) -> None:
    assert entry(doc=docstring).deprecated == expected


def test_a_decorator_of_deprecation_goes_first() -> None:
    assert entry(doc=".. deprecated:: 2.1", deprecated="use\n  g").deprecated == "use g"


def test_effects() -> None:
    view = "view(Tensor(a) self, SymInt[] size) -> Tensor(a)"
    add = "add.Tensor(Tensor self, Tensor other) -> Tensor"
    add_ = "add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"
    out = "add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"
    split = "split.Tensor(Tensor(a -> *) self, SymInt split_size) -> Tensor(a)[]"
    shared = "the result may share memory with its input"
    assert effects([view]) == effects([split]) == (shared,)
    assert effects([add, out]) == effects([]) == ()
    assert effects([add_]) == ("writes to `self`",)
    # Only what all overloads do.
    assert effects([add, view]) == effects([add, add_]) == ()


@pytest.mark.parametrize("line", ["", "[]", "{", '{"header": 1}'])
def test_what_is_no_header_is_refused(line: str) -> None:
    with pytest.raises(Unreadable):
        read_header(line)


def test_a_symbol_told_twice_counts_once() -> None:
    line = json.dumps({"symbol": "torch.f", "kind": "function", "aliases": [], "doc": "One."})
    assert len(list(entries([line, line], HEADER))) == 1


@pytest.mark.parametrize(
    ("symbol", "kind", "owner", "version", "expected"),
    [
        ("torch.nn.Conv2d", "class", "module", "2.13.0+cpu", "docs/2.13/generated/torch.nn.Conv2d.html"),
        ("torch.add", "function", "module", "2.14.0.dev20260901", "docs/main/generated/torch.add.html"),
        ("torch.Tensor.view", "method", "class", "2.13.0", "docs/2.13/generated/torch.Tensor.view.html"),
        ("torch.nn.Module.cuda", "method", "class", "2.13.0", "docs/2.13/generated/torch.nn.Module.html#torch.nn.Module.cuda"),
        ("torch.utils.data.DataLoader", "class", "module", "2.13.0", "docs/2.13/data.html#torch.utils.data.DataLoader"),
        ("torchvision.ops.nms", "function", "module", "0.28.0", "vision/0.28/generated/torchvision.ops.nms.html"),
        ("torch.fx.passes.reinplace.f", "function", "module", "2.13.0", "docs/2.13/fx.html#torch.fx.passes.reinplace.f"),
    ],
)  # fmt: skip
def test_pages(symbol: str, kind: str, owner: str, version: str, expected: str) -> None:
    assert page(symbol, kind, owner, version) == f"https://docs.pytorch.org/{expected}"


def test_where_no_page_is_known_there_is_no_link() -> None:
    assert page("torch.ao.nn.quantized.Conv2d", "class", "module", "2.13.0") is None
    assert page("torch.add", "function", "module", "unknown") is None
    assert page("numpy.add", "function", "module", "2.0") is None
