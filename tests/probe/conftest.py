"""Workers shared by the tests: starting one takes seconds, most of them the import of torch."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from torchlsp.engine.interpreters import site_packages
from torchlsp.probe import client
from torchlsp.probe.request import Answer, Request

HERE = Path(__file__).parent
ZYGOTE = Path(client.__file__).parent / "worker" / "zygote.py"
NOBODY = 65534

Run = Callable[..., Answer]


@pytest.fixture(scope="session")
def make_worker() -> Callable[..., client.Worker]:
    """Makes a worker under the Python of the tests; `gated` false lets every program through to the lock."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")

    def make(*, gated: bool = True, **options: object) -> client.Worker:
        program = (str(ZYGOTE),) if gated else (str(HERE / "ungated.py"), str(ZYGOTE))
        return client.Worker(sys.executable, site_packages(sys.executable), program=program, **options)

    return make


@pytest.fixture(scope="session")
def worker(make_worker) -> Iterator[client.Worker]:
    """The worker as users have it."""
    with make_worker() as one:
        yield one


@pytest.fixture(scope="session")
def open_worker(make_worker) -> Iterator[client.Worker]:
    """A worker whose gate refuses nothing, so that programs meet the lock."""
    with make_worker(gated=False) as one:
        yield one


@pytest.fixture(scope="session")
def nobodys_worker(make_worker) -> Iterator[client.Worker]:
    """The same as an ordinary user; with the rights of root when they can be given up, else as who we are."""
    prefix: tuple[str, ...] = ()
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root without setpriv: cannot become an ordinary user")
        prefix = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    with make_worker(gated=False, prefix=prefix) as one:
        try:
            one.hello()
        except client.Unavailable as reason:
            pytest.skip(f"an ordinary user cannot start this Python: {reason}")
        yield one


@pytest.fixture
def run(open_worker) -> Run:
    """Runs one program, with the rows of `flag` watched."""

    def one(program: str, kind: str = "eager-cpu", deadline: float = 5.0, **more: object) -> Answer:
        return open_worker.run([Request(program, kind, **more)], deadline)[0]

    return one
