"""Implements `torchlsp doctor`: shows versions and which environment's torch is used, without importing
it."""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

from torchlsp import __version__
from torchlsp.engine.config import Catalogue, ConfigError, Configuration
from torchlsp.engine.engine import installed_rules
from torchlsp.engine.interpreters import broken_in, choose, distribution_version, environments_in
from torchlsp.engine.probe_places import command_for
from torchlsp.probe import remote
from torchlsp.probe.client import Unavailable, Worker
from torchlsp.probe.worker import sandbox
from torchlsp.probe.worker.gpu import idle_gpu

if TYPE_CHECKING:
    import argparse

_WITHOUT = {"configuration": "none", "torch": "not installed there (checking does not need it)"}


def doctor(options: argparse.Namespace) -> int:
    """Prints versions and the interpreter; exit status 0 even without torch, which checking does not need."""
    command = command_for(options.probe_on)
    interpreter = choose(explicit=options.python)
    rules = installed_rules()
    facts: dict[str, Any] = {
        "torchlsp": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
        "libcst": _own_version("libcst"),
        "pygls": _own_version("pygls"),
        "jedi": _own_version("jedi"),
        "rules": len(rules),
        "configuration": _configuration(Catalogue(rules)),
        "interpreter for torch": f"{interpreter.path} ({interpreter.reason})",
    }
    if interpreter.problem is not None:
        facts["interpreter not used"] = interpreter.problem
    facts |= _environment_here(interpreter.path)
    for name in ("torch", "torchvision", "torchaudio"):
        facts[name] = distribution_version(interpreter.path, name)
    facts |= _probe(facts["torch"])
    if command:
        facts |= _probe_on(command)
    if options.output_format == "json":
        print(json.dumps(facts, indent=2))
        return 0
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        print(f"{name:<{width}}  {_WITHOUT.get(name, 'not installed') if value is None else value}")
    return 0


def _environment_here(used: str) -> dict[str, str]:
    """Describes the environment in this folder, where there is one that is not used or broken."""
    folder = os.getcwd()
    broken = broken_in(folder)
    if broken is not None:
        return {"environment here": broken}
    for name in environments_in(folder):
        place = os.path.join(folder, name)
        if not os.path.abspath(used).startswith(os.path.join(place, "")):
            return {"environment here": f"{name} is not used: it is not active; --python {name} names it"}
    return {}


def _probe(torch: str | None) -> dict[str, str]:
    """Describes which probes are possible here, and why others are not; starts no worker."""
    found = sandbox.available()
    layers = {
        f"Landlock (version {found['landlock']})": found["landlock"],
        "filter of system calls": found["seccomp"],
        "limits": found["limits"],
    }
    lock = ", ".join(name for name, is_there in layers.items() if is_there) or "none"
    if not all(layers.values()):
        lock += f"; in trusted workspaces only, as parts are missing: {'; '.join(found['why'])}"
    programs = "on the CPU, on an emulated device, on simulated ranks"
    return {
        "probe": programs if torch is not None else "not possible: the interpreter has no torch",
        "probe's lock": lock,
        "probe on a GPU": f"off unless `torchlsp probe --gpu` asks for it, and unverified; now: {idle_gpu()[1]}",
    }


def _probe_on(command: tuple[str, ...]) -> dict[str, str]:
    """Describes the worker on another machine, after starting it there."""
    told = {"probe on": remote.shown(command)}
    try:
        with Worker("", command=command, describe=True) as worker:
            hello = worker.hello()
    except Unavailable as problem:
        return told | {"torch there": f"not possible: {problem}"}
    lock = "complete" if hello.is_locked else "incomplete, in trusted workspaces only"
    kinds = ", ".join(sorted(hello.kinds)) or "none"
    return told | {
        "torch there": f"{hello.torch} (CUDA {hello.cuda})" if hello.cuda else f"{hello.torch} (no CUDA)",
        "Python there": f"{hello.python}, {hello.system}",
        "GPUs there": "; ".join(hello.gpus) or "none found by nvidia-smi",
        "probes there": "; ".join((kinds, *hello.problems)),
        "probe's lock there": lock,
    }


def _configuration(catalogue: Catalogue) -> str | None:
    """Describes the configuration file of this folder, or what is wrong with it."""
    try:
        return Configuration(catalogue).for_folder(os.getcwd()).source
    except ConfigError as mistake:
        return f"refused: {mistake}"


def _own_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
