"""Builds the address of a symbol in the official manual of a version, by rule and without network."""

from __future__ import annotations

import re

_MANUALS = {"torch": "docs", "torchvision": "vision", "torchaudio": "audio"}
# Modules described on one page of their own; the longest prefix that fits counts. All under `_GENERATED` have a page for
# each symbol. Of what is under neither, nothing is known.
_ON_ONE_PAGE = {
    "torch.amp": "amp",
    "torch.backends": "backends",
    "torch.distributed": "distributed",
    "torch.distributed.algorithms.ddp_comm_hooks": "ddp_comm_hooks",
    "torch.distributed.algorithms.join": "distributed.algorithms.join",
    "torch.distributed.checkpoint": "distributed.checkpoint",
    "torch.distributed.fsdp": "fsdp",
    "torch.distributed.optim": "distributed.optim",
    "torch.distributed.pipelining": "distributed.pipelining",
    "torch.distributed.rpc": "rpc",
    "torch.distributed.tensor": "distributed.tensor",
    "torch.distributed.tensor.parallel": "distributed.tensor.parallel",
    "torch.distributions": "distributions",
    "torch.export": "export",
    "torch.futures": "futures",
    "torch.fx": "fx",
    "torch.hub": "hub",
    "torch.library": "library",
    "torch.masked": "masked",
    "torch.monitor": "monitor",
    "torch.multiprocessing": "multiprocessing",
    "torch.nested": "nested",
    "torch.nn.attention.flex_attention": "nn.attention.flex_attention",
    "torch.nn.init": "nn.init",
    "torch.onnx": "onnx",
    "torch.overrides": "torch.overrides",
    "torch.package": "package",
    "torch.profiler": "profiler",
    "torch.random": "random",
    "torch.special": "special",
    "torch.testing": "testing",
    "torch.utils.benchmark": "benchmark_utils",
    "torch.utils.checkpoint": "checkpoint",
    "torch.utils.cpp_extension": "cpp_extension",
    "torch.utils.data": "data",
    "torch.utils.dlpack": "dlpack",
    "torch.utils.model_zoo": "model_zoo",
    "torch.utils.tensorboard": "tensorboard",
}
_SINGLE = {"torch.Tensor": "tensors", "torch.Size": "size", "torch.autocast": "amp"}
_SINGLE |= {f"torch.{name}": "tensor_attributes" for name in ("device", "dtype", "layout", "memory_format")}
_GENERATED = frozenset(
    """torch torch.Tensor torch.accelerator torch.autograd torch.autograd.forward_ad torch.autograd.function
    torch.autograd.functional torch.autograd.graph torch.autograd.profiler torch.compiler torch.cpu torch.cuda
    torch.fft torch.func torch.jit torch.linalg torch.mps torch.mtia torch.nn torch.nn.attention torch.nn.functional
    torch.nn.parallel torch.nn.utils torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.prune
    torch.nn.utils.rnn torch.optim torch.optim.lr_scheduler torch.optim.swa_utils torch.signal.windows torch.sparse
    torch.utils torch.xpu torchvision.datasets torchvision.io torchvision.models torchvision.ops
    torchvision.transforms torchvision.transforms.functional torchvision.transforms.v2
    torchvision.transforms.v2.functional torchvision.utils torchaudio torchaudio.compliance.kaldi
    torchaudio.datasets torchaudio.functional torchaudio.models torchaudio.pipelines torchaudio.transforms
    torchaudio.utils""".split()
)


def manual(package: str, version: str) -> str | None:
    """Returns the folder of a version's pages: that of a development build is `main`."""
    numbers = re.match(r"(\d+\.\d+)(?:\.\d+)*(?P<rest>\w*)", version)
    if package not in _MANUALS or numbers is None:
        return None
    is_release = not re.search(r"dev|git|a\d|rc", version.partition("+")[0]) and not numbers["rest"].strip(
        "0123456789"
    )
    return f"https://docs.pytorch.org/{_MANUALS[package]}/{numbers[1] if is_release else 'main'}"


def page(symbol: str, kind: str, owner_kind: str | None, version: str) -> str | None:
    """Returns the address of a symbol's page. `owner_kind` is the kind of what the symbol is a member of,
    None where that is not a symbol."""
    folder = manual(symbol.partition(".")[0], version)
    if folder is None:
        return None
    if kind == "module":
        name = _ON_ONE_PAGE.get(symbol)
        return f"{folder}/{name}.html" if name else None
    if symbol in _SINGLE:
        return f"{folder}/{_SINGLE[symbol]}.html#{symbol}"
    owner = symbol.rpartition(".")[0]
    if owner_kind == "class" and owner != "torch.Tensor":
        page_of_class = page(owner, "class", "module", version)
        return page_of_class and f"{page_of_class.partition('#')[0]}#{symbol}"
    if kind == "attribute" and owner_kind != "class":
        return None if owner != "torch" else f"{folder}/tensor_attributes.html"
    name = _one_page(owner)
    if name is not None:
        return f"{folder}/{name}.html#{symbol}"
    return f"{folder}/generated/{symbol}.html" if owner in _GENERATED else None


def _one_page(module: str) -> str | None:
    while module:
        if module in _ON_ONE_PAGE or module in _GENERATED:
            return _ON_ONE_PAGE.get(module)
        module = module.rpartition(".")[0]
    return None
