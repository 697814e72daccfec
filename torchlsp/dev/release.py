"""Makes a release: `release X.Y.Z [--dry-run]` sets the version, writes the changes, builds, installs what was built, and tags last.

Everything is done in a clone. Only when all of it has succeeded does the clone's commit come back here, then the tag, and the files
into dist/. With `--dry-run` nothing comes back. Pushing the tag starts .github/workflows/release.yml, which publishes.
"""

from __future__ import annotations

import argparse
import datetime
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from torchlsp.dev import changelog, publication
from torchlsp.dev.try_out import Unfit, try_out

ROOT = Path(__file__).parents[2]
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


class Refused(Exception):
    """A release that cannot be made; the message says why."""


def refuse(version: str, root: Path) -> None:
    """Raises Refused where this version cannot be released from this checkout."""
    if not _VERSION.fullmatch(version):
        raise Refused(f"a version is X.Y.Z, not {version}")
    if _run(["git", "status", "--porcelain"], root).strip():
        raise Refused("there are changes that are not committed")
    tags = _run(["git", "tag", "--list", "v*"], root).split()
    if f"v{version}" in tags:
        raise Refused(f"v{version} is a tag already")
    released = [_numbers(tag[1:]) for tag in tags if _VERSION.fullmatch(tag[1:])]
    if released and _numbers(version) < max(released):
        raise Refused(f"{version} is older than the last release, {'.'.join(map(str, max(released)))}")


def prepare(version: str, root: Path, date: str) -> None:
    """Writes the version into every place, and the changes into the two lists of them; commits."""
    before = publication.NOW
    publication.switch(before, replace(before, version=version), root)
    tag = changelog.last_release(root)
    commits = changelog.commits_since(root, tag)
    lists = (
        ("CHANGELOG.md", changelog.section(version, date, commits)),
        ("editors/vscode/CHANGELOG.md", changelog.section_of_extension(version, commits)),
    )
    for name, written in lists:
        path = root / name
        text = path.read_text(encoding="utf-8")
        # The first version is described as a whole, not by its commits.
        if tag is not None or not changelog.has_section(text, version):
            path.write_text(changelog.with_section(text, written), encoding="utf-8")
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    (root / "CHANGELOG.md").write_text(
        text.replace(f"## {version} (not released)", f"## {version} ({date})"), encoding="utf-8"
    )
    if _run(["git", "status", "--porcelain"], root).strip():
        _run(["git", "commit", "--quiet", "--all", "--message", f"Release {version}"], root)


def build(root: Path, out: Path) -> list[Path]:
    """Builds the sdist, and the wheel from the sdist."""
    _run([sys.executable, "-m", "build", "--outdir", str(out), str(root)], root)
    return sorted(out.iterdir())


def pack_extension(root: Path, out: Path, version: str) -> Path | None:
    """Packs the extension; None where there is no node."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    extension = root / "editors" / "vscode"
    _run([npm, "ci"], extension)
    _run([npm, "run", "package"], extension)
    packed = out / f"torchlsp-{version}.vsix"
    shutil.copy(extension / "torchlsp.vsix", packed)
    return packed


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 where anything fails; then nothing here has changed."""
    parser = argparse.ArgumentParser(prog="python -m torchlsp.dev release", description=__doc__)
    parser.add_argument("version", metavar="X.Y.Z")
    parser.add_argument(
        "--dry-run", action="store_true", help="do all of it in a clone, and change nothing here"
    )
    options = parser.parse_args(arguments)
    try:
        return _release(options.version, dry=options.dry_run)
    except (Refused, Unfit, publication.Mismatch) as why:
        print(f"not released: {why}", file=sys.stderr)
        return 1


def _release(version: str, *, dry: bool) -> int:
    refuse(version, ROOT)
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    with tempfile.TemporaryDirectory(prefix="torchlsp-release-") as folder:
        scratch = Path(folder)
        clone, out = scratch / "clone", scratch / "dist"
        out.mkdir()
        _run(["git", "clone", "--quiet", str(ROOT), str(clone)], scratch)
        _keep_author(clone)
        prepare(version, clone, date)
        print(f"set the version to {version} and wrote the changes")
        for archive in build(clone, out):
            try_out(archive, version, clone, scratch)
            print(f"built {archive.name}, installed it into a fresh environment and ran it")
        packed = pack_extension(clone, out, version)
        print(f"packed {packed.name}" if packed else "no node here: the extension is packed by the workflow")
        if dry:
            print("nothing here was changed")
            return 0
        _run(["git", "fetch", "--quiet", str(clone), "HEAD"], ROOT)
        _run(["git", "merge", "--quiet", "--ff-only", "FETCH_HEAD"], ROOT)
        shutil.copytree(out, ROOT / "dist", dirs_exist_ok=True)
        _run(["git", "tag", "--annotate", f"v{version}", "--message", f"torchlsp {version}"], ROOT)
    print(f"tagged v{version}; to publish: git push origin HEAD v{version}")
    return 0


def _keep_author(clone: Path) -> None:
    """Makes the commits of the clone those of who releases."""
    for key in ("user.name", "user.email"):
        value = subprocess.run(
            ["git", "config", key], cwd=ROOT, capture_output=True, text=True, check=False
        ).stdout.strip()
        if value:
            _run(["git", "config", key, value], clone)
