"""Measures how the cost of `torchlsp check` grows with texts that grow in one respect each (`growing_texts`).

`python benchmarks/shapes.py [NAME …]` prints for each the CPU seconds of `torchlsp check` at a size that takes half a second
and at twice that, less those of a file of one row, and the ratio of the two.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import growing_texts as texts

HERE = Path(__file__).resolve().parent
HEAD = "import torch\nimport torch.distributed as dist\nfrom torch import nn\nimport torch.nn.functional as F\n\n\n"

# The smallest size of each.
SHAPES: dict[Callable[[int], str], int] = {
    texts.rebound_by_view: 500,
    texts.rebound_in_module: 2_000,
    texts.rebound_in_function: 1_000,
    texts.rebound_with_gradient: 1_000,
    texts.rebound_to_types: 4_000,
    texts.augmented: 2_000,
    texts.rank_ladder: 85,
    texts.rank_ladder_of_names: 85,
    texts.rank_branches: 200,
    texts.rank_branches_nested: 40,
    texts.elif_ladder: 85,
    texts.ifs_in_a_row: 800,
    texts.ifs_nested: 45,
    texts.early_returns: 1_000,
    texts.match_ladder: 85,
    texts.view_matmul_chain: 80,
    texts.method_chain: 80,
    texts.method_chain_of_tensor: 80,
    texts.binary_chain: 80,
    texts.comparison_chain: 1_000,
    texts.boolean_chain: 1_000,
    texts.subscript_chain: 80,
    texts.attribute_chain: 80,
    texts.conditional_chain: 80,
    texts.brackets_nested: 80,
    texts.dicts_nested: 80,
    texts.calls_nested: 80,
    texts.many_nested: 100,
    texts.long_string: 1_000_000,
    texts.long_docstring: 30_000,
    texts.functions: 2_500,
    texts.functions_nested: 400,
    texts.functions_called: 800,
    texts.attributes: 1_000,
    texts.attributes_plain: 2_000,
    texts.methods: 1_000,
    texts.classes: 500,
    texts.classes_that_inherit: 250,
    texts.classes_of_one_base: 500,
    texts.tuples: 10_000,
    texts.dict_entries: 4_000,
    texts.appended: 1_000,
    texts.dict_items_set: 1_000,
    texts.star_imports: 1_000,
    texts.imports: 1_000,
    texts.guarded_imports: 1_000,
    texts.decorators: 1_000,
    texts.decorated_functions: 1_000,
    texts.comprehensions: 800,
    texts.comprehension_clauses: 40,
    texts.try_ladder: 500,
    texts.except_ladder: 500,
    texts.with_ladder: 800,
    texts.with_items: 400,
    texts.lambdas: 1_000,
    texts.lambdas_nested: 80,
    texts.f_strings: 2_000,
    texts.f_strings_in_a_row: 1_000,
    texts.suppressions: 4_000,
    texts.suppressions_used: 500,
    texts.findings: 500,
    texts.findings_in_one_function: 500,
    texts.findings_on_a_line: 300,
    texts.sequential: 1_000,
    texts.module_list: 1_000,
    texts.loops_in_a_row: 500,
    texts.loops_nested: 10,
    texts.loops_counted: 500,
    texts.loop_body: 1_000,
    texts.training_loops: 300,
    texts.backwards: 400,
    texts.backward_branches: 300,
    texts.recursion: 400,
    texts.call_chain: 400,
    texts.call_trees: 20,
    texts.aliases: 500,
    texts.in_place: 1_000,
    texts.unpacked_shapes: 500,
    texts.symbolic_sizes: 200,
    texts.global_statements: 1_000,
    texts.parameters: 2_000,
    texts.arguments: 2_000,
    texts.concatenated: 2_000,
    texts.assigned_together: 4_000,
    texts.assertions: 1_000,
    texts.shape_tests: 500,
    texts.comments: 50_000,
    texts.blank_rows: 500_000,
    texts.one_row: 20_000,
    texts.one_row_of_calls: 1_000,
    texts.wide_characters: 1_000,
    texts.wide_row: 2_000,
    texts.syntax_errors: 1_500,
    texts.unclosed_bracket: 5_000,
    texts.unclosed_string: 5_000,
    texts.words_of_errors: 2_000,
    texts.closures: 40,
    texts.generators: 1_000,
    texts.big_numbers: 1_000,
    texts.walrus: 500,
}


def cpu_seconds(path: Path, limit: float = 60.0, arguments: Iterable[str] = ()) -> tuple[float, str]:
    """Returns the CPU seconds of one `torchlsp check`, and what it wrote to the standard error."""
    command = [
        sys.executable,
        "-m",
        "torchlsp",
        "check",
        "--isolated",
        "--no-cache",
        "--exit-zero",
        *arguments,
    ]
    environment = os.environ | {"PYTHONPATH": str(HERE.parent), "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryFile() as notices:
        child = subprocess.Popen(
            [*command, path.name],
            cwd=path.parent,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=notices,
        )
        timer = threading.Timer(limit, child.kill)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        notices.seek(0)
        told = notices.read().decode(errors="replace")
    return usage.ru_utime + usage.ru_stime, "timeout" if child.returncode < 0 else told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="the shapes to measure, as a rule all")
    parser.add_argument(
        "--least", type=float, default=0.5, help="seconds that the smaller size takes at least"
    )
    parser.add_argument(
        "--most", type=int, default=1_000_000, help="characters that the smaller text may have"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shape.py"

        def seconds(text: str) -> tuple[float, str]:
            path.write_text(HEAD + text, encoding="utf-8")
            return cpu_seconds(path)

        empty = min(seconds("x = torch.zeros(2, 3)\n")[0] for _ in range(3))
        print(f"a file of one row: {empty:.2f} s")
        for generator, size in SHAPES.items():
            if options.names and generator.__name__ not in options.names:
                continue
            once, told = seconds(generator(size))
            while (
                once - empty < options.least
                and len(generator(2 * size)) <= options.most
                and told != "timeout"
            ):
                size *= max(2, int(options.least / 2 / max(once - empty, 0.02)))
                while len(generator(size)) > options.most:
                    size //= 2
                once, told = seconds(generator(size))
            twice, told = seconds(generator(2 * size))
            ratio = (twice - empty) / max(once - empty, 0.02)
            mark = "  <--" if ratio > 2.6 or told == "timeout" else ""
            notice = told.strip().splitlines()[0][:70] if told.strip() else ""
            print(
                f"{generator.__name__:26} {size:8} {len(generator(size)):8} {once - empty:6.2f} {twice - empty:6.2f} "
                f"{ratio:5.2f}{mark} {notice}",
                flush=True,
            )


if __name__ == "__main__":
    main()
