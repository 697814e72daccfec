"""Annotations and their imports are written where they belong, and only where they replace nothing."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.syntax.annotated import CannotAnnotate, Signature, TensorType, annotated
from torchlsp.syntax.edits import edited
from torchlsp.syntax.function_digests import functions_of_text
from torchlsp.syntax.parse import parse

X = TensorType("Float32", "N 4")
RETURNS_X = Signature({"x": X, "y": TensorType("Bool", "")}, X)


def written(text: str, signature: Signature = RETURNS_X) -> str:
    document = Document("a.py", text)
    functions = [(one, signature) for one in functions_of_text(text) if one.name != "<module>"]
    edits, count = annotated(parse(document), functions)
    result = edited(document, edits)
    assert not parse(result).problems and bool(count) == (result.text != text)
    return result.text


def header(text: str, signature: Signature = RETURNS_X) -> str:
    """The last rows of what was written, below the imports."""
    return written("import torch\n\n\n" + text, signature).partition("\n\n\n")[2]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x): return x\n", 'def f(x: Float32[Tensor, "N 4"]) -> Float32[Tensor, "N 4"]: return x\n'),
        (
            "async def f(a, /, x, *, y):\n    return x\n",
            'async def f(a, /, x: Float32[Tensor, "N 4"], *, y: Bool[Tensor, ""]) -> Float32[Tensor, "N 4"]:\n    return x\n',
        ),
        (
            "def f(\n    x,  # rows\n    y: torch.Tensor,\n) -> torch.Tensor:\n    return x\n",
            'def f(\n    x: Float32[Tensor, "N 4"],  # rows\n    y: Bool[Tensor, ""],\n) -> Float32[Tensor, "N 4"]:\n    return x\n',
        ),
        (
            "class A:\n    @staticmethod\n    def f(x: int, y=None, *xs):\n        return x\n",
            'class A:\n    @staticmethod\n    def f(x: int, y=None, *xs) -> Float32[Tensor, "N 4"]:\n        return x\n',
        ),
        ("def f(x) -> 'Tensor': return x\n", "def f(x: Float32[Tensor, \"N 4\"]) -> 'Tensor': return x\n"),
        ("@torch.jit.script\ndef f(x): return x\n", "@torch.jit.script\ndef f(x): return x\n"),
    ],
)  # fmt: skip
def test_annotations_stand_where_there_was_none_or_a_bare_tensor(before: str, after: str) -> None:
    assert header(before) == after


def test_a_tuple_that_is_returned() -> None:
    signature = Signature({}, (X, TensorType("Int64", "N")))
    assert header("def f(): return 1\n", signature) == (
        'def f() -> tuple[Float32[Tensor, "N 4"], Int64[Tensor, "N"]]: return 1\n'
    )
    assert written("from torch import Tensor\ndef f() -> Tensor: return 1\n", signature) == (
        "from torch import Tensor\ndef f() -> Tensor: return 1\n"
    )


F = "def f(x): return x\n"
ANNOTATED = 'def f(x: Float32[Tensor, "N 4"]): return x\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import torch\n", "import torch\nfrom jaxtyping import Float32\nfrom torch import Tensor\n"),
        (
            "import os\n\nimport torch\nfrom einops import rearrange\nfrom torch import nn\n\nfrom a import b\n",
            "import os\n\nimport torch\nfrom einops import rearrange\nfrom jaxtyping import Float32\nfrom torch import Tensor, nn\n\nfrom a import b\n",
        ),
        (
            "from jaxtyping import Bool, Int64\nfrom torch import (\n    Tensor,\n    nn,\n)\n",
            "from jaxtyping import Bool, Float32, Int64\nfrom torch import (\n    Tensor,\n    nn,\n)\n",
        ),
        (
            "from torch import (\n    nn,\n    ones,\n)\n",
            "from jaxtyping import Float32\nfrom torch import (\n    Tensor,\n    nn,\n    ones,\n)\n",
        ),
        ("from torch import nn, cat\n", "from jaxtyping import Float32\nfrom torch import nn, cat, Tensor\n"),
        ("import os\n\n\n", "import os\n\nfrom jaxtyping import Float32\nfrom torch import Tensor\n\n\n"),
        (
            "import einops\n\nfrom .a import b\n",
            "import einops\nfrom jaxtyping import Float32\nfrom torch import Tensor\n\nfrom .a import b\n",
        ),
        ("", "from jaxtyping import Float32\nfrom torch import Tensor\n\n\n"),
        ('"""Doc."""\n\n\n', '"""Doc."""\n\nfrom jaxtyping import Float32\nfrom torch import Tensor\n\n\n'),
        (
            '"""Doc."""\nfrom __future__ import annotations\n\n',
            '"""Doc."""\nfrom __future__ import annotations\n\nfrom jaxtyping import Float32\nfrom torch import Tensor\n\n',
        ),
        ("from torch import *\n", "from jaxtyping import Float32\nfrom torch import *\nfrom torch import Tensor\n"),
    ],
)  # fmt: skip
def test_imports_are_added_once_at_their_place(before: str, after: str) -> None:
    assert written(before + F, Signature({"x": X})) == after + ANNOTATED
    twice = written(before + F + F, Signature({"x": X}))
    assert twice == after + ANNOTATED + ANNOTATED


def test_names_that_stand_for_something_else() -> None:
    text = "import torch\nfrom a import Tensor\n\nFloat32 = 1\n" + F
    assert written(text, Signature({"x": X})) == (
        "import torch\nimport jaxtyping\nfrom a import Tensor\n\nFloat32 = 1\n"
        'def f(x: jaxtyping.Float32[torch.Tensor, "N 4"]): return x\n'
    )
    with pytest.raises(CannotAnnotate, match="`Tensor` stands for something else"):
        written("from a import Tensor\n" + F)
    other = "from a import Tensor\ndef f(x: Tensor): return x\n"
    assert written(other, Signature({"x": X})) == other


def test_line_ends_stay() -> None:
    text = written("import torch\r\n" + F.replace("\n", "\r\n"), Signature({"x": X}))
    assert text.count("\r\n") == text.count("\n") == 4
