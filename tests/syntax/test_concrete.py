"""libCST as it is imported here: in less time, and the same but for when an `__init__` is compiled."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

READ = Path(__file__).parents[2] / "torchlsp" / "lint" / "check.py"
PROGRAM = """
import copy, dataclasses, json, pickle, sys
dataclass = dataclasses.dataclass
if sys.argv[1] == "ours":
    from torchlsp.syntax.concrete import import_libcst
    assert import_libcst() is import_libcst() is sys.modules["libcst"]
import libcst as cst

text = open(sys.argv[2], encoding="utf-8").read()
compiled = sum(one.__init__.__code__.co_filename == "<string>" for one in vars(cst).values() if isinstance(one, type)
               and dataclasses.is_dataclass(one) and issubclass(one, cst.CSTNode))
module = cst.parse_module(text)
call = cst.parse_expression("f(a, *b, c=(1, 2))")

def refused(make):
    try:
        make()
    except Exception as failure:
        return f"{type(failure).__name__}: {failure}"

print(json.dumps({
    "restored": dataclasses.dataclass is dataclass,
    "shown": repr(module),
    "text": module.code == text,
    "copies": [module.deep_clone().code == text, module.deep_equals(module.deep_clone()), copy.deepcopy(call).deep_equals(call),
               pickle.loads(pickle.dumps(call)).deep_equals(call), call == call.deep_clone(), len({call, call.deep_clone()})],
    "changed": module.code_for_node(call.with_changes(func=cst.Attribute(cst.Name("x"), cst.Name("y")), args=call.args[:1])),
    "made": module.code_for_node(cst.Assign([cst.AssignTarget(cst.Name("a"))], cst.Tuple([cst.Element(cst.Integer("1"))]))),
    "own_defaults": cst.Name("a").lpar is not cst.Name("b").lpar or cst.Name("a").lpar == (),
    "refused": [refused(lambda: cst.Name("")), refused(lambda: cst.Integer("x")), refused(lambda: cst.Name()),
                refused(lambda: cst.Name("a", wrong=1)), refused(lambda: cst.BinaryOperation(cst.Name("a"), cst.Add()))],
    "fields": {name: [(field.name, str(field.type), field.default is dataclasses.MISSING) for field in dataclasses.fields(one)]
               for name, one in vars(cst).items() if isinstance(one, type) and dataclasses.is_dataclass(one)},
    "compiled": compiled,
}))
"""


# What a rule with a fix imports, and a fix without one.
FIRST = [
    "from torchlsp.lint import cst",
    "from torchlsp.lint import respelling",
    "import torchlsp.lint.cst_nodes",
]


def told(which: str) -> dict[str, object]:
    command = [sys.executable, "-c", PROGRAM, which, str(READ)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.processes
def test_it_is_as_the_library_makes_it():
    ours, theirs = told("ours"), told("library")
    assert theirs.pop("compiled") > 150 > 10 > ours.pop("compiled")
    assert len(theirs["fields"]) > 150
    assert ours == theirs


@pytest.mark.processes
@pytest.mark.parametrize("first", FIRST)
def test_rules_get_it_in_less_time(first):
    program = f"{first}\nimport libcst\nprint(libcst.Name.__init__.__module__)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "torchlsp.syntax.concrete"
