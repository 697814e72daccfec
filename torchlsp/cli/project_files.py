"""Holds the texts that `torchlsp init` writes: configuration, hook of pre-commit, and jobs of CI services."""

from __future__ import annotations

import re

BASELINE = "torchlsp-known.json"
HOOKS = ".pre-commit-config.yaml"
GITHUB = ".github/workflows/torchlsp.yml"
GITLAB = ".gitlab-ci.yml"
GROUPS = ("performance", "upgrade", "style")
"""The groups of rules that are off by default."""

_NOT_PUBLISHED = """\
      # torchlsp is not published yet: set the variable TORCHLSP_REPOSITORY ({}) to the address of a repository that
      # has a copy of it, as git clone takes it.
"""
_FROM_VARIABLES = """\
        env:
          TORCHLSP_REPOSITORY: ${{ vars.TORCHLSP_REPOSITORY }}
"""


def configuration(table: str, groups: list[str]) -> str:
    """Returns the text of a configuration; `table` is the head of our table in a pyproject.toml, else empty."""
    selected = ", ".join(f'"{group}"' for group in groups)
    rows = [
        *([table] if table else []),
        "# Besides the default: the groups performance, upgrade and style, codes (TL502) or prefixes (TL5).",
        f"extend-select = [{selected}]",
        "# Codes, prefixes, names or groups that are not reported.",
        "ignore = []",
        "# Besides build, .venv and the like, and what git ignores.",
        "extend-exclude = []",
        "# The torch that is meant where none is installed, as in CI.",
        '# torch-version = "2.13"',
    ]
    return "\n".join(rows) + "\n"


def hook(indent: str, baseline: str | None) -> str:
    """Returns the entry of the list `repos` of pre-commit, which runs the torchlsp that is installed."""
    options = f" --baseline {baseline}" if baseline else ""
    rows = (
        "- repo: local",
        "  hooks:",
        "    - id: torchlsp",
        "      name: torchlsp",
        f"      entry: torchlsp check --force-exclude{options}",
        "      language: system # the torchlsp on the PATH",
        "      types_or: [python, jupyter]",
        "      require_serial: true",
    )
    return "".join(f"{indent}{row}\n" for row in rows)


def hooks(baseline: str | None) -> str:
    """Returns a whole configuration of pre-commit."""
    return f"repos:\n{hook('  ', baseline)}"


def with_hook(text: str, baseline: str | None) -> str | None:
    """Returns a configuration of pre-commit with our hook at its end; None where the list `repos` does not end it."""
    heads = re.findall(r"^([\w-]+)\s*:", text, re.MULTILINE)
    items = re.findall(r"^( *)- +repo *:", text, re.MULTILINE)
    if heads[-1:] != ["repos"] or not items or len(set(items)) > 1:
        return None
    return f"{text.rstrip()}\n{hook(items[0], baseline)}"


def github(requirement: str, baseline: str | None) -> str:
    """Returns a workflow of GitHub that shows findings beside the lines that they are about."""
    options = f" --baseline {baseline}" if baseline else ""
    is_open = "$TORCHLSP_REPOSITORY" in requirement
    return f"""\
name: torchlsp
on:
  push:
    branches: [main, master]
  pull_request:

permissions:
  contents: read

jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-python@v6
        with:
          python-version: "3.12"
{_NOT_PUBLISHED.format("Settings, Secrets and variables, Actions") if is_open else ""}\
      - run: pip install "{requirement}"
{_FROM_VARIABLES if is_open else ""}\
      - run: torchlsp check --output-format github{options}
"""


def gitlab(requirement: str, baseline: str | None) -> str:
    """Returns a job of GitLab with a report that is shown beside the changes."""
    options = f" --baseline {baseline}" if baseline else ""
    is_open = "$TORCHLSP_REPOSITORY" in requirement
    return f"""\
torchlsp:
  image: python:3.12
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  before_script:
{_NOT_PUBLISHED.format("Settings, CI/CD, Variables") if is_open else ""}\
    - pip install "{requirement}"
  script:
    - torchlsp check --report gitlab=gl-code-quality-report.json{options}
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
"""
