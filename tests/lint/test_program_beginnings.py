"""Which calls on the way to a fault readers are shown: one that passes nothing only says where the program begins."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import SyntaxTree, parse

FAULTY = """\
import torch


def main(x=None):
    x = torch.zeros(2, 3).t()
    return crop(x)


def crop(x):
    return x.view(-1)


"""


class NoOtherFiles:
    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None:
        return None


def calls(beginning: str, before: str = FAULTY) -> tuple[list[str], list[str]]:
    """The steps of the trail that name calls: all of them, and those that readers are shown."""
    document = Document("a.py", before + beginning)
    (found,) = run(parse(document), NoOtherFiles(), frozenset({"TL101"}), strict=True).findings
    named = [
        [one.message for one in steps if "called" in one.message] for steps in (found.related, found.trail)
    ]
    return named[0], named[1]


CROP, MAIN = "`crop` is called here", "`main` is called here"


@pytest.mark.parametrize(
    "beginning",
    [
        "main()\n",
        "result = main()\n",
        "print(main())\n",
        'if __name__ == "__main__":\n    main()\n',
        'if __name__ == "__main__":\n    result = main()\n    print(result)\n',
    ],
)
def test_a_call_that_begins_the_program_is_kept_and_not_shown(beginning: str) -> None:
    assert calls(beginning) == ([CROP, MAIN], [CROP])


@pytest.mark.parametrize("call", ["main()", "result = main()", "return main()", "print(main())"])
def test_a_call_that_passes_nothing_is_not_shown_in_a_function_either(call: str) -> None:
    named, shown = calls(f"def run():\n    {call}\n\n\nrun()\n")
    assert (MAIN in named, shown) == (True, [CROP])


@pytest.mark.parametrize(
    "beginning",
    [
        "main(torch.zeros(3))\n",
        "main(x=1)\n",
        "with torch.no_grad():\n    main()\n",
        "for epoch in range(3):\n    main()\n",
        "if torch.cuda.is_available():\n    main()\n",
        "def run():\n    main(1)\n\n\nrun()\n",
        "def run():\n    with torch.no_grad():\n        main()\n\n\nrun()\n",
    ],
)
def test_a_call_that_passes_something_or_stands_below_something_is_shown(beginning: str) -> None:
    named, shown = calls(beginning)
    assert MAIN in named and MAIN in shown


def test_a_function_inside_of_another_may_read_the_variables_of_that_one() -> None:
    inner = "`inner` is called here"
    text = """\
import torch


def main():
    x = torch.zeros(2, 3).t()

    def inner():
        return x.view(-1)

    inner()


main()
"""
    assert calls("", text) == ([inner, MAIN], [inner])
