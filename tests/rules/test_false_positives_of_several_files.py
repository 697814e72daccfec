"""What one file does to the objects of another is no finding there, and a twin of each that is wrong is reported."""

from __future__ import annotations

import textwrap

import pytest

from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options


@pytest.fixture
def found(tmp_path, monkeypatch):
    """Checks the files of a folder; returns the rule and the row of each finding, by file."""

    def check(**files: str) -> list[tuple[str, str, int]]:
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        result = Engine(Options(Overrides(isolated=True))).check(["."])
        assert not result.internal_errors, result.internal_errors
        return [
            (one.rule, one.path, result.documents[one.path].row_column(one.span.start)[0])
            for one in result.findings
        ]

    return check


# ---- transforms of a dataset that another file sets -----------------------------------------------------------------

LOADERS = """
    from torch.utils.data import DataLoader

    def loader_of(dataset):
        return DataLoader(dataset, batch_size=2)
"""
TRAINING = """
    from torchvision.datasets import MNIST
    from torchvision.transforms import ToTensor
    from data import loader_of

    def train(dataset):
        {setting}
        for images, labels in loader_of(dataset):
            print(images.shape, labels.shape)

    train(MNIST("data"))
"""


@pytest.mark.parametrize(
    "setting", ["dataset.transform = ToTensor()", "dataset.parts[0].transforms = ToTensor()"]
)
def test_transforms_may_be_set_in_the_file_that_calls(found, setting):
    assert found(data=LOADERS, main=TRAINING.format(setting=setting)) == []


def test_transforms_may_be_set_by_a_called_function_of_another_file(found):
    setting = "prepare(dataset)"
    prepare = "from torchvision.transforms import ToTensor\n\n\ndef prepare(dataset):\n    dataset.transform = ToTensor()\n"
    main = "from preparing import prepare\n" + textwrap.dedent(TRAINING.format(setting=setting))
    assert found(data=LOADERS, main=main, preparing=prepare) == []


def test_samples_without_transforms_are_images(found):
    assert found(data=LOADERS, main=TRAINING.format(setting="pass")) == [("TL709", "data.py", 5)]


# ---- objects that methods of another file have changed --------------------------------------------------------------

PARTS = """
    import torch

    class Part:
        def __init__(self):
            self.rows = self.kept = torch.zeros(3, 4)

        def widen(self):
            self.rows = torch.zeros(3, 7)

    SHARED = Part()
"""
USE = """
    import torch
    from parts import SHARED, Part

    OWN = Part()
    OWNED = [Part()]

    def use():
        return {value} @ torch.zeros(7, 2)
"""


@pytest.mark.parametrize("part", ["OWN", "OWNED[0]", "SHARED"])
def test_methods_of_another_file_may_have_run_before_a_function(found, part):
    assert found(parts=PARTS, main=USE.format(value=f"{part}.rows")) == []
    assert found(parts=PARTS, main=USE.format(value=f"{part}.kept")) == [("TL105", "main.py", 9)]


def test_a_module_runs_its_statements_in_their_order(found):
    main = "import torch\nfrom parts import SHARED\n\nSHARED.rows @ torch.zeros(7, 2)\n"
    assert found(parts=PARTS, main=main) == [("TL105", "main.py", 4)]


HOLDER = """
    import torch
    from parts import Part

    class Holder:
        def __init__(self, count):
            self.parts = [Part() for _ in range(count)]

        def widen(self):
            for part in self.parts:
                part.widen()

        def use(self):
            return self.parts[0].{name} @ torch.zeros(7, 2)
"""


def test_methods_of_another_file_may_have_run_on_objects_in_a_list(found):
    assert found(parts=PARTS, main=HOLDER.format(name="rows")) == []
    assert found(parts=PARTS, main=HOLDER.format(name="kept")) == [("TL105", "main.py", 14)]


# ---- functions that a test of torch chooses, which call another file -------------------------------------------------

