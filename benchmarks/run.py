"""Benchmarks of `torchlsp check`: CPU seconds, counters, growth, start-up and memory, and of `torchlsp server`: what an
editor's user waits for; as JSON.

Times of `check` are CPU seconds of one process, those of the server wall milliseconds; ratios compare runs that took
turns. Counters are exact and do not depend on the machine.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import generated  # noqa: E402
from documentation import documentation  # noqa: E402
from latency import latency  # noqa: E402
from probing import probing  # noqa: E402
from probing_elsewhere import probing_elsewhere  # noqa: E402
from recording import recording  # noqa: E402

# Every k-th file of a wheel's sorted list.
SAMPLES = {"T4": ("timm", 4), "X40": ("transformers", 40)}
FORBIDDEN = (
    "libcst",
    "libcst.matchers",
    "libcst.codemod",
    "multiprocessing",
    "jedi",
    "pygls",
    "lsprotocol",
    "torch",
)


def sample(folder: Path, every: int) -> list[Path]:
    """Every k-th Python file of the sorted list."""
    return sorted(folder.rglob("*.py"))[::every]


def digest(paths: Sequence[Path]) -> str:
    """Returns whether two runs had the same text before them."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


def cpu(function: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        begin = time.process_time()
        function()
        return time.process_time() - begin
    finally:
        gc.enable()


def check(paths: Sequence[Path | str]):
    """What the command line does, without printing."""
    from torchlsp.engine.config import Overrides
    from torchlsp.engine.engine import Engine, Options

    return Engine(Options(Overrides(isolated=True))).check([str(path) for path in paths])


@contextmanager
def counters():
    """Counts while it lasts: statements and expressions evaluated, faults, functions given up, libCST fragments."""
    from torchlsp.lint import runner
    from torchlsp.syntax import fragments

    counted = {"steps": 0, "faults": 0, "stopped": 0, "fragments": 0, "fragment_characters": 0, "ir_nodes": 0}
    analyse, parse = runner.analyse, fragments._parse

    def counting_analyse(module, *args, **kwargs):
        analysis = analyse(module, *args, **kwargs)
        counted["steps"] += analysis.steps
        counted["faults"] += len(analysis.faults)
        counted["stopped"] += len(analysis.stopped)
        counted["ir_nodes"] += module.size
        return analysis

    def counting_parse(code, *args):
        counted["fragments"] += 1
        counted["fragment_characters"] += len(code)
        return parse(code, *args)

    runner.analyse, fragments._parse = counting_analyse, counting_parse
    try:
        yield counted
    finally:
        runner.analyse, fragments._parse = analyse, parse


# ---- B1, B3 --------------------------------------------------------------------------------------------------------


def parse_ratio(paths: Sequence[Path], repeats: int) -> dict:
    """B1: `check` against `libcst.parse_module` alone on the same files, taking turns."""
    import libcst

    texts = [path.read_bytes() for path in paths]

    def parse_all() -> None:
        for text in texts:
            libcst.parse_module(text)

    check(paths[:1])
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(cpu(lambda: check(paths)))
        theirs.append(cpu(parse_all))
    lines = sum(text.count(b"\n") for text in texts)
    size = sum(map(len, texts))
    best = min(ours)
    return {
        "files": len(paths),
        "lines": lines,
        "bytes": size,
        "digest": digest(paths),
        "check_cpu_s": [round(value, 3) for value in ours],
        "libcst_cpu_s": [round(value, 3) for value in theirs],
        "ratio": round(statistics.median(a / b for a, b in zip(ours, theirs, strict=True)), 3),
        "lines_per_s": round(lines / best),
        "mb_per_s": round(size / best / 1e6, 3),
    }


def count(paths: Sequence[Path]) -> dict:
    """B3: exact counters."""
    with counters() as counted:
        result = check(paths)
    counted |= {"files": result.files, "findings": len(result.findings)}
    counted |= {"internal_errors": len(result.internal_errors), "digest": digest(paths)}
    return counted


# ---- B5 ------------------------------------------------------------------------------------------------------------


def scaling(repeats: int, folder: Path) -> dict:
    """B5: what doubling the input does to the time and to the steps; `stopped` are analyses given up at a size."""
    answers = {}
    path = folder / "scaling.py"
    for name, (generator, smallest) in generated.SCALING.items():
        rows = []
        for size in (smallest, 2 * smallest, 4 * smallest, 8 * smallest):
            path.write_text(generated.HEAD + generator(size), encoding="utf-8")
            with counters() as counted:
                check([path])
            seconds = min(cpu(lambda: check([path])) for _ in range(repeats))
            rows.append({"size": size, "cpu_s": round(seconds, 4), **counted})
        last, before = rows[-1], rows[-2]
        answers[name] = {
            "time_factor": round(last["cpu_s"] / max(before["cpu_s"], 1e-4), 2),
            "steps_factor": round(last["steps"] / max(before["steps"], 1), 2),
            "rows": [{key: row[key] for key in ("size", "cpu_s", "steps", "stopped")} for row in rows],
        }
    path.unlink()
    return answers


# ---- B6, B9 --------------------------------------------------------------------------------------------------------


def process(arguments: Sequence[str], folder: Path) -> dict:
    """CPU seconds, peak memory in MB and exit status of one `torchlsp` process."""
    environment = os.environ | {"PYTHONPATH": str(HERE.parent)}
    child = subprocess.Popen(
        [sys.executable, "-m", "torchlsp", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return {
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 3),
        "peak_mb": round(usage.ru_maxrss / unit, 1),
        "exit": child.returncode,
    }


def modules_after(arguments: Sequence[str], folder: Path) -> set[str]:
    """The modules that one command has imported when it ends."""
    program = (
        "import sys\nfrom torchlsp.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print('\\n' + ' '.join(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(ended.stdout.splitlines()[-1].split())


def start_up(repeats: int, folder: Path) -> dict:
    """B6: what the first answer costs, and which heavy modules it imports."""
    clean = folder / "clean.py"
    clean.write_text("import torch\n\nx = torch.zeros(2, 3).view(6)\n", encoding="utf-8")
    faulty = folder / "faulty.py"
    faulty.write_text("import torch\n\nx = torch.zeros(2, 3).t().view(6)\n", encoding="utf-8")
    answers = {}
    commands = {
        "version": ["--version"],
        "check_clean": ["check", "clean.py"],
        "check_faulty": ["check", "faulty.py"],
    }
    for name, arguments in commands.items():
        runs = [process(arguments, folder) for _ in range(repeats)]
        loaded = modules_after(arguments, folder)
        answers[name] = {
            "cpu_s": min(run["cpu_s"] for run in runs),
            "peak_mb": runs[0]["peak_mb"],
            "exit": runs[0]["exit"],
            "modules": len(loaded),
            "forbidden": sorted(loaded.intersection(FORBIDDEN)),
        }
    clean.unlink()
    faulty.unlink()
    return answers


def memory(paths: Sequence[Path], folder: Path) -> dict:
    """B9: peak memory of one `check` of the files."""
    return process(["check", "--isolated", "-q", *map(str, paths)], folder)


# ---- B7 ------------------------------------------------------------------------------------------------------------


def warm(paths: Sequence[Path], repeats: int, folder: Path) -> dict:
    """B7: which files a second run checks again, exactly, and what it takes when there are none."""
    place, results = folder / "warm", folder / "results"
    for number, path in enumerate(paths):
        copy = place / "files" / str(number) / path.name
        copy.parent.mkdir(parents=True)
        copy.write_bytes(path.read_bytes())
    (place / "shared.py").write_text("SIZE = 6\n", encoding="utf-8")
    uses = "import torch\nfrom shared import SIZE\n\nx = torch.zeros(2, 3).view(SIZE)\n"
    for number in range(5):
        (place / f"uses_{number}.py").write_text(uses, encoding="utf-8")
    cold = process(["check", "--isolated", "-q", "--cache-dir", str(results)], place)
    # Times of files are believed only when they are some seconds old.
    for path in place.rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    runs = [
        process(["check", "--isolated", "-q", "--cache-dir", str(results)], place) for _ in range(repeats)
    ]
    answers: dict = {"files": len(paths) + 6, "cold_cpu_s": cold["cpu_s"]}
    answers |= {"warm_cpu_s": min(run["cpu_s"] for run in runs), "warm_peak_mb": runs[0]["peak_mb"]}
    answers["unchanged"] = checked_again(place, results)
    (place / "uses_0.py").write_text(uses + "y = x\n", encoding="utf-8")
    answers["one_changed"] = checked_again(place, results)
    (place / "shared.py").write_text("SIZE = 7\n", encoding="utf-8")
    answers["one_import_of_five_changed"] = checked_again(place, results)
    shutil.rmtree(place)
    shutil.rmtree(results)
    return answers


def checked_again(place: Path, results: Path) -> int:
    """How many files of a folder a run with kept results checks."""
    from torchlsp.engine.config import Overrides
    from torchlsp.engine.engine import Engine, Options
    from torchlsp.engine.interpreters import choose, torch_version

    options = Options(Overrides(isolated=True), torch=torch_version(choose().path), cache=str(results))
    checked: list[str] = []
    check_file = Engine._check_file

    def noted(self: Engine, path: str, *others: object) -> None:
        checked.append(path)
        check_file(self, path, *others)

    Engine._check_file = noted
    before = Path.cwd()
    os.chdir(place)
    try:
        Engine(options).check(["."])
    finally:
        Engine._check_file = check_file
        os.chdir(before)
    return len(checked)


# ---- B2 ------------------------------------------------------------------------------------------------------------

PEERS = {
    "ruff": ("check", "--select", "ALL", "--no-cache", "--isolated", "-q"),
    "torchfix": ("--select", "ALL", "-j", "1"),
}
"""Other checkers, with the arguments that make them check all they can, in one process and without a cache."""


def peers(paths: Sequence[Path], folder: Path, repeats: int) -> dict:
    """B2: CPU seconds of whole processes on the same files, taking turns: ours and those of `PEERS` that are on the path."""
    ours = [sys.executable, "-m", "torchlsp"]
    commands = {"torchlsp": [*ours, "check", "--isolated", "-q", "--jobs", "1", "--no-cache"]}
    for name, arguments in PEERS.items():
        program = shutil.which(name)
        if program is not None:
            commands[name] = [program, *arguments]
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            seconds[name].append(_cpu_of(command + [str(path) for path in paths], folder))
    best = {name: min(found) for name, found in seconds.items()}
    return {
        name: {
            "version": _first_line([*(ours if name == "torchlsp" else commands[name][:1]), "--version"]),
            "cpu_s": found,
            "ours_to_theirs": round(best["torchlsp"] / best[name], 3),
        }
        for name, found in seconds.items()
    }


def _cpu_of(command: Sequence[str], folder: Path) -> float:
    environment = os.environ | {"PYTHONPATH": str(HERE.parent)}
    child = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return round(usage.ru_utime + usage.ru_stime, 3)


def _first_line(command: Sequence[str]) -> str:
    environment = os.environ | {"PYTHONPATH": str(HERE.parent)}
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return told.stdout.partition("\n")[0]


# ---- the command ---------------------------------------------------------------------------------------------------


def versions(corpus: Path | None) -> dict:
    from importlib.metadata import PackageNotFoundError, version

    from torchlsp import __version__

    found = {"torchlsp": __version__, "python": platform.python_version()}
    for name in ("libcst", "pygls"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    if corpus is not None:
        for info in sorted(corpus.glob("*/*.dist-info")):
            name, _, number = info.name.removesuffix(".dist-info").partition("-")
            found[f"corpus {name}"] = number
    return found


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/run.py", description=__doc__)
    parser.add_argument("--corpus", type=Path, help="a folder with unpacked wheels: timm/, transformers/, …")
    parser.add_argument("--only", default="B1,B3,B5,B6,B7,B8,B9,P1,D1,R1", help="which, separated by commas")
    parser.add_argument(
        "--probe-on", metavar="COMMAND", help="measures P2 too: the probe behind this command"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--whole", action="store_true", help="all files of each wheel for B1, not the samples"
    )
    parser.add_argument("--out", type=Path, help="write the JSON here instead of printing it")
    options = parser.parse_args(argv)
    only = set(options.only.split(","))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sets = {"generated": generated.write_corpus(folder)}
        if options.corpus is not None:
            for label, (wheel, every) in SAMPLES.items():
                if (options.corpus / wheel).is_dir():
                    sets[label] = sample(options.corpus / wheel, every)
                    if options.whole:
                        sets[wheel] = sample(options.corpus / wheel, 1)
        answers: dict = {"versions": versions(options.corpus)}
        # First, while this process is small: Linux counts a child's peak from its parent's size at the fork.
        if "B6" in only:
            answers["B6"] = start_up(options.repeats, folder)
        if "B9" in only:
            answers["B9"] = {label: memory(paths, folder) for label, paths in sets.items()}
        if "B7" in only:
            answers["B7"] = {label: warm(paths, options.repeats, folder) for label, paths in sets.items()}
        if "B8" in only:
            answers["B8"] = latency(options.corpus, folder, options.repeats)
        if "P1" in only:
            answers["P1"] = probing()
        if options.probe_on is not None:
            answers["P2"] = probing_elsewhere(options.probe_on)
        if "R1" in only:
            answers["R1"] = recording(folder)
        if "D1" in only:
            answers["D1"] = documentation(folder)
        if "B1" in only:
            answers["B1"] = {label: parse_ratio(paths, options.repeats) for label, paths in sets.items()}
        if "B2" in only:
            answers["B2"] = {label: peers(paths, folder, options.repeats) for label, paths in sets.items()}
        if "B3" in only:
            answers["B3"] = {label: count(paths) for label, paths in sets.items()}
        if "B5" in only:
            answers["B5"] = scaling(options.repeats, folder)
    text = json.dumps(answers, indent=2)
    if options.out is not None:
        options.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
