"""TL601: a module gets its layers or parameters before `Module.__init__` has run."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL601", severity="error", group="correctness")
def missing_super_init(check: Check) -> Iterator[Finding]:
    told = set()
    for fault in check.faults(FaultKind.MODULE_NOT_READY):
        body, late = fault["body"], fault["late"]
        if (body.path, body.start) in told:
            continue  # the first assignment raises, no other is reached
        told.add((body.path, body.start))
        name = f"`self.{fault['name']}`" if fault["name"] else f"a {fault['what']}"
        fixes, related = [], []
        if late is not None:
            related.append((late, "super().__init__() is called only here"))
        if body.path == fault.file.path and not fault["early"]:
            here, after = fault.position(body), fault.position(late) if late is not None else None
            if here is not None and after is not None and after.block is here.block:
                fixes.append(
                    fault.move("Move super().__init__() to the top", after.statement, here.statement)
                )
            elif late is None:
                fixes.append(
                    fault.insert("Insert super().__init__()", body.start, "super().__init__()", safe=True)
                )
        yield check.finding(
            fault,
            f"{name} is set before `Module.__init__` has run on `{fault['cls']}`",
            related=related,
            fixes=fixes,
        )
