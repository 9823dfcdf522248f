"""Where the server is and who calls: SMELDR_URL and SMELDR_TOKEN.

Both come from the environment or from `.smeldr-cli.env` in the working directory; the environment wins, and the file
is not opened when it has both. Without an address it is the one that `smeldr serve` uses by itself, on this machine.
Nothing here connects to anything, and no message shows the token.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from smeldr.doors.cli.failure import Failure
from smeldr.doors.cli.texts import decoded

FILE: Final = ".smeldr-cli.env"
DEFAULT_URL: Final = "http://127.0.0.1:8080"


class Config(NamedTuple):
    """The server's address, in parts, and the token. `prefix` is the path before `/api`."""

    url: str
    secure: bool
    host: str
    port: int
    prefix: str
    token: str


def read(environment: Mapping[str, str], directory: Path) -> Config:
    """Read both settings. Raises Failure `bad_settings` (no token, no address that is one, a file that is none)."""
    names = ("SMELDR_URL", "SMELDR_TOKEN")
    found = {name: environment[name] for name in names if environment.get(name, "").strip()}
    if len(found) < len(names):
        found = {**_from_file(directory / FILE), **found}
    url = found.get("SMELDR_URL", "").strip() or DEFAULT_URL
    return _config(url, _token(found.get("SMELDR_TOKEN", "").strip()))


def parse(text: str) -> dict[str, str]:
    """Read KEY=VALUE lines: comments and blank lines are skipped, one pair of quotes around a value is taken off."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        key, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not key.startswith("#"):
            value = value.strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            values[key.strip()] = value[1:-1] if quoted else value
    return values


def _from_file(file: Path) -> dict[str, str]:
    try:
        return parse(decoded(file.read_bytes()))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Failure("bad_settings", f"cannot read {FILE}: {error.strerror or error}") from None
    except UnicodeError:
        raise Failure("bad_settings", f"{FILE} is not UTF-8 text") from None


def _token(token: str) -> str:
    if not token:
        raise Failure(
            "bad_settings", f"there is no token: set SMELDR_TOKEN, or write SMELDR_TOKEN=... into {FILE} here"
        )
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise Failure("bad_settings", "SMELDR_TOKEN holds characters that no token has; was it copied whole?")
    return token


def _config(url: str, token: str) -> Config:
    parts, port = _split(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Failure("bad_settings", f"SMELDR_URL is no address of a server: {url!r}; one looks like {DEFAULT_URL}")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise Failure("bad_settings", "SMELDR_URL is scheme, host, port and path only: no user, no query, no fragment")
    secure = parts.scheme == "https"
    return Config(url.rstrip("/"), secure, parts.hostname, port or (443 if secure else 80), _path(parts), token)


def _split(url: str) -> tuple[SplitResult, int | None]:
    try:
        if not (url.isprintable() and " " not in url):
            raise ValueError
        parts = urlsplit(url)
        return parts, parts.port
    except ValueError:
        raise Failure("bad_settings", f"SMELDR_URL is no address of a server: {url!r}") from None


def _path(parts: SplitResult) -> str:
    if not parts.path.isascii():
        raise Failure("bad_settings", "the path in SMELDR_URL holds characters that have to be percent-encoded")
    return parts.path.rstrip("/")
