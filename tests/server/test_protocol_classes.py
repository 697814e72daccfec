"""The classes of the protocol, as the server imports them: in less time, and the same but for who has written their `__repr__`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import attrs
define = attrs.define
if sys.argv[1] == "ours":
    from torchlsp.server.protocol_classes import import_protocol_classes
    import_protocol_classes()
from lsprotocol import types
place = types.Position(3, 4)
found = types.Diagnostic(types.Range(place, place), "a message", code="TL101", tags=[types.DiagnosticTag.Unnecessary])
same = types.Diagnostic(types.Range(place, place), "a message", code="TL101", tags=[types.DiagnosticTag.Unnecessary])
try:
    types.Diagnostic(types.Range(place, place), 3)
    refused = False
except TypeError:
    refused = True
print(json.dumps({
    "shown": [repr(found), repr(place), str(types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "a")))],
    "equal": [found == same, found == types.Diagnostic(types.Range(place, place), "another"), place == types.Position(3, 4)],
    "refused": refused,
    "slots": list(types.Diagnostic.__slots__),
    "restored": attrs.define is define,
    "of_its_own": sum("__repr__" in vars(one) and one.__repr__.__module__ == "lsprotocol.types"
                      for one in vars(types).values() if isinstance(one, type) and attrs.has(one)),
}))
"""


def told(which: str) -> dict[str, object]:
    ran = subprocess.run([sys.executable, "-c", PROGRAM, which], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@pytest.mark.processes
def test_they_are_as_the_library_makes_them():
    ours, theirs = told("ours"), told("library")
    made_by_us, made_by_attrs = ours.pop("of_its_own"), theirs.pop("of_its_own")
    assert ours == theirs
    assert made_by_us < 5 < 500 < made_by_attrs  # Position has one of its own
