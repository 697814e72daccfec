"""Which files are found, and which file an import means."""

from __future__ import annotations

import os
import sys

import pytest
from fake_analysis import RULES

from torchlsp.engine.config import Catalogue, ConfigError, Configuration, Overrides
from torchlsp.engine.workspace import Discovery, Workspace, discover


def found(*paths: str, force_exclude: bool = False, **overrides) -> Discovery:
    configuration = Configuration(Catalogue(RULES), Overrides(**overrides))
    return discover(paths, configuration, force_exclude=force_exclude)


def files(*paths: str, **options) -> list[str]:
    return [os.path.normpath(path).replace(os.sep, "/") for path in found(*paths, **options).files]


def test_python_files_below_a_folder_in_order(project) -> None:
    project(
        {
            "b.py": "",
            "a/z.py": "",
            "a/c.pyi": "",
            "a/d.txt": "",
            "a/e.ipynb": "",
            "c/d/e.py": "",
            "a/._z.py": "",
        }
    )
    assert files(".") == ["b.py", "a/e.ipynb", "a/z.py", "c/d/e.py"]


def test_folders_that_are_not_the_users_code_are_left_out(project) -> None:
    names = (".git", ".venv", "venv", "node_modules", "__pycache__", "build", "dist", "lib/site-packages")
    project({f"{name}/x.py": "" for name in names} | {"ok/x.py": ""})
    assert [os.path.normpath(path) for path in files(".")] == [os.path.normpath("ok/x.py")]


def test_an_excluded_folder_can_be_named(project) -> None:
    project({"build/x.py": "", "build/dist/y.py": ""})
    assert files("build") == ["build/x.py"]
    assert files("build/x.py") == ["build/x.py"]


def test_exclude_of_the_configuration(project) -> None:
    project({"torchlsp.toml": 'extend-exclude = ["gen/*.py"]', "gen/x.py": "", "y.py": "", "build/z.py": ""})
    assert [os.path.normpath(path) for path in files(".")] == ["y.py"]


def test_a_file_named_twice_is_checked_once(project) -> None:
    project({"a/x.py": ""})
    assert files("a", "a/x.py", "a/../a") == ["a/x.py"]


def test_a_missing_path_is_the_users_mistake(project) -> None:
    project({})
    with pytest.raises(ConfigError, match="no such file or folder: absent"):
        found("absent")


def test_a_folder_without_python_is_said(project) -> None:
    project({"a/readme.txt": ""})
    assert found("a").empty == ("a",)


def test_a_notebook_can_be_named(project) -> None:
    project({"a.ipynb": "{}"})
    assert files("a.ipynb") == ["a.ipynb"]


def test_exclude_can_be_forced_on_what_is_named(project) -> None:
    root = project(
        {"torchlsp.toml": 'exclude = ["gen", "/own.py"]', "gen/x.py": "", "own.py": "", "y.py": ""}
    )
    named = ("gen", "gen/x.py", "own.py", "y.py", str(root / "gen" / "x.py"))
    assert files(*named) == ["gen/x.py", "own.py", "y.py"]
    assert files(*named, force_exclude=True) == ["y.py"]
    assert files(".", force_exclude=True) == ["y.py"]
    assert found("gen", force_exclude=True).empty == ()
    with pytest.raises(ConfigError, match="no such file or folder: gen/absent.py"):
        found("gen/absent.py", force_exclude=True)


GITIGNORED = {
    ".git/HEAD": "",
    ".git/info/exclude": "private.py\n",
    ".gitignore": "/gen/\n*_pb2.py\n!kept_pb2.py\n",
    "a.py": "",
    "a_pb2.py": "",
    "kept_pb2.py": "",
    "private.py": "",
    "gen/x.py": "",
    "src/gen/x.py": "",
    "src/.gitignore": "x.py\n",
    "src/y.py": "",
}


def test_what_git_ignores_is_not_walked_into(project) -> None:
    project(GITIGNORED)
    assert files(".") == ["a.py", "kept_pb2.py", "src/y.py"]
    assert files("src") == ["src/y.py"]
    everything = {name for name in GITIGNORED if name.endswith(".py")}
    assert set(files(".", respect_gitignore=False)) == everything


def test_what_git_ignores_can_be_named(project) -> None:
    project(GITIGNORED | {"gen/deep/.gitignore": "z.py", "gen/deep/z.py": "", "gen/deep/w_pb2.py": ""})
    assert files("a_pb2.py", "private.py") == ["a_pb2.py", "private.py"]
    assert files("gen") == ["gen/x.py", "gen/deep/w_pb2.py"]
    assert files("gen/deep") == ["gen/deep/w_pb2.py"]


def test_the_configuration_can_take_what_git_ignores(project) -> None:
    project(GITIGNORED | {"torchlsp.toml": "respect-gitignore = false"})
    assert "gen/x.py" in files(".")
    assert "gen/x.py" not in files(".", respect_gitignore=True)


def test_outside_a_work_tree_nothing_is_ignored(project) -> None:
    project({name: text for name, text in GITIGNORED.items() if not name.startswith(".git/")})
    assert "gen/x.py" in files(".")


