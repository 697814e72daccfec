"""What hover says of a file holds also for the calls in other files of the workspace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from shown_model import MODEL, facts_of

from torchlsp.core.text import Document
from torchlsp.engine import callers as engine_callers
from torchlsp.engine.callers import ANY_MODULE_CALL, NO_CALLERS, callers

STATIC = {"hidden": "f32[...] grad", "weight": "f32[4, 3] grad", "loss": "tensor[] grad"}


def facts(folder: Path, **others: str) -> dict[str, str]:
    """What hover says of three names of the model, by name."""
    (folder / "pyproject.toml").write_text("")
    path = folder / "model.py"
    path.write_text(MODEL)
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    return facts_of(Document(str(path), MODEL))


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nfrom model import Net\nwith torch.no_grad():\n    Net()(torch.ones(2, 3))\n",
        "import torch\nimport model as m\n@torch.no_grad()\ndef run(net, x):\n    return net(x)\nrun(m.Net(), torch.ones(2, 3))\n",
        "import torch\nimport model\ntorch.set_grad_enabled(False)\nnet = model.Net()\nnet(torch.ones(2, 3))\n",
        "import torch, model\n@torch.inference_mode()\ndef run(nets, x):\n    return nets[0](x)\n",
    ],
)
def test_another_file_calls_without_gradients(tmp_path: Path, text: str) -> None:
    assert facts(tmp_path, evaluate=text) == {**STATIC, "hidden": "f32[...]", "loss": STATIC["loss"]}


def test_a_function_of_another_file_is_called_by_name(tmp_path: Path) -> None:
    text = "import torch\nfrom model import loss_of\nwith torch.no_grad():\n    print(loss_of(None, 1, 2))\n"
    assert facts(tmp_path, evaluate=text)["loss"] == "tensor[]"


def test_a_file_calls_by_a_third(tmp_path: Path) -> None:
    train = "from model import Net, loss_of\ndef step(x, y):\n    return loss_of(None, x, y)\n"
    text = "import torch\nfrom train import step\nwith torch.no_grad():\n    step(1, 2)\n"
    assert facts(tmp_path, train=train, evaluate=text)["loss"] == "tensor[]"


ENGINE = """\
import torch


def evaluate(model, x):
    model.eval()
    with torch.no_grad():
        return model(x)


def train(model, x):
    return model(x)


def both(model, x):
    train(model, x)
    return evaluate(model, x)
"""


@pytest.mark.parametrize(
    ("main", "hidden"),
    [
        ("from model import Net\nfrom engine import evaluate\nevaluate(Net(), 1)\n", "f32[...]"),
        ("from model import Net\nimport engine\nengine.both(Net(), 1)\n", "f32[...]"),
        ("from model import Net\nfrom again import both\nboth(Net(), 1)\n", "f32[...]"),
        ("from model import Net\nfrom engine import train\ntrain(Net(), 1)\n", STATIC["hidden"]),
        ("from model import Net\nfrom engine import name\n", STATIC["hidden"]),
        ("import engine\nengine.both(1, 1)\n", STATIC["hidden"]),
    ],
)
def test_a_module_is_passed_to_a_function_that_runs_it_without_gradients(
    tmp_path: Path, main: str, hidden: str
) -> None:
    found = facts(tmp_path, main=main, engine=ENGINE, again="from engine import both\n")
    assert found == {**STATIC, "hidden": hidden}


def test_a_file_passes_its_module_to_one_that_it_imports(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "engine.py").write_text(ENGINE)
    path = tmp_path / "main.py"
    path.write_text("import engine\n\n\ndef start(net):\n    engine.evaluate(net, 1)\n")
    assert ANY_MODULE_CALL in callers(str(path)).without_grad
    path.write_text("import engine\n\n\ndef start(net):\n    engine.train(net, 1)\n")
    assert callers(str(path)) == NO_CALLERS


def test_a_module_is_passed_to_a_function_that_gives_it_to_a_nested_one(tmp_path: Path) -> None:
    engine = """\
import torch


def train(model, x):
    return model(x)


class Runner:
    def later(self, model):
        def call(x):
            with torch.no_grad():
                return model(x)

        return call


def wrapped(model):
    def call(x):
        with torch.no_grad():
            return model(x)

    return map(call, [1])
"""
    main = "from model import Net\nfrom engine import {0}\n{0}(Net())\n"
    assert facts(tmp_path, main=main.format("train"), engine=engine) == STATIC
    assert facts(tmp_path, main=main.format("wrapped"), engine=engine)["hidden"] == "f32[...]"
    main = "from model import Net\nfrom engine import Runner\nRunner().later(Net())\n"
    assert facts(tmp_path, main=main, engine=engine)["hidden"] == "f32[...]"


def test_a_module_is_passed_to_a_function_that_casts_or_freezes_it(tmp_path: Path) -> None:
    engine = """\