APPLYING = """
    def apply(x):
        return x.rfft(1)
"""
CHOOSING = """
    import torch
    from applying import apply

    def _old(x):
        return apply(torch.ones(2, 3))

    def _new(x):
        return torch.fft.rfft(x)

    transform = _new
    {choice}
"""


def test_a_function_is_chosen_by_a_test_in_its_own_file(found):
    choice = "if not hasattr(torch, 'fft'): transform = _old"
    assert found(applying=APPLYING, main=CHOOSING.format(choice=choice)) == []
    assert found(applying=APPLYING, main=CHOOSING.format(choice="transform = _old")) == [
        ("TL902", "applying.py", 3)
    ]


# ---- packages for other devices, which another file than the one that is checked imports --------------------------------

DEVICES = """
    import torch
    {imported}

    def use_device():
        torch.cuda.summary = torch.xpu.memory_summary
"""


@pytest.mark.parametrize(
    ("imported", "expected"),
    [("import intel_extension_for_pytorch", []), ("import os", [("TL902", "devices.py", 6)])],
)
def test_a_package_for_a_device_adds_names_to_torch(found, imported, expected):
    main = (
        "import torch\nif torch.xpu.is_available():\n    from devices import use_device\n    use_device()\n"
    )
    assert found(devices=DEVICES.format(imported=imported), main=main) == expected


# ---- what a file that is only partly run does -----------------------------------------------------------------------

SETTINGS = """
    import torch

    torch.kind_of_tensor = torch.FloatTensor
    torch.sparse.kind_of_tensor = torch.sparse.FloatTensor
"""


def test_a_file_of_settings_may_put_names_into_torch(found):
    main = "import settings\n\nkind = settings.torch.sparse.kind_of_tensor\n"
    assert found(settings=SETTINGS, main=main) == []
    assert found(settings="import torch\n", main=main) == [("TL902", "main.py", 3)]


REPLACING = """
    class ImagesOnly:
        def __init__(self, loader):
            self.loader = loader

        def __enter__(self):
            self.loader.collate_fn = lambda rows: rows[0][0]
            return self.loader
"""
BATCHES = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    from replacing import ImagesOnly

    loader = DataLoader(TensorDataset(torch.ones(4, 3), torch.ones(4)), batch_size=2)
    with ImagesOnly(loader) as images:
        print(next(iter(images)).shape)
"""


def test_a_loader_whose_collate_fn_is_replaced(found):
    assert found(replacing=REPLACING, main=BATCHES) == []
    kept = REPLACING.replace("self.loader.collate_fn = lambda rows: rows[0][0]", "pass")
    assert found(replacing=kept, main=BATCHES) == [("TL930", "main.py", 8)]


STATE = """
    class State:
        def __init__(self):
            self.size = 1
            self.kept = 1

    state = State()

    def start(size):
        state.size = size
"""
GATHERS = """
    import torch
    from state import state

    def gather(x: torch.Tensor):
        return torch.ones(2, 3) @ torch.ones({size} + 1, 1)
"""


def test_functions_of_another_file_may_have_changed_its_objects(found):
    assert found(state=STATE, main=GATHERS.format(size="state.size")) == []
    assert found(state=STATE, main=GATHERS.format(size="state.kept")) == [("TL105", "main.py", 6)]


TRAINER = """
    import torch.distributed as dist

    class Trainer:
        def run(self):
            dist.barrier()
            return 1.0
"""
TRIALS = """
    import os
    import optuna
    import torch.distributed as dist
    from trainer import Trainer

    def objective(trial):
        return Trainer().run()

    if __name__ == "__main__":
        dist.init_process_group("gloo")
        if int(os.environ["RANK"]) == 0:
            optuna.create_study().optimize({handed})
        else:
            objective(None)
"""


def test_unseen_code_may_call_the_function_that_other_ranks_call(found):
    assert found(trainer=TRAINER, main=TRIALS.format(handed="objective")) == []
    assert found(trainer=TRAINER, main=TRIALS.format(handed="print")) == [("TL803", "main.py", 15)]
