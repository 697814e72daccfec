"""Provides the trees of a run's files and of the modules they import, each parsed once."""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import TYPE_CHECKING

from torchlsp.core.text import Document
from torchlsp.engine.outcome import digest_of
from torchlsp.engine.workspace import shown_path
from torchlsp.files import read_source
from torchlsp.syntax.parse import SyntaxTree, parse, parse_imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torchlsp.engine.outcome import Asked
    from torchlsp.engine.workspace import Workspace

# Characters of source whose trees are kept, what the outline of an imported file leaves out not counted; an `ast`
# takes about 37 bytes a character, and what the analysis derives from it as much again. With 400,000 timm takes 40 MB
# less, and transformers half as long again: its files share so many imports that most are read five times over.
KEPT_CHARACTERS = 1_500_000


class Provider:
    """Provides other files to the analysis.

    Trees are kept up to a bound, the least recently used go first; so whatever must outlive a tree (a summary)
    belongs in `memo`, keyed by what it depends on. `open_documents` (by real path) stand in for the files that an
    editor has open.
    """

    __slots__ = (
        "_characters",
        "_digests",
        "_keys",
        "_latest",
        "_moved",
        "_most_characters",
        "_open",
        "_passing",
        "_stamps",
        "_trees",
        "_weights",
        "_workspace",
        "asked",
        "memo",
    )

    def __init__(
        self,
        workspace: Workspace,
        open_documents: Mapping[str, Document] | None = None,
        *,
        kept_characters: int = KEPT_CHARACTERS,
    ) -> None:
        self._workspace = workspace
        self._most_characters = kept_characters
        self._open = open_documents if open_documents is not None else {}
        self._trees: OrderedDict[str, SyntaxTree] = OrderedDict()
        self._stamps: dict[str, tuple[int, int]] = {}
        self._latest: SyntaxTree | None = None
        """The tree that was last requested as a file of its own."""
        self._passing: str | None = None
        """Its key, where no other file has requested it so far."""
        self._keys: dict[str, str] = {}
        self._moved: set[str] = set()
        """The notebooks that change into a folder, by absolute path: what they import is not the file beside them."""
        self._weights: dict[str, int] = {}
        self._digests: dict[str, str] = {}
        self._characters = 0
        self.asked: Asked = {}
        """The requests to `module` since this was last replaced. Each answer must come from it: what is kept
        of a file's analysis rests on what stands here."""
        self.memo: dict[object, object] = {}

    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None:
        """Returns the tree of a workspace module as the importing file sees it. None when it is not one, or
        unreadable.

        `dotted_name` may be relative, with its leading dots.
        """
        importing = os.path.abspath(importing_path)
        if importing in self._moved:
            return None
        folder = os.path.dirname(importing)
        path = self._workspace.resolve_from(dotted_name, folder)
        self.asked[dotted_name, folder] = path, None
        if path is None:
            return None
        if path == importing:
            self.asked[dotted_name, folder] = path, _digest_of_file(path)
            return None  # a file is not what it imports, see `Workspace.resolve`
        key = self._key(path)
        if key == self._passing:
            self._passing = None
        opened = self._open.get(key)
        if opened is not None:
            return self._kept(key, opened, parse)
        try:
            status = os.stat(path)
            stamp = (status.st_mtime_ns, status.st_size)
            kept = self._trees.get(key)
            if kept is not None and self._stamps.get(key) == stamp:
                self._trees.move_to_end(key)
                self.asked[dotted_name, folder] = path, self._digests[key]
                return kept
            data = read_source(path)
        except OSError:
            return None
        tree = self._kept(key, Document.from_bytes(shown_path(path), data), parse_imported)
        self._stamps[key], self._digests[key] = stamp, digest_of(data)
        self.asked[dotted_name, folder] = path, self._digests[key]
        return tree

    def resolve(self, dotted_name: str, importing_path: str) -> str | None:
        """Returns the file of a workspace module, without reading it."""
        return self._workspace.resolve(dotted_name, importing_path)

    def forget_listings(self) -> None:
        """Clears cached folder listings, after files were created or deleted."""
        self._workspace.forget()
        self._keys.clear()

    def tree(self, document: Document) -> SyntaxTree:
        """Returns the tree of a document. A kept tree of other text is replaced.

        It is kept for those that import it only if one has before: most files are imported by none, those that are take
        less to keep when they are read for that (`syntax.outline`), and what an editor has open is asked for again.
        """
        if document.cells:
            from torchlsp.syntax.notebook import enters_folder

            change = self._moved.add if enters_folder(document.original) else self._moved.discard
            change(os.path.abspath(document.path))
        key = self._key(document.path)
        is_new = key not in self._trees
        tree = self._kept(key, document, parse)
        if self._latest is not None and self._latest is not tree:
            self._latest.slim()
            if self._passing is not None and self._passing != key and self._passing in self._trees:
                self._drop(self._passing)
        if self._latest is not tree:
            self._passing = key if is_new and key not in self._open else None
        self._latest = tree
        return tree

    def _key(self, path: str) -> str:
        """Returns the resolved path, cached because each import needs it."""
        key = self._keys.get(path)
        if key is None:
            key = self._keys[path] = os.path.realpath(path)
        return key

    def _kept(self, key: str, document: Document, read: Callable[[Document], SyntaxTree]) -> SyntaxTree:
        kept = self._trees.get(key)
        if kept is not None and _same(kept.document, document):
            self._trees.move_to_end(key)
            return kept
        if kept is not None:
            self._drop(key)
        tree = read(document)
        self._trees[key] = tree
        self._weights[key] = len(document.text) if tree.outline is None else tree.outline.weight
        self._characters += self._weights[key]
        while self._characters > self._most_characters and len(self._trees) > 1:
            self._drop(next(iter(self._trees)))
        return tree

    def _drop(self, key: str) -> None:
        tree = self._trees.pop(key)
        self._stamps.pop(key, None)
        self._digests.pop(key, None)
        self._characters -= self._weights.pop(key)
        tree.memo.clear()


def _same(one: Document, other: Document) -> bool:
    """Returns whether the tree of one document serves the other. Findings carry the document's own spelling
    of its path."""
    return one.path == other.path and one.cells == other.cells and one.text == other.text


def _digest_of_file(path: str) -> str | None:
    try:
        return digest_of(read_source(path))
    except OSError:
        return None
