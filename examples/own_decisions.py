"""Turn a folder of MADR records into an import file: this project's own ones, unless another folder is named.

    python examples/own_decisions.py -o own.jsonl
    smeldr import own.jsonl

Standard library only. What becomes what: examples/README.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Final

from registers.madr import convert, read_folder
from registers.writing import write, write_to

OWN: Final = Path(__file__).resolve().parent.parent / "docs" / "adr"


def converted(folder: Path = OWN, domain: str = "Smeldr") -> list[dict[str, Any]]:
    """The records of that folder."""
    return convert(read_folder(folder), domain)


def main(arguments: list[str] | None = None) -> int:
    """Convert one folder."""
    parser = argparse.ArgumentParser(description="Turn a folder of MADR records into an import file.")
    parser.add_argument("folder", nargs="?", type=Path, default=OWN, help="the folder (default: docs/adr)")
    parser.add_argument("--domain", default="Smeldr", help="the name of the Domain that they go to")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write (default: standard output)")
    options = parser.parse_args(arguments)
    try:
        records = converted(options.folder, options.domain)
        if options.output:
            write_to(records, options.output)
        else:
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
            write(records, sys.stdout)
    except (OSError, ValueError) as error:
        print(f"own_decisions: {error}", file=sys.stderr)
        return 1
    print(f"written: {len(records):,} records", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
