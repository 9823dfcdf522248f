"""Turn a public register of decisions into an import file.

    python examples/corpora.py eips path/to/eips.tsv.gz -o eips.jsonl
    smeldr import eips.jsonl

Reads the tables `rfcs`, `eips`, `peps` and `curie-adrs` (tables.py says how they are laid out) and, for the places, an
archive of headers beside the table where there is one. Standard library only. What becomes what: examples/README.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from registers.mapping import Converted, convert
from registers.sources import SOURCES, places_beside
from registers.tables import read_table
from registers.writing import write, write_to


def converted(register: str, table: Path) -> Converted:
    """The records of that register, from its table."""
    source = SOURCES[register]
    return convert(read_table(table), source, places_beside(table, source))


def main(arguments: list[str] | None = None) -> int:
    """Convert one table; what was left out is counted on stderr."""
    parser = argparse.ArgumentParser(description="Turn a public register of decisions into an import file.")
    parser.add_argument("register", choices=SOURCES, help="which register the table lists")
    parser.add_argument("table", type=Path, help="the table, FILE.tsv.gz")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write (default: standard output)")
    options = parser.parse_args(arguments)
    try:
        result = converted(options.register, options.table)
        if options.output:
            write_to(result.records, options.output)
        else:
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
            write(result.records, sys.stdout)
    except (OSError, EOFError, ValueError) as error:
        print(f"corpora: {error}", file=sys.stderr)
        return 1
    _report(result)
    return 0


def _report(result: Converted) -> None:
    sorts = Counter(record.get("type") or record["relation"] for record in result.records)
    print("written: " + ", ".join(f"{count:,} {sort}" for sort, count in sorts.items()), file=sys.stderr)
    for why, count in sorted(result.left_out.items()):
        print(f"left out: {count:,} {why}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