def test_a_work_tree_in_another_has_its_own_rules(project) -> None:
    inner = {"lib/.git": "gitdir: ../.git/modules/lib\n", "lib/a_pb2.py": "", "lib/own.py": ""}
    project(GITIGNORED | inner | {".git/modules/lib/info/exclude": "own.py\n"})
    assert files("lib") == ["lib/a_pb2.py"]
    assert "lib/a_pb2.py" in files(".")


def test_a_linked_work_tree_has_the_excludes_of_its_repository(project) -> None:
    project(
        {
            "main/.git/info/exclude": "own.py\n",
            "main/.git/worktrees/w/commondir": "../..\n",
            "w/.git": "gitdir: ../main/.git/worktrees/w\n",
            "w/own.py": "",
            "w/a.py": "",
        }
    )
    assert files("w") == ["w/a.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_in_a_circle_end(project) -> None:
    root = project({"a/x.py": ""})
    (root / "a" / "up").symlink_to(root)
    (root / "a" / "dangling.py").symlink_to(root / "nowhere.py")
    assert len([path for path in files("a") if path.endswith("x.py")]) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_to_folders_elsewhere_are_not_followed(project) -> None:
    root = project(
        {
            "top/a.py": "",
            "top/real/b.py": "",
            "elsewhere/c.py": "",
            "elsewhere/own/torchlsp.toml": "junk = 1\n",
        }
    )
    (root / "top" / "out").symlink_to(root / "elsewhere")
    (root / "top" / "disk").symlink_to("/")
    (root / "top" / "alias").symlink_to("real")
    assert files("top") == ["top/a.py", "top/alias/b.py"]
    (root / "elsewhere" / "own" / "torchlsp.toml").unlink()
    assert files("top/out") == ["top/out/c.py"], "the user names it"


def resolve(module: str, importer: str) -> str | None:
    path = Workspace().resolve(module, importer)
    return None if path is None else os.path.relpath(path).replace(os.sep, "/")


def test_imports_beside_a_script(project) -> None:
    project({"pyproject.toml": "", "train/main.py": "", "train/model.py": "", "train/nets/__init__.py": ""})
    assert resolve("model", "train/main.py") == "train/model.py"
    assert resolve("nets", "train/main.py") == "train/nets/__init__.py"
    assert resolve("absent", "train/main.py") is None


def test_imports_within_a_package(project) -> None:
    project(
        {
            "pyproject.toml": "",
            "src/pkg/__init__.py": "",
            "src/pkg/a.py": "",
            "src/pkg/sub/__init__.py": "",
            "src/pkg/sub/b.py": "",
            "scripts/run.py": "",
        }
    )
    assert resolve("pkg.a", "src/pkg/sub/b.py") == "src/pkg/a.py"
    assert resolve("..a", "src/pkg/sub/b.py") == "src/pkg/a.py"
    assert resolve(".", "src/pkg/sub/b.py") == "src/pkg/sub/__init__.py"
    assert resolve(".b", "src/pkg/sub/__init__.py") == "src/pkg/sub/b.py"
    assert resolve("pkg.sub.b", "scripts/run.py") == "src/pkg/sub/b.py"
    assert resolve("b", "src/pkg/sub/a.py") == "src/pkg/sub/b.py"


def test_a_module_of_a_package_does_not_hide_the_standard_library(project) -> None:
    project(
        {
            "pyproject.toml": "",
            "pkg/__init__.py": "",
            "pkg/typing.py": "",
            "pkg/extra.py": "",
            "typing.py": "",
        }
    )
    assert resolve("typing", "pkg/a.py") == "typing.py"
    assert resolve("extra", "pkg/a.py") == "pkg/extra.py"
    os.unlink("typing.py")
    assert resolve("typing", "pkg/a.py") is None


def test_of_several_folders_above_it_is_not_known_which_holds_a_module(project) -> None:
    project(
        {
            "pyproject.toml": "",
            "utils.py": "",
            "old/utils.py": "",
            "old/nets/a.py": "",
            "old/run.py": "",
            "own.py": "",
        }
    )
    assert resolve("utils", "old/run.py") == "old/utils.py"
    assert resolve("utils", "old/nets/a.py") is None
    assert resolve("own", "old/nets/a.py") == "own.py"


def test_nothing_above_the_project_is_looked_up(project) -> None:
    project({"outside.py": "", "p/pyproject.toml": "", "p/a/x.py": "", "p/inside.py": ""})
    assert resolve("inside", "p/a/x.py") == "p/inside.py"
    assert resolve("outside", "p/a/x.py") is None


def test_torch_is_never_a_file_of_the_workspace(project) -> None:
    project({"pyproject.toml": "", "torch/__init__.py": "", "torch.py": "", "x.py": ""})
    assert resolve("torch", "x.py") is None
    assert resolve("torch.nn", "x.py") is None


def test_a_file_is_not_what_it_imports(project) -> None:
    """`integrations/bitsandbytes.py` means the library by `import bitsandbytes`."""
    top = project({"integrations/__init__.py": "", "integrations/bitsandbytes.py": "import bitsandbytes\n"})
    assert Workspace().resolve("bitsandbytes", str(top / "integrations" / "bitsandbytes.py")) is None
    assert Workspace().resolve("bitsandbytes", str(top / "integrations" / "other.py")) is not None
