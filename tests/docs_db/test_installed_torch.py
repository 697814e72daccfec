"""All that the installed torch says of itself, read as a user would: the library is asked, not our own output."""

from __future__ import annotations

import importlib
import inspect
import re
import sqlite3
import time
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from torchlsp.report.documentation import as_markdown, as_text

if TYPE_CHECKING:
    from torchlsp.engine.documentation import Documentation

pytestmark = [pytest.mark.torch, pytest.mark.slow, pytest.mark.timeout(300)]
# Names that torch itself warns of when they are looked at.
pytestmark.append(pytest.mark.filterwarnings("ignore::FutureWarning"))

MODULES = """
torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrize
torch.nn.utils.parametrizations torch.nn.utils.prune torch.nn.parallel torch.nn.attention torch.optim
torch.optim.lr_scheduler torch.optim.swa_utils torch.utils.data torch.utils.checkpoint torch.distributed
torch.distributed.fsdp torch.linalg torch.fft torch.special torch.amp torch.cuda torch.cuda.amp torch.mps
torch.autograd torch.autograd.functional torch.distributions torch.sparse torch.nested torch.masked torch.jit
torch.export torch.compiler torch.func torch.testing torch.profiler torch.hub torch.onnx torch.random
torch.signal.windows torch.library torch.fx
""".split()
ROLE = re.compile(r":(?:py:)?(?:attr|class|func|meth|math|ref|doc|obj|mod|data|exc|any|literal|code):`?")
DIRECTIVE = re.compile(r"\.\. ?[a-z][\w:-]*::")
LITERAL = re.compile(r"(`+)[^`]*?\1(?!`)")


@pytest.fixture(scope="module")
def texts(installed: Documentation) -> dict[str, str]:
    """The Markdown of all entries."""
    with sqlite3.connect(str(installed.path)) as connection:
        return dict(connection.execute("SELECT symbol, markdown FROM entries"))


def documented(module_name: str) -> Iterator[tuple[str, object]]:
    """The public callables of a module that have a docstring, and the methods of its classes that do."""
    module = importlib.import_module(module_name)
    for name in sorted({*getattr(module, "__all__", ()), *dir(module)}):
        value = getattr(module, name, None)
        owner = getattr(value, "__module__", None) or ""
        if name.startswith("_") or not callable(value) or not owner.startswith("torch"):
            continue
        own = vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
        if own and isinstance(value.__doc__, str):
            yield f"{module_name}.{name}", value
        if inspect.isclass(value):
            for member_name, member in vars(value).items():
                is_method = isinstance(member, types.FunctionType | types.MethodDescriptorType | property)
                if is_method and member.__doc__ and not member_name.startswith("_"):
                    yield f"{module_name}.{name}.{member_name}", member


@pytest.mark.parametrize("module", MODULES)
def test_every_public_callable_with_a_docstring_is_there(module: str, installed: Documentation) -> None:
    missing, empty = [], []
    for symbol, value in documented(module):
        entry = installed.entry(symbol)
        if entry is None:
            missing.append(symbol)
        elif not entry.markdown and not entry.signature and value.__doc__:
            empty.append(symbol)
    assert (missing, empty) == ([], [])


def test_every_method_of_tensors_is_there(installed: Documentation) -> None:
    torch = importlib.import_module("torch")
    names = [name for name in dir(torch.Tensor) if not name.startswith("_")]
    assert len(names) > 500
    assert [name for name in names if installed.entry(f"torch.Tensor.{name}") is None] == []


def test_no_role_and_no_directive_is_left(texts: dict[str, str]) -> None:
    assert len([text for text in texts.values() if text]) > 6000
    raw = [symbol for symbol, text in texts.items() if ROLE.search(text) or DIRECTIVE.search(text)]
    assert raw == []


def test_fences_are_closed_and_code_is_code(texts: dict[str, str]) -> None:
    for symbol, text in texts.items():
        outside, fence = [], None
        for line in text.split("\n"):
            bare = re.sub(r"^(?:> ?| +|- |\d+\. )*", "", line)
            if fence is None and re.fullmatch(r"`{3,}\w*[\w+-]*", bare):
                fence = re.match("`+", bare)[0]  # type: ignore[index]
            elif fence is not None and bare == fence:
                fence = None
            elif fence is None:
                outside.append(line)
                assert ">>> " not in LITERAL.sub("", line), f"{symbol}: {line}"
                # Four columns more than the item's own text would be code.
                is_item = re.match(r"(?:> ?)*(?: {2,3})*(?:- |\d+\. |$)", line)
                assert is_item or len(line) - len(line.lstrip()) < 16, f"{symbol}: {line}"
        assert fence is None, f"{symbol}: a fence is open"
        assert "\t" not in "".join(outside), symbol


