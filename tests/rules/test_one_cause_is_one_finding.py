"""What has one cause is reported once, however often it shows."""

from __future__ import annotations

import textwrap

from torchlsp.engine.config import Overrides
from torchlsp.engine.engine import Engine, Options


def found(folder, text: str) -> list[tuple[str, int]]:
    """The rule and the row of each finding in a program."""
    (folder / "main.py").write_text(textwrap.dedent(text), encoding="utf-8")
    result = Engine(Options(Overrides(isolated=True))).check([str(folder)])
    assert not result.internal_errors, result.internal_errors
    return [(one.rule, result.documents[one.path].row_column(one.span.start)[0]) for one in result.findings]


def test_several_names_of_a_module_that_torch_no_longer_has(tmp_path):
    text = "from torch._six import inf, string_classes\nimport torch._six, torch\n"
    assert found(tmp_path, text) == [("TL908", 1), ("TL908", 2)]


def test_a_dataset_that_cannot_be_pickled_for_two_loaders(tmp_path):
    text = """\
        import sqlite3
        import torch
        from torch.utils.data import DataLoader, Dataset

        class Rows(Dataset):
            def __init__(self, path):
                self.base = sqlite3.connect(path)

            def __len__(self):
                return 100

            def __getitem__(self, index):
                return torch.zeros(3) + index

        def loaders():
            first = DataLoader(Rows("a"), batch_size=4, num_workers=2)
            second = DataLoader(Rows("b"), batch_size=4, num_workers=2)
            return first, second, DataLoader(Rows("c"), collate_fn=lambda rows: rows, num_workers=2)
    """
    assert found(tmp_path, text) == [("TL706", 16), ("TL706", 18)]


def test_a_function_that_cannot_be_pickled_for_two_loaders(tmp_path):
    text = """\
        from torch.utils.data import DataLoader

        def loaders(first, second):
            def joined(rows):
                return rows

            one = DataLoader(first, collate_fn=joined, num_workers=2)
            two = DataLoader(second, collate_fn=joined, num_workers=2)
            return one, two, DataLoader(second, collate_fn=lambda rows: rows, num_workers=2)
    """
    assert found(tmp_path, text) == [("TL706", 7), ("TL706", 9)]


def test_a_tensor_on_the_default_device_that_is_combined_several_times(tmp_path):
    text = """\
        import torch
        from torch import nn

        class Grid(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)

            def forward(self, x):
                grid = torch.zeros(x.shape[0], 3)
                other = torch.zeros(x.shape[0], 3)
                x = self.layer(x)
                return x * grid + x[:, :3] * grid - x / other

        def main(device):
            return Grid().to(device)(torch.ones(2, 3).to(device))
    """
    assert found(tmp_path, text) == [("TL313", 13), ("TL313", 13)]
