"""The parts of the VS Code extension that decide, run without an editor: the tests are in `vscode_units`."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from extension_packages import EXTENSION, packages, program

HERE = Path(__file__).parent / "vscode_units"
TESTS = [
    name
    for file in sorted(HERE.glob("*.test.js"))
    for name in re.findall(r'^test\("(.+?)", ', file.read_text(encoding="utf-8"), re.MULTILINE)
]
pytestmark = [pytest.mark.editors, pytest.mark.slow]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | None]:
    node, installed = program("node"), packages()
    home = tmp_path_factory.mktemp("units")
    extension = home / "extension"
    extension.mkdir()
    for name in ("src", "package.json", "tsconfig.json"):
        (extension / name).symlink_to(EXTENSION / name)
    (extension / "node_modules").symlink_to(installed)
    done = subprocess.run(
        [node, HERE / "run.js", extension, home],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", TESTS)
def test_it(results, name):
    assert results[name] is None, results[name]


def test_none_is_left_out(results):
    assert sorted(results) == sorted(TESTS) and len(TESTS) == len(set(TESTS)) > 20