SAID = {
    "torch.Tensor.view": ("method", "view(*shape) -> Tensor", "Returns a new tensor with the same data as the `self` tensor"),
    "F.relu": ("function", "inplace: bool = False", "Applies the rectified linear unit function element-wise."),
    "torch.nn.modules.conv.Conv2d": ("class", "in_channels", "Applies a 2D convolution over an input signal"),
    "torch.conv2d": ("function", "stride=1", "Applies a 2D convolution over an input image"),
    "torch.optim.AdamW": ("class", "weight_decay", "Implements AdamW algorithm"),
    "torch.optim.Adam.add_param_group": ("method", "param_group", "Add a param group to the"),
    "torch.nn.Linear.state_dict": ("method", "prefix", "Return a dictionary containing references"),
    "torch.max": ("function", "torch.max(input, *, out=None)", "Returns the maximum value of all elements"),
    "torch.linalg.norm": ("function", "ord=None", "Computes a vector or matrix norm."),
    "torch.nn.functional.max_pool2d": ("function", "kernel_size", "Applies a 2D max pooling"),
    "torch.nn.utils.weight_norm": ("function", "module", "Apply weight normalization"),
    "torch.Tensor.grad": ("attribute", "", "This attribute is `None` by default"),
}  # fmt: skip


@pytest.mark.parametrize("symbol", SAID)
def test_what_is_said_of_well_known_symbols(symbol: str, installed: Documentation) -> None:
    kind, signature, beginning = SAID[symbol]
    entry = installed.entry(symbol)
    assert entry is not None
    assert entry.kind == kind
    assert signature in (entry.signature or "")
    assert entry.summary.startswith(beginning)


def test_names_of_one_thing_lead_to_one_entry(installed: Documentation) -> None:
    for name, alias in (
        ("torch.nn.Conv2d", "torch.nn.modules.conv.Conv2d"),
        ("torch.nn.functional.conv2d", "torch.conv2d"),
        ("torch.float32", "torch.float"),
        ("torch.autocast", "torch.amp.autocast_mode.autocast"),
        ("torch.Tensor.view", "torch.nn.Parameter.view"),
        ("torch.nn.Module.parameters", "nn.LSTM.parameters"),
    ):
        entry = installed.entry(alias)
        assert entry is not None and entry.symbol == name


def test_what_is_written_to_and_shared_is_read_off_the_overloads(installed: Documentation) -> None:
    effects = {
        name: installed.entry(name).effects
        for name in ("torch.Tensor.add_", "torch.Tensor.view", "torch.add")
    }  # type: ignore[union-attr]
    assert effects == {
        "torch.Tensor.add_": ("writes to `self`",),
        "torch.Tensor.view": ("the result may share memory with its input",),
        "torch.add": (),
    }


def test_deprecated_and_removed(installed: Documentation) -> None:
    torch = importlib.import_module("torch")
    for name in ("torch.qr", "torch.svd", "torch.cuda.amp.autocast"):
        assert "deprecated" in (installed.entry(name).deprecated or "")  # type: ignore[union-attr]
    for name in ("torch.add", "torch.nn.CrossEntropyLoss", "torch.optim.lr_scheduler.StepLR.step"):
        assert installed.entry(name).deprecated is None  # type: ignore[union-attr]
    entry = installed.entry("torch.solve")
    with pytest.raises(RuntimeError) as raised:
        torch.solve(torch.ones(1), torch.ones(1))
    assert entry is not None and entry.removed is not None
    assert " ".join(str(raised.value).split()).startswith(entry.removed[:60])


@pytest.mark.parametrize(
    ("words", "symbol"),
    [
        ("clip gradient norm", "torch.nn.utils.clip_grad_norm_"),
        ("einstein summation", "torch.einsum"),
        ("exponential moving average", "torch.optim.swa_utils.get_ema_avg_fn"),
        ("non contiguous", "torch.Tensor.contiguous"),
        ("non contiguous", "torch.Tensor.view"),
        ("noncontiguous", "torch.Tensor.view"),
        ("how to concat tensors", "torch.cat"),
        ("softmax before loss", "torch.nn.CrossEntropyLoss"),
    ],
)
def test_search_finds(words: str, symbol: str, installed: Documentation) -> None:
    assert symbol in [entry.symbol for entry in installed.search(words)]


def test_lookups_are_fast(installed: Documentation) -> None:
    installed.close()
    first = _seconds(lambda: installed.entry("torch.nn.Conv2d"))
    later = min(_seconds(lambda: installed.entry("torch.nn.LSTM.parameters")) for _ in range(20))
    assert first < 0.1
    assert later < 0.005


def test_every_entry_can_be_shown(installed: Documentation, texts: dict[str, str]) -> None:
    for symbol in list(texts)[::9]:
        entry = installed.entry(symbol)
        assert entry is not None
        assert as_markdown(entry).startswith("```python\n")
        shown = as_text(entry, coloured=True, width=80)
        assert shown.count("\x1b[0m") == len(re.findall("\x1b\\[(?!0m)[\\d;]+m", shown))
        plain = as_text(entry, coloured=False, width=80)
        assert "\x1b" not in plain
        # A colour changes nothing but the ticks around code.
        assert re.sub("\x1b\\[[\\d;]+m", "", shown).replace("`", "") == plain.replace("`", "")


def _seconds(call) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
