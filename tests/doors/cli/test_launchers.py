"""A checkout's own `smeldr-cli`: from any folder, through any link, with its environment or without one."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[3]
SAYS: Final = '#!/bin/sh\nprintf "%s" "{name}"\nfor word in "$@"; do printf "[%s]" "$word"; done\nexit 7\n'

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")


def program(path: Path, name: str) -> None:
    """A program that prints its name and its words, and ends with 7."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SAYS.format(name=name), encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    where = tmp_path / "a checkout"
    where.mkdir()
    shutil.copy(ROOT / "smeldr-cli", where)
    return where


def run(
    launcher: Path | str, folder: Path, *words: str, path: str = "/usr/bin:/bin"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [launcher, *words], cwd=folder, env={"PATH": path}, capture_output=True, text=True, check=False, timeout=30
    )


def test_it_runs_the_environment_beside_it_with_its_words_as_they_are(checkout: Path) -> None:
    program(checkout / ".venv/bin/smeldr-cli", "ours")
    done = run("./smeldr-cli", checkout, "relation", "list", "--reason", "two  words", "", "$HOME", "*")
    assert (7, "ours[relation][list][--reason][two  words][][$HOME][*]") == (done.returncode, done.stdout)


def test_it_finds_the_environment_of_windows(checkout: Path) -> None:
    program(checkout / ".venv/Scripts/smeldr-cli.exe", "windows")
    assert "windows" == run("./smeldr-cli", checkout).stdout


def test_it_runs_from_another_folder_and_through_links(checkout: Path, tmp_path: Path) -> None:
    program(checkout / ".venv/bin/smeldr-cli", "ours")
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    (elsewhere / "absolute").symlink_to(checkout / "smeldr-cli")
    (elsewhere / "relative").symlink_to("../a checkout/smeldr-cli")
    (elsewhere / "link to a link").symlink_to("relative")
    for launcher in (
        checkout / "smeldr-cli",
        "./absolute",
        "./relative",
        "./link to a link",
        "../a checkout/smeldr-cli",
    ):
        assert "ours[x]" == run(launcher, elsewhere, "x").stdout, launcher
    assert "ours[x]" == run(elsewhere / "relative", tmp_path, "x").stdout


def test_without_an_environment_it_runs_the_one_on_path_and_never_itself(checkout: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin" / "smeldr-cli", "installed")
    path = f"{checkout}:{tmp_path / 'nonesuch'}:{tmp_path / 'bin'}:/usr/bin:/bin"
    done = run("./smeldr-cli", checkout, "a b", path=path)
    assert (7, "installed[a b]") == (done.returncode, done.stdout)


def test_without_any_it_says_what_to_do(checkout: Path) -> None:
    done = run("./smeldr-cli", checkout, path=f"{checkout}:/usr/bin:/bin")
    assert (1, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("smeldr-cli: not_installed: ")
    assert "make install" in done.stderr
    assert 1 == done.stderr.count("\n")


def test_standard_input_reaches_it(checkout: Path) -> None:
    (checkout / ".venv/bin").mkdir(parents=True)
    (checkout / ".venv/bin/smeldr-cli").symlink_to("/bin/cat")
    done = subprocess.run(
        ["./smeldr-cli"], cwd=checkout, input=b"\xff\r\n", capture_output=True, check=True, timeout=30
    )
    assert b"\xff\r\n" == done.stdout


def test_both_launchers_are_there_and_the_one_for_sh_can_be_run() -> None:
    assert (ROOT / "smeldr-cli").stat().st_mode & stat.S_IXUSR
    assert b"\r" not in (ROOT / "smeldr-cli").read_bytes()
    assert (ROOT / "smeldr-cli.ps1").read_bytes().isascii()  # Windows PowerShell would read it in the local code page


@pytest.mark.skipif(shutil.which("pwsh") is None, reason="there is no PowerShell here")
def test_powershell_runs_the_environment_beside_it(checkout: Path) -> None:
    shutil.copy(ROOT / "smeldr-cli.ps1", checkout)
    program(checkout / ".venv/bin/smeldr-cli", "ours")
    done = subprocess.run(
        [
            "pwsh",
            "-NoProfile",
            "-Command",
            './smeldr-cli.ps1 decision retire D4 --reason "two  words"; exit $LASTEXITCODE',
        ],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (7, "ours[decision][retire][D4][--reason][two  words]") == (done.returncode, done.stdout)
