"""What the documentation of the installed torch costs: reading it once, its file, and looking a symbol up."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

LOOKUPS = 500


def documentation(folder: Path) -> dict[str, Any]:
    """Under the running Python, which needs torch; the file is made in `folder`."""
    from torchlsp.engine.documentation import Documentation, Unbuildable
    from torchlsp.engine.interpreters import site_packages

    docs = Documentation(sys.executable, site_packages(sys.executable), str(folder))
    start = time.perf_counter()
    try:
        docs.build()
    except Unbuildable as reason:
        return {"problem": str(reason)}
    built = time.perf_counter() - start
    assert docs.path is not None
    fresh = Documentation(sys.executable, site_packages(sys.executable), str(folder))
    start = time.perf_counter()
    assert fresh.entry("torch.Tensor.view") is not None
    first = time.perf_counter() - start
    symbols = sorted({entry.symbol for entry in fresh.search("tensor", LOOKUPS)})
    times = []
    for symbol in symbols:
        start = time.perf_counter()
        fresh.entry(symbol)
        times.append(1000 * (time.perf_counter() - start))
    times.sort()
    return {
        "versions": fresh.versions(),
        "symbols": fresh.count(),
        "build_s": round(built, 1),
        "size_mb": round(Path(docs.path).stat().st_size / 1e6, 1),
        "first_lookup_ms": round(1000 * first, 1),
        "lookup_ms": {
            "p50": round(times[len(times) // 2], 3),
            "p95": round(times[int(0.95 * len(times))], 3),
        },
    }
