"""An editor that goes away without a word, as one that crashed does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def message(text: str) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(text), text.encode())


@pytest.mark.parametrize("last", ["shutdown", "no/such/method"])
def test_a_server_that_nobody_hears_leaves_in_silence(tmp_path, last):
    server = subprocess.Popen(
        [sys.executable, "-m", "torchlsp", "server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    beginning = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
    server.stdin.write(message(beginning))
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"Content-Length:")
    server.stdout.close()
    server.stdin.write(message(f'{{"jsonrpc":"2.0","id":2,"method":"{last}"}}'))
    server.stdin.close()
    said = server.stderr.read()
    server.stderr.close()
    assert (server.wait(60), said.decode()) == (0, "")
