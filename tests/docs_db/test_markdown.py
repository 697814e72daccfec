"""Docstrings become Markdown; expected texts follow from CommonMark and from what Sphinx shows."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchlsp.docs_db.markdown import markdown
from torchlsp.docs_db.mathematics import plain

INLINE = [
    (":attr:`input`", "`input`"),
    (":class:`~torch.nn.Conv2d`", "`Conv2d`"),
    (":class:`torch.nn.Conv2d`", "`torch.nn.Conv2d`"),
    (":func:`torch.add`", "`torch.add()`"),
    (":func:`add() <torch.add>`", "`add()`"),
    (":py:meth:`!close`", "`close()`"),
    (":attr: `grad`", "`grad`"),
    (":func:`a role over\ntwo lines <x>`", "`a role over two lines`"),
    (":math:`x \\in \\mathbb{R}^n`", "`x ∈ ℝ^n`"),
    (":ref:`Autograd <autograd-mechanics>`", "Autograd"),
    (":ref:`cuda-semantics`", "cuda semantics"),
    (":doc:`/notes/randomness`", "[notes/randomness](https://example.org/notes/randomness.html)"),
    ("``x = *y*``", "`x = *y*`"),
    ("`this page <https://a.org/b>`_.", "[this page](https://a.org/b)."),
    ("`x`", "`x`"),
    ("*weak* and **strong**", "*weak* and **strong**"),
    ("f(*args, **kwargs)", "f(\\*args, \\*\\*kwargs)"),
    ("a < b but <tag>", "a < b but &lt;tag>"),
    ("call __init__ of in_place_", "call \\_\\_init\\_\\_ of in_place\\_"),
    ("snake_case_name", "snake_case_name"),
    (r"`driver`\ `= None`", "`driver` `= None`"),
    (r"Module\ s", "Modules"),
    ("open :class:`Pool on the :func:`~a.run`", "open Pool on the `run()`"),
    ("see [1]_", "see [1]"),
]


@pytest.mark.parametrize(("text", "expected"), INLINE, ids=[text for text, _ in INLINE])
def test_inline(text: str, expected: str) -> None:
    assert markdown(text, "https://example.org") == expected


BLOCKS = {
    "sections of Google": (
        """
        Args:
            input (Tensor): the
                tensor
            dim (int, optional): the dim.
                Default: 0

            *sizes (int...): more
        """,
        """
        **Args**

        - `input` (Tensor): the tensor
        - `dim` (int, optional): the dim. Default: 0
        - `*sizes` (int...): more
        """,
    ),
    "arguments with lists": (
        """
        Args:
            mode: one of

                - ``'a'``: first
                - ``'b'``: second
        """,
        """
        **Args**

        - `mode`: one of

          - `'a'`: first
          - `'b'`: second
        """,
    ),
    "directives": (
        """
        Text.

        .. note::
            Beware of :attr:`x`.

            >>> f(x)

        .. warning:: Short.
        .. deprecated:: 2.1
           Use :func:`g`.
        """,
        """
        Text.

        > **Note**
        >
        > Beware of `x`.
        >
        > ```python
        > >>> f(x)
        > ```

        > **Warning**
        >
        > Short.

        > **Deprecated since version 2.1**
        >
        > Use `g()`.
        """,
    ),
    "formula": (
        """
        It is

        .. math::
            \\text{out} = \\frac{1}{n} \\sum_{i} x_i

        where
        """,
        """
        It is

        ```text
        out = 1 / n ∑_i x_i
        ```

        where
        """,
    ),
    "examples with empty lines in what is printed": (
        """
        Example::

            >>> torch.zeros(2, 1, 1)
            tensor([[[0.]],

                    [[0.]]])
            >>> 1
            1

        Done.
        """,
        """
        **Example**

        ```python
        >>> torch.zeros(2, 1, 1)
        tensor([[[0.]],

                [[0.]]])
        >>> 1
        1
        ```

        Done.
        """,
    ),
    "literal block": ("Run::\n\n    x = 1\n    y = 2\n\nthen stop.", "Run:\n\n```python\nx = 1\ny = 2\n```\n\nthen stop."),
    "numbered and nested": (
        """
        1. one
           more
        2. two

           - inner
        """,
        """
        1. one more

        2. two

           - inner
        """,
    ),
    "underlined heading": ("Returns\n-------\nTensor", "**Returns**\n\nTensor"),
    "target elsewhere": ("See `the paper`_ and link_.\n\n.. _the paper: https://a.org/p\n.. _link:\n    https://a.org/l", "See [the paper](https://a.org/p) and [link](https://a.org/l)."),
    "target with a colon": ("See `A\\: B`_.\n\n.. _A\\: B: https://a.org", "See [A\\: B](https://a.org).".replace("\\", "")),
    "image": (".. image:: https://a.org/x.png\n   :width: 3\n\nText.", "[image](https://a.org/x.png)\n\nText."),
    "image of the manual": (".. image:: ../x.png\n\nText.", "Text."),
    "overload": (
        ".. function:: max(input, dim) -> Tensor\n   :noindex:\n\n   Text of it.",
        "`max(input, dim) -> Tensor`\n\nText of it.",
    ),
    "fields": (
        ":param int x: first\n:returns: second",
        "- `x` (*int*): first\n- **Returns**: second",
    ),
    "grid table": ("+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+", "```text\n+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n```"),
    "list table": (
        ".. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n   * - 1\n     - 2",
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ),
    "comment": ("One.\n\n.. a comment\n   of two lines\n\nTwo.", "One.\n\nTwo."),
    "a sum is no list": ("x is\n+ 1 more", "x is\n\n- 1 more"),
    "a number begins a sentence": ("1984. A year.", "1984\\. A year."),
    "fence that is there": ("```python\n:attr:`x`\n```", "```python\nx\n```"),
    "a list right after a line": ("Two ways:\n1. one\n2. two", "Two ways:\n\n1. one\n2. two"),
    "three dots": ("One.\n\n... warning:: Beta.", "One.\n\n> **Warning**\n>\n> Beta."),
    "empty": ("", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks(name: str) -> None:
    text, expected = (dedent(part).strip("\n") for part in BLOCKS[name])
    assert markdown(text) == expected


FORMULAS = [
    (r"H_{\text{out}}", "H_out"),
    (r"\frac{a + b}{c}", "(a + b) / c"),
    (r"\left\lfloor\frac{x}{2}\right\rfloor", "⌊x / 2⌋"),
    (r"\sqrt{\frac{1}{k}}", "√(1 / k)"),
    (r"\mathcal{U}(-\sqrt{k}, \sqrt{k})", "U(-√k, √k)"),
    (r"x^{(l)}_t", "x^(l)_t"),
    (r"y \not= 0, z \in \mathbb{Z}", "y ≠ 0, z ∈ ℤ"),
    (r"\text{kernel\_size}", "kernel_size"),
    (r"\{1, 2\}", "{1, 2}"),
    (r"\rule{110mm}{0.4pt} a", "a"),
    ("a%\n    b", "a\n    b"),
    (r"\unknowncommand x", "unknowncommand x"),
]


@pytest.mark.parametrize(("formula", "expected"), FORMULAS, ids=[formula for formula, _ in FORMULAS])
def test_formulas(formula: str, expected: str) -> None:
    assert plain(formula).strip() == expected


PIECES = st.sampled_from(
    [
        ":attr:`x`", ":math:`", "``", "`", "*", "**", "\n", "\n\n", "\n    ", "\n        ", "- ", "1. ", "::",
        ".. note::", ".. math::", ".. _a: b", "Args:", "Example::", "Note:", ">>> f(", ")", "]", "```", "---", "+--+",
        "| a |", ":param x:", "===", "_", "\\", "<b>", "word", "x: y", "Ж", "\t", "{", "$a_b$", "https://a.org",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_whatever_is_written_becomes_markdown_with_closed_fences(text: str) -> None:
    told = markdown(text)
    assert is_balanced(told)
    for word in ("word", "Ж"):
        # A link's target, a comment and an option of a directive are not shown; all else is.
        assert told.count(word) <= text.count(word) or "[" in told


def test_what_is_nested_too_deep_is_shown_as_it_is() -> None:
    text = "\n".join(f"{' ' * 2 * depth}- item {depth}" for depth in range(900))
    assert markdown(text) == f"```text\n{text}\n```"


def is_balanced(text: str) -> bool:
    """Whether each fence is closed by one as long, in the same quotation."""
    fence = None
    for line in text.split("\n"):
        found = re.match(r"[> ]*(?:(?:-|\d+\.) )*(?:> )*(`{3,})(.*)$", line)
        if found and fence is None and "`" not in found[2]:
            fence = found[1]
        elif found and found[1] == fence and not found[2]:
            fence = None
    return fence is None


def test_orders_to_the_runner_of_examples_are_left_out() -> None:
    text = "Sums.\n\nExamples::\n\n    >>> # xdoctest: +SKIP\n    >>> x.sum()\n"
    assert "xdoctest" not in markdown(text, "https://example.org") and ">>> x.sum()" in markdown(
        text, "https://example.org"
    )
