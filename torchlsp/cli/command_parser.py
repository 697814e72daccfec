"""Parses the command line; a misspelt word is answered with the usage of the command that it was given to."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OPTION = re.compile(r"-[A-Za-z]$|-{1,2}[A-Za-z][\w-]+(?==|$)")


class CommandParser(argparse.ArgumentParser):
    """A parser that refuses the options it does not know itself, and says which one may have been meant.

    argparse hands the unknown options of a command to the parser above, which shows its own usage.
    """

    _given: tuple[str, ...] = ()

    # Any: argparse's own signature has overloads for the type of the namespace.
    def parse_known_args(
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:  # type: ignore[override]
        """Parses the arguments, all of which must be known."""
        self._given = tuple(sys.argv[1:] if args is None else args)
        options, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return options, rest

    def error(self, message: str) -> NoReturn:
        """Prints the usage and the mistake, and exits with 2. An option that does not exist goes before other mistakes,
        which may follow from it."""
        unknown = [word for word in self._options_given() if not self._knows(word)]
        if unknown:
            found = [f"`{word}`{self._meant(word)}" for word in unknown]
            message = f"no such option: {', '.join(found)}"
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}\n")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuses a value that is none of the choices, and names the nearest of them."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as refused:
            text = str(value)
            nearest = nearest_word(text, map(str, action.choices or ()))
            if nearest is not None:
                refused.message += f"; did you mean `{nearest}`?"
            elif isinstance(action, argparse._SubParsersAction) and os.path.exists(text):
                refused.message = f"`{text}` is no command; did you mean `{self.prog} check {text}`?"
            raise

    def _options_given(self) -> list[str]:
        """Returns the options among the arguments as they are spelt, up to the command that has its own."""
        words: list[str] = []
        commands = self._commands()
        for word in self._given:
            if word == "--" or word in commands:
                break
            match = _OPTION.match(word)
            if match is not None:
                words.append(match[0])
        return words

    def _commands(self) -> dict[str, argparse.ArgumentParser]:
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return dict(action.choices)
        return {}

    def _knows(self, word: str) -> bool:
        known = self._option_string_actions
        if word in known or (word[0] != word[1] and word[:2] in known):
            return True
        return self.allow_abbrev and any(option.startswith(word) for option in known)

    def _meant(self, word: str) -> str:
        """Words which option was probably meant, of this command or, above all commands, of one of them."""
        nearest = nearest_word(word, self._option_string_actions)
        if nearest is not None:
            return f", did you mean `{nearest}`?"
        for name, parser in self._commands().items():
            if word in parser._option_string_actions:
                return f", it is one of `{self.prog} {name}`"
        return f"; `{self.prog} --help` lists those there are"


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """Returns the one of the known words that a misspelt one resembles most; None where it resembles none."""
    from difflib import get_close_matches

    by_letters = {one.replace("_", "-").strip("-").lower(): one for one in known if len(one) > 2}
    letters = word.replace("_", "-").strip("-").lower()
    found = get_close_matches(letters, by_letters, 1, 0.6)
    if not found:
        # `--fromat` for `--output-format`
        by_letters = {
            one.rpartition("-")[2]: known_one for one, known_one in by_letters.items() if "-" in one
        }
        found = get_close_matches(letters, by_letters, 1, 0.8)
    return by_letters[found[0]] if found else None
