"""Selects the rules for a file and their severities, from configuration and catalogue."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from torchlsp.core.records import dataclass
from torchlsp.engine.globs import matcher
from torchlsp.engine.required_torch import RequiredByFolder, RequiredTorch
from torchlsp.engine.workspace import relative_to_root

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlsp.core.finding import Severity
    from torchlsp.engine.config import Catalogue, Configuration, Settings
    from torchlsp.engine.options import Options


@dataclass(frozen=True)
class Selection:
    """The codes that run, those of them that were chosen by hand, and the severities that settings give, by code."""

    codes: frozenset[str]
    by_hand: frozenset[str]
    severities: dict[str, Severity]

    @cached_property
    def told(self) -> str:
        """Returns the selection as a text, equal for two files with the same selection."""
        graver = sorted((code, severity.value) for code, severity in self.severities.items())
        return repr((sorted(self.codes), sorted(self.by_hand), graver))


class Selections:
    """The selections of files, each computed once for all files of the same settings."""

    def __init__(self, catalogue: Catalogue, configuration: Configuration, options: Options) -> None:
        self._catalogue = catalogue
        self._configuration = configuration
        self._torch = options.torch
        self._required = None if options.is_torch_chosen else RequiredByFolder()
        self._torch_by_required: dict[RequiredTorch | None, tuple[str | None, str | None]] = {}
        self._by_settings: dict[Settings, Selection] = {}
        self._by_path: dict[str, Selection] = {}
        self._ignores: dict[Settings, list[tuple[Callable[[str], bool], tuple[str, ...]]]] = {}

    def __getstate__(self) -> dict[str, object]:
        """Returns the state that another process needs; patterns are compiled again there."""
        return self.__dict__ | {"_ignores": {}, "_by_path": {}}

    def for_path(self, path: str) -> Selection:
        """Returns the selection for a file or folder. Raises ConfigError for a mistake in its configuration."""
        selection = self._by_path.get(path)
        if selection is None:
            selection = self._by_path[path] = self._of(path)
        return selection

    def torch_for(self, path: str) -> tuple[str | None, str | None]:
        """Returns the version of torch that a file or folder is checked for, and what says so; None for the newest.

        It is `torch-version`; else the installed one, unless the project requires another; else the newest that
        the project requires, or else that its instructions install or name, then as `1.7+`: they grow old, and the program may use
        what came later.
        """
        settings = self._configuration.for_path(path)
        if settings.torch_version is not None:
            return settings.torch_version, settings.source
        required = None if self._required is None else self._required.for_path(path)
        known = self._torch_by_required.get(required)
        if known is None:
            known = self._torch_by_required[required] = self._torch_under(required)
        return known

    def _torch_under(self, required: RequiredTorch | None) -> tuple[str | None, str | None]:
        """Returns the version of torch that is meant under a requirement, and its file if that decides."""
        if required is not None and required.is_mention and self._torch is not None:
            required = None
        if required is not None and (self._torch is None or not required.allows(self._torch)):
            newest = required.newest()
            if newest is not None:
                return f"{newest}+" if required.is_mention else newest, required.file
        return self._torch, None

    def _of(self, path: str) -> Selection:
        settings = self._configuration.for_path(path)
        selection = self._by_settings.get(settings)
        if selection is None:
            selection = self._by_settings[settings] = self._for_settings(settings)
        dropped = self._dropped(path, settings, selection.codes)
        if not dropped:
            return selection
        return Selection(selection.codes - dropped, selection.by_hand, selection.severities)

    def codes_for(self, path: str) -> dict[str, Severity]:
        """Returns the codes that run on a file, each with the severity that its settings give it."""
        selection = self.for_path(path)
        return {
            rule.code: selection.severities.get(rule.code, rule.severity)
            for rule in self._catalogue.rules
            if rule.code in selection.codes
        }

    def _for_settings(self, settings: Settings) -> Selection:
        severities: dict[str, Severity] = {}
        # The narrower selector wins, as for `select`.
        for word, severity in sorted(settings.severity, key=lambda pair: self._catalogue.narrowness(pair[0])):
            for rule in self._catalogue.rules:
                if self._catalogue.covers(word, rule):
                    severities[rule.code] = severity
        by_hand = self._catalogue.chosen_by_hand(settings)
        return Selection(
            self._catalogue.enabled(settings) - (self._configuration.off - by_hand),
            by_hand,
            severities,
        )

    def _dropped(self, path: str, settings: Settings, enabled: frozenset[str]) -> set[str]:
        """Returns the codes that `per-file-ignores` removes for a file."""
        dropped: set[str] = set()
        if not settings.per_file_ignores:
            return dropped
        if settings not in self._ignores:
            self._ignores[settings] = [
                (matcher((pattern,)), words) for pattern, words in settings.per_file_ignores
            ]
        relative = relative_to_root(path, settings)
        for matches, words in self._ignores[settings]:
            if not matches(relative):
                continue
            dropped.update(
                rule.code
                for rule in self._catalogue.rules
                if rule.code in enabled and any(self._catalogue.covers(word, rule) for word in words)
            )
        return dropped
