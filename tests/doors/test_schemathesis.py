"""Drawn calls of every route keep to the OpenAPI document: no fault, no undescribed answer, nothing odd taken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.callers import Caller

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "ignored_auth",
]
EXAMPLES = 4
"""Drawn calls a route and kind of data; more are drawn by hand, with the same command."""


def test_drawn_calls_keep_to_the_document(url: str, owner: Caller, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json"]
    options = ["--checks", ",".join(CHECKS), "--phases", "fuzzing", "--max-examples", str(EXAMPLES), "--seed", "1"]

    ran = subprocess.run(
        [*command, *options, "--header", f"Authorization: Bearer {owner.token}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert 0 == ran.returncode, ran.stdout[-8_000:]
