"""Patterns with many stars match what regular expressions match, in time proportional to the path."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from torchlsp.engine.gitignore import patterns
from torchlsp.engine.globs import ANY, FOLDERS, STAR, Glob, matcher

PARTS = st.lists(
    st.sampled_from([STAR, ANY, FOLDERS, "a", "b", "/", "[^/]", "[ab]", r"(?!/)[^a]"]), max_size=9
)


@settings(max_examples=300, deadline=None)
@given(parts=PARTS, path=st.text("ab/c", max_size=10))
@example(parts=[FOLDERS, FOLDERS, "a"], path="b/a/a")
@example(parts=[STAR, STAR, "a"], path="bba")
@example(parts=["a", FOLDERS, STAR, "b"], path="a/c/ab")
def test_glob_matches_as_the_regular_expression_does(parts: list[str], path: str) -> None:
    pattern = "".join(parts)
    glob = Glob(parts)
    assert glob.match(path) == bool(re.fullmatch(pattern, path))
    # What is kept from one path does not change the next one's result.
    assert glob.match(path, below=True) == bool(re.fullmatch(f"(?:{pattern})(?:/.*)?", path))


STARS = [
    "*a" * 12 + "b",
    "**/" * 6 + "*a*a*a*a*a*b",
    "a*?" * 12 + "b",
    "*" * 300 + "b",
    "**/a" * 12 + "b",
    "*[a-b]" * 9 + "c",
]


def seconds(path: str, match) -> float:
    start = time.process_time()
    assert not match(path)
    return time.process_time() - start


@pytest.mark.parametrize("pattern", STARS)
@pytest.mark.parametrize("path", ["a" * 255, "a/" * 120 + "a", "ab" * 100 + "d"])
def test_pattern_of_many_stars_takes_a_moment(pattern: str, path: str) -> None:
    """Eight stars took 30 seconds before, and each further one ten times as long."""
    (of_git,) = patterns([pattern.encode()])
    assert seconds(path, lambda one: of_git.matches(one.encode())) < 0.5
    assert seconds(path, matcher([pattern])) < 0.5


def test_file_of_many_patterns_is_read_in_a_moment() -> None:
    start = time.process_time()
    found = patterns([b"*a*b*c*d*e"] * 20_000 + [b"x"])
    assert len(found) == 501
    assert len(patterns([b"a%d" % number for number in range(20_000)])) == 10_000
    assert time.process_time() - start < 2


def test_pattern_of_a_million_characters_is_left_out() -> None:
    start = time.process_time()
    assert patterns([b"a*" * 500_000]) == ()
    assert not matcher(["a*" * 500_000])("aaa")
    assert time.process_time() - start < 1.5
