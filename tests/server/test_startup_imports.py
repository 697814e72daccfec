"""The answer to `initialize` imports nothing but the protocol's library."""

from __future__ import annotations

from pathlib import Path

ANALYSIS = (
    *(f"torchlsp.{layer}" for layer in ("engine", "facts", "interp", "lint", "ops", "program", "rules")),
    *("torchlsp.syntax", "torchlsp.report", "libcst", "jedi", "torch", "numpy"),
)
# Notes every search for a module, so that one which is imported and dropped is seen too.
NOTING = """
import sys

class Noting:
    def find_spec(self, name, path=None, target=None):
        with open({log!r}, "a") as log:
            log.write(name + chr(10))

sys.meta_path.insert(0, Noting())
"""


def of_the_analysis(log: Path) -> set[str]:
    names = log.read_text().split()
    return {
        name for name in names if name.startswith(tuple(f"{one}." for one in ANALYSIS)) or name in ANALYSIS
    }


def test_initialize_is_answered_before_the_engine_is_imported(start, tmp_path):
    log = tmp_path / "imports.log"
    client = start(NOTING.format(log=str(log)))
    client.initialize({"textDocument": {"publishDiagnostics": {}}})
    nowhere = {"textDocument": {"uri": client.uri("closed.py")}, "position": {"line": 0, "character": 0}}
    assert client.request("textDocument/hover", nowhere) is None
    assert "pygls.lsp.server" in log.read_text().split()
    assert of_the_analysis(log) == set()
    uri = client.open(client.uri("opened.py"), "import torch\nx = torch.zeros(2, 3).t().view(6)\n")
    assert client.published(uri)
    assert {"torchlsp.engine.engine", "torchlsp.interp.run.interpreter"} <= of_the_analysis(log)
    assert not {"torch", "jedi"} & of_the_analysis(log)
    assert client.leave() == 0
