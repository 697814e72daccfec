"""Which changes are of blanks alone: the statements before and after are the same, and so is what comments say."""

from __future__ import annotations

import ast
import random

import pytest

from torchlsp.core.text import Document
from torchlsp.syntax.blanks import changed_gap
from torchlsp.syntax.parse import parse

TEXT = '''import torch

# Of the loss.
@torch.no_grad()
def f(x, y):
    """Says

    something."""
    z = (x +

         y)
    if x:
        w = x  # a note
    else:
        w = \\
            y

    return w


class C:
    k = 3

    # The last.
    def g(self):
        return """
    """
'''


def gap(new: str):
    return changed_gap(parse(Document("typed.py", TEXT)), Document("typed.py", new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import torch\n\n", "import torch\n\n\n"),
        ("import torch\n\n", "import torch\n"),
        ("import torch\n\n", "import torch\n   \n"),
        ("import torch\n", "import torch  \n"),
        ("# Of the loss.\n", "\n# Of the loss.\n"),
        ("# Of the loss.\n", "# Of the loss. \n"),
        ("         y)\n", "         y)\n    \n"),
        ("    return w\n\n\n", "    return w\n\n\n\n\n\n"),
        ("    return w\n\n\n", "    return w\n"),
        ("    k = 3\n\n", "    k = 3\n"),
        ("    # The last.\n", "    # The last.\n\n"),
        ("def f(x, y):\n", "def f(x, y):\n\n"),
        ("def f(x, y):\n", "def f(x, y): \n"),
        ("    if x:\n", "    if x:\n    \n\n"),
        ("    else:\n", "    else:\n\n"),
    ],
)
def test_changes_of_blanks_alone(old, new):
    assert TEXT.count(old) == 1
    after = TEXT.replace(old, new)
    found = gap(after)
    assert found is not None
    assert TEXT[: found.start] + after[found.start : found.new_end] + TEXT[found.old_end :] == after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Of the loss.\n", "# Of the losses.\n"),
        ("# Of the loss.\n", ""),
        ("    k = 3\n", "    k = 3  # three\n"),
        ("    return w\n\n", "    return w\n    # the\n# end\n"),
    ],
)
def test_changes_of_comments_are_followed_where_nobody_reads_them(old, new):
    after = TEXT.replace(old, new)
    tree = parse(Document("typed.py", TEXT))
    assert changed_gap(tree, Document("typed.py", after)) is None
    found = changed_gap(tree, Document("typed.py", after), comments=True)
    assert found is not None
    assert TEXT[: found.start] + after[found.start : found.new_end] + TEXT[found.old_end :] == after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Of the loss.\n", "# Of the losses.\n"),
        ("# Of the loss.\n", ""),
        ("# Of the loss.\n", "    # Of the loss.\n"),
        ("  # a note\n", "  # another note\n"),
        ("import torch\n\n", "import torch\n\n# torch\n"),
        ("Says\n\n", "Says\n\n\n"),
        ("Says\n\n", "Says\n"),
        ("(x +\n\n", "(x +\n"),
        ("w = \\\n", "w = \\\n\n"),
        ('return """\n', 'return """\n\n'),
        ("    else:\n", "\n    else:\n"),
        ("w = x  # a note\n", "w = x  # a note\t\n\n"),
        ("    k = 3\n", "    k  = 3\n"),
        ("def f(x, y):\n", "def f(x,\n\n y):\n"),
        ("def f(x, y):\n", "def f(x, y) :\n"),
        ("def f(x, y):\n", "def f(x, y):  #\n"),
        ("    if x:\n", "    if x:\\\n\n"),
        ("    return w\n", "    return  w\n"),
        ("    k = 3\n", "    k = 3;\n"),
        ("    k = 3\n", "    k = 3\n\f\n"),
        ("    k = 3\n", "    k = 3\r\n"),
        ("    k = 3\n", "    k = 3\n    \\\n"),
    ],
)
def test_changes_of_more_than_blanks_or_inside_of_a_statement(old, new):
    assert TEXT.count(old) == 1
    assert gap(TEXT.replace(old, new)) is None


def test_the_same_text_is_no_change():
    assert gap(TEXT) is None


def test_whatever_blanks_are_put_anywhere_the_statements_are_the_same():
    made = random.Random(3)
    tree = ast.dump(ast.parse(TEXT))
    followed = 0
    for _ in range(3000):
        start = made.randrange(len(TEXT) + 1)
        end = min(start + made.choice((0, 0, 1, 2, 3)), len(TEXT))
        new = (
            TEXT[:start]
            + "".join(made.choice("\n\n  \t") for _ in range(made.choice((0, 1, 3))))
            + TEXT[end:]
        )
        if gap(new) is not None:
            followed += 1
            assert ast.dump(ast.parse(new)) == tree
    assert followed > 80
