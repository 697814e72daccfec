"""Creates the server and registers its features; the only module that imports them all."""

from __future__ import annotations

import gc
import logging

from lsprotocol import types

from torchlsp.server.app import TorchServer
from torchlsp.server.features import (
    actions,
    commands,
    configuration,
    diagnostics,
    docs,
    hints,
    hover,
    probing,
    records,
    sync,
)

_FEATURES = (sync, diagnostics, configuration, probing, docs, hover, hints, actions, commands, records)


class _ToClient(logging.Handler):
    """Sends pygls' own warnings to the client's log: editors show stderr as errors."""

    def __init__(self, server: TorchServer) -> None:
        super().__init__(logging.WARNING)
        self._server = server
        # Answers and cancellations cross on their way: VS Code cancels answered requests with every few keys.
        self.addFilter(lambda record: not str(record.msg).startswith("Cancel notification for unknown"))

    def emit(self, record: logging.LogRecord) -> None:
        if self._server.session is not None:
            kind = types.MessageType.Error if record.levelno >= logging.ERROR else types.MessageType.Warning
            self._server.log(self.format(record), kind)


def create() -> TorchServer:
    """Creates the server with all features, not yet started."""
    gc.set_threshold(50_000, 20, 50)
    server = TorchServer()
    logger = logging.getLogger("pygls")
    logger.handlers = [_ToClient(server)]
    logger.propagate = False
    for feature in _FEATURES:
        feature.register(server)
    return server