def half(model):
    model.eval()
    return model.half()


def freeze(model):
    for one in model.parameters():
        one.requires_grad = False


def keep(model):
    return model
"""
    main = "from model import Net\nfrom engine import {0}\n{0}(Net())\n"
    assert facts(tmp_path, main=main.format("keep"), engine=engine) == STATIC
    assert facts(tmp_path, main=main.format("half"), engine=engine)["weight"] == "tensor[4, 3] grad"
    assert facts(tmp_path, main=main.format("freeze"), engine=engine)["weight"] == "f32[4, 3]"


def test_a_file_that_does_not_import_the_model_says_nothing_of_it(tmp_path: Path) -> None:
    text = "import torch\nnet = torch.nn.Linear(2, 2).double()\nwith torch.no_grad():\n    net(torch.ones(2, 2))\n"
    assert facts(tmp_path, other=text) == STATIC


@pytest.mark.parametrize(
    "cast",
    [
        "net = Net().double()",
        "net = Net()\nnet.to(torch.float64)\nnet(1)",
        "net = Net().to('cpu', dtype=torch.float16)",
    ],
)
def test_another_file_casts_the_module(tmp_path: Path, cast: str) -> None:
    found = facts(tmp_path, use=f"import torch\nfrom model import Net\n{cast}\n")
    assert found["weight"] == "tensor[4, 3] grad"


@pytest.mark.parametrize("given", ["x.double()", "x.to(torch.float64)", "torch.ones(2).to(dtype=torch.half)"])
def test_a_tensor_that_is_cast_says_nothing_of_modules(tmp_path: Path, given: str) -> None:
    text = f"import torch\nfrom model import Net\ndef run(x):\n    return Net()({given})\n"
    assert facts(tmp_path, use=text) == STATIC


def test_another_file_freezes_the_module(tmp_path: Path) -> None:
    text = "from model import Net\nnet = Net()\nfor p in net.parameters():\n    p.requires_grad = False\n"
    assert facts(tmp_path, use=text)["weight"] == "f32[4, 3]"


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    assert facts(tmp_path, use="from model import Net\n") == STATIC
    text = "import torch\nfrom model import Net\nwith torch.no_grad():\n    Net()(1)\n"
    assert facts(tmp_path, use=text)["hidden"] == "f32[...]"


def test_packages_are_imported_with_what_they_import(tmp_path: Path) -> None:
    package = tmp_path / "nets"
    package.mkdir()
    (tmp_path / "setup.py").write_text("")
    (package / "__init__.py").write_text("from .core import Net\n")
    (package / "core.py").write_text("class Net:\n    pass\n")
    (tmp_path / "use.py").write_text(
        "import torch, nets\n\n@torch.no_grad()\ndef run():\n    nets.Net()(1)\n"
    )
    found = callers(str(package / "core.py"))
    assert {"run", "Net", "forward", ANY_MODULE_CALL} <= found.without_grad
    assert not (found.autocast or found.casts or found.freezes)


def test_what_is_no_regular_file_is_not_opened(project) -> None:
    root = project({"pyproject.toml": "", "model.py": "class Net:\n    pass\n"})
    os.mkfifo(root / "pipe.py")
    (root / "zero.py").symlink_to("/dev/zero")
    (root / "folder.py").mkdir()
    assert callers(str(root / "model.py")) == NO_CALLERS


def test_the_answer_is_kept_until_a_file_of_the_workspace_changes(tmp_path: Path, monkeypatch) -> None:
    searches = []
    searched = engine_callers._importing
    monkeypatch.setattr(
        engine_callers, "_importing", lambda own, files: searches.append(own) or searched(own, files)
    )
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "model.py").write_text(MODEL)
    run = tmp_path / "run.py"
    run.write_text("import torch\nfrom model import loss_of\nwith torch.no_grad():\n    loss_of(1, 2, 3)\n")
    path = str(tmp_path / "model.py")
    first = callers(path)
    assert callers(path) == first and len(searches) == 1
    assert "loss_of" in first.without_grad
    run.write_text("import torch\nfrom model import Net\nwith torch.no_grad():\n    print(Net, torch)\n")
    assert "loss_of" not in callers(path).without_grad
    (tmp_path / "other.py").write_text("from model import Net\nNet().double()\n")
    assert callers(path).casts
    (tmp_path / "other.py").unlink()
    assert not callers(path).casts
    assert len(searches) == 4
