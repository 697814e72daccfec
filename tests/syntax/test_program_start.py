"""How a file can be run: by a main block, as tests, or as a module of its package."""

from __future__ import annotations

import pytest

from torchlsp.syntax.program_start import has_main_block, has_relative_imports, has_tests, module_of


def answers(function, text: str) -> bool:
    module = module_of(text)
    assert module is not None
    return function(module)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('if __name__ == "__main__":\n    main()\n', True),
        ("if '__main__' == __name__: main()\n", True),
        ('if __name__ != "__main__":\n    raise ImportError\n', False),
        ('def f():\n    if __name__ == "__main__":\n        pass\n', False),
        ('if name == "__main__":\n    pass\n', False),
        ("main()\n", False),
    ],
)
def test_a_main_block_stands_at_the_top_level(text, expected):
    assert answers(has_main_block, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def test_it():\n    pass\n", True),
        ("async def test_it():\n    pass\n", True),
        ("class TestIt:\n    def test_it(self):\n        pass\n", True),
        ("class It(unittest.TestCase):\n    def test_it(self):\n        pass\n", True),
        ("if True:\n    def test_it():\n        pass\n", True),
        ("class TestIt:\n    def helper(self):\n        pass\n", False),
        ("class It:\n    def test_it(self):\n        pass\n", False),
        ("def check():\n    def test_it():\n        pass\n", False),
    ],
)
def test_tests_are_what_pytest_collects(text, expected):
    assert answers(has_tests, text) is expected


def test_relative_imports_count_where_they_run_with_the_module():
    assert answers(has_relative_imports, "try:\n    from .model import Net\nexcept ImportError:\n    pass\n")
    assert not answers(has_relative_imports, "from model import Net\ndef f():\n    from . import model\n")


def test_a_text_that_does_not_parse_has_no_module():
    assert module_of("if __name__ ==") is None
