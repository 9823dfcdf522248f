"""Examples of configuration for other programs: they are well formed, and what they say of Smeldr is so.

Whether the other program takes them cannot be seen without it.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Mapping
from typing import Final

import yaml

from smeldr.settings import Settings

_SECTIONS: Final = frozenset({"global", "defaults", "frontend", "backend", "listen"})
_SETTING: Final = re.compile(r"\b(?:SMELDR|ENABLE|STRUCTURAL|ALLOW)_[A-Z_]+\b")
_PROBE: Final = re.compile(r"(?:uri|path:) (/\w+)")


def _ini(text: str) -> None:
    configparser.ConfigParser(strict=False, interpolation=None).read_string(f"[top]\n{text}")


def _yaml(text: str) -> None:
    assert isinstance(yaml.safe_load(text), dict)


def _in_braces(text: str) -> None:
    depth = 0
    for line in text.splitlines():
        depth += line.count("{") - line.count("}")
        assert depth >= 0, line
    assert depth == 0


def _nginx(text: str) -> None:
    _in_braces(text)
    assert [] == [line for line in map(str.strip, text.splitlines()) if line and line[-1] not in "{};"]


def _haproxy(text: str) -> None:
    heads = [line.split()[0] for line in text.splitlines() if line[:1].strip()]
    assert set(heads) <= _SECTIONS


LANGUAGES: Final[Mapping[str, Callable[[str], None]]] = {
    "ini": _ini,
    "yaml": _yaml,
    "nginx": _nginx,
    "caddyfile": _in_braces,
    "haproxy": _haproxy,
}


def check(language: str, text: str) -> None:
    """Insist that it is well formed, and that it names settings and addresses that there are."""
    LANGUAGES[language](text)
    known = {str(field.validation_alias) for field in Settings.model_fields.values()}
    assert set() == set(_SETTING.findall(text)) - known
    assert set(_PROBE.findall(text)) <= {"/health", "/ready"}
