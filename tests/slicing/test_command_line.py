"""The defaults of a command line stand for what is parsed."""

from __future__ import annotations

import argparse

import pytest
from cutting import cut_at, program, reason

HEAD = "import torch\nimport argparse\nparser = argparse.ArgumentParser()\n"
END = "args = parser.parse_args()\nx = torch.zeros(3)\nx.view(args)\n"

OPTIONS = [
    "parser.add_argument('--n', default=3)",
    "parser.add_argument('--n', type=int, default='3')",
    "parser.add_argument('--n', type=float, default=3)",
    "parser.add_argument('--n', type=float, default='1e-3')",
    "parser.add_argument('--n')",
    "parser.add_argument('-n', '--long-name', default=2)",
    "parser.add_argument('-n', '--long-name', dest='own', default=2)",
    "parser.add_argument('-nn', default=2)",
    "parser.add_argument('--n', action='store_true')",
    "parser.add_argument('--n', action='store_false')",
    "parser.add_argument('--n', action='store_true', default=None)",
    "parser.add_argument('--n', action='append')",
    "parser.add_argument('--n', action='count')",
    "parser.add_argument('--n', action='store_const', const=4)",
    "parser.add_argument('--n', action=argparse.BooleanOptionalAction, default=True)",
    "parser.add_argument('--n', required=False, default=1)",
    "parser.add_argument('--n', nargs='+', type=int, default=[1, 2])",
    "parser.add_argument('n', nargs='?')",
    "parser.add_argument('n', nargs='?', type=int, default='3')",
    "parser.add_argument('n', nargs='*')",
    "parser.add_argument('--n', default=-1, choices=[-1, 1])",
    "parser.add_argument('--n')\nparser.set_defaults(n=5, m='a')",
    "parser.set_defaults(n=5)\nparser.add_argument('--n')",
    "parser.set_defaults(n=5)\nparser.add_argument('--n', default=6)",
    "g = parser.add_argument_group('g')\ng.add_argument('--n', default=3)",
    "g = parser.add_mutually_exclusive_group()\ng.add_argument('--a', action='store_true')\ng.add_argument('--b', default=2)",
]


@pytest.mark.parametrize("options", OPTIONS)
def test_defaults_are_those_of_argparse(options):
    made = program(f"{HEAD}{options}\n{END}", "x.view(args)")
    names: dict = {}
    exec(made[made.index("class ") : made.index("x = ")], names)
    parser = argparse.ArgumentParser()
    exec(options, {"parser": parser, "argparse": argparse})
    assert vars(names["args"]) == vars(parser.parse_args([]))


@pytest.mark.parametrize(
    "options",
    [
        "parser = add_more(parser)",
        "add_more(parser)",
        "parser.add_argument('--n', **options)",
        "parser.add_argument(name, default=3)",
        "subs = parser.add_subparsers()",
        "parser = argparse.ArgumentParser(parents=[base])",
    ],
)
def test_parser_with_options_that_cannot_be_read_is_not_replaced(options):
    assert "argparse" in reason(
        f"{HEAD}name = options = base = 1\ndef add_more(p):\n    return p\n{options}\n{END}", "x.view(args)"
    )


@pytest.mark.parametrize("given", ["['--n', '3']", "argv"])
def test_command_line_that_the_program_gives_is_not_replaced(given):
    text = f"{HEAD}argv = []\nargs = parser.parse_args({given})\nx = torch.zeros(3)\nx.view(args)\n"
    assert "argparse" in reason(text, "x.view(args)")


def test_option_that_must_be_given_is_not_there():
    made = program(
        f"{HEAD}parser.add_argument('--n', required=True)\nparser.add_argument('file')\n{END}", "x.view(args)"
    )
    assert "self.n" not in made and "self.file" not in made


def test_parser_in_a_function():
    text = (
        "import torch\nimport argparse\ndef options():\n    p = argparse.ArgumentParser()\n    p.add_argument('--n', default=3)\n"
        "    return p.parse_args()\nx = torch.zeros(options().n)\nx.view(7)\n"
    )
    made = cut_at(text, "x.view(7)")
    assert "self.n = 3" in made.program and "ArgumentParser" not in made.program
    assert made.given == "the defaults of its command line"


def test_parsers_of_one_name_in_two_functions_are_told_apart():
    function = "def {0}():\n    p = argparse.ArgumentParser()\n    p.add_argument('--n', default={1})\n    return p.parse_args()\n"
    text = f"import torch\nimport argparse\n{function.format('a', 3)}{function.format('b', 4)}x = torch.zeros(a().n, b().n)\nx.view(7)\n"
    made = program(text, "x.view(7)")
    assert "self.n = 3" in made and "self.n = 4" in made


def test_class_of_the_same_name_is_not_taken():
    text = f"{HEAD}parser.add_argument('--n', default=3)\nclass CommandLine1:\n    n = 9\n{END}y = 1\n"
    made = program(
        text.replace("x.view(args)", "x.view(args.n, CommandLine1.n)"), "x.view(args.n, CommandLine1.n)"
    )
    assert "class CommandLine2" in made and "args = CommandLine2()" in made


def test_option_that_is_set_later_is_kept_where_it_is_read():
    text = f"{HEAD}parser.add_argument('--n', default=3)\nargs = parser.parse_args()\nargs.n = 4\nargs.m = 5\nx = torch.zeros(args.n)\nx.view(7)\n"
    made = program(text, "x.view(7)")
    assert "args.n = 4" in made and "args.m" not in made


def test_program_without_a_command_line_has_no_defaults():
    assert cut_at("import torch\nx = torch.zeros(3)\nx.view(7)\n", "x.view(7)").given is None
