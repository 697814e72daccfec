"""Servers and the clients that speak with them. No test may wait for ever: each has a limit, and so has each wait."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pytest_lsp = pytest.importorskip("pytest_lsp", reason="the protocol's tests need the extra `test`")

from client_profiles import PROFILES  # noqa: E402
from editor_client import Editor, make_editor, within  # noqa: E402
from raw_client import RawClient, environment  # noqa: E402

LIMIT = 90


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            if {"editor", "start", "lsp_client"} & set(getattr(item, "fixturenames", ())):
                item.add_marker("processes")
            if item.get_closest_marker("timeout") is None and item.get_closest_marker("slow") is None:
                item.add_marker(pytest.mark.timeout(LIMIT))
            # A client that is given what it said it cannot take.
            item.add_marker(pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"))


@pytest_lsp.fixture(
    scope="module",
    params=PROFILES,
    ids=lambda profile: profile.name.replace(" ", "-"),
    config=pytest_lsp.ClientServerConfig(
        server_command=[sys.executable, "-m", "torchlsp", "server"],
        client_factory=make_editor,
        server_env=environment(),
    ),
)
async def editor(lsp_client: Editor, request: pytest.FixtureRequest, tmp_path_factory):
    """One client of each kind, kept for all tests of a module; they open files of their own."""
    await lsp_client.begin(request.param, tmp_path_factory.mktemp("workspace"))
    yield
    await within(lsp_client.shutdown_session())


@pytest.fixture
def start(tmp_path: Path):
    """Start a server. `patch` is Python that runs in its process before anything of the protocol does."""
    started: list[RawClient] = []

    def begin(patch: str = "", folder: Path | None = None) -> RawClient:
        command = ("-m", "torchlsp", "server")
        if patch:
            script = tmp_path / "start_server.py"
            script.write_text(
                f"{patch}\nfrom torchlsp.server.stdio import serve\nserve()\n", encoding="utf-8"
            )
            command = (str(script),)
        client = RawClient(folder or tmp_path, command)
        started.append(client)
        return client

    yield begin
    for client in started:
        client.kill()
