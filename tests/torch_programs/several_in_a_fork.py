"""Runs the probe's worker with one difference: programs that pass share a fork, which saves most of the forks.

What the gate lets in leaves nothing changed for the next program (tests/probe/test_nothing_remains.py). Whatever else a program
does in company does not count: it runs again in a fork of its own, as it does for users. So does each that is to hear warnings,
of which torch says some only once in a process, each of several ranks, and each whose key says that it is to be alone.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_WORKER = str(Path(__file__).resolve().parents[2] / "torchlsp" / "probe" / "worker")
sys.path.insert(0, _WORKER)
import results  # noqa: E402
import zygote  # noqa: E402

sys.path.remove(_WORKER)

TOGETHER = 24
LETTERS = {None: "-", True: "y", False: "n"}
"""In the answer of a shared fork: a program that passed, by whether the flagged rows were executed to their end."""
REACHED = {letter: reached for reached, letter in LETTERS.items()}
NOT_PASSED = "?"
PASSED = {"outcome": "passed", "error": None, "reached": None, "lines": None, "ms": None}

run_here, run_batch = zygote._run_here, zygote._run_batch


def run_several(item, crew=None):
    """Runs an item, or the several items that it stands for, whose ends it tells by a letter for each."""
    if "several" not in item:
        return run_here(item, crew)
    ends = [run_here(one) for one in item["several"]]
    told = [LETTERS[end["reached"]] if end["outcome"] == "passed" else NOT_PASSED for end in ends]
    return results.ended("raised", "Several", "".join(told))


def run_in_few_forks(items, deadline, said=None):
    """Returns the results of a batch: first of those that pass in company, then of the others, each in its own fork."""
    passed = {}
    shared = [
        place
        for place, item in enumerate(items)
        if item["kind"] != "ranks" and not item["hears"] and not item["key"].startswith("alone")
    ]
    for start in range(0, len(shared), TOGETHER) if said is None else ():
        places = shared[start : start + TOGETHER]
        several = zygote._item("") | {"several": [items[place] for place in places]}
        error = zygote._run_fork(several, deadline)["error"]
        # A fork that ended in another way has no letters: all of its programs run alone.
        for place, letter in zip(places, error["text"] if error["class"] == "Several" else ""):
            if letter != NOT_PASSED:
                passed[place] = dict(PASSED, reached=REACHED[letter])
    alone = [place for place in range(len(items)) if place not in passed]
    ended = dict(zip(alone, run_batch([items[place] for place in alone], deadline, said)))
    return [passed.get(place) or ended[place] for place in range(len(items))]


zygote._run_here, zygote._run_batch = run_several, run_in_few_forks

if __name__ == "__main__":
    zygote.main()
    os._exit(0)
