"""See what Smeldr is for, in a minute: `make demo`, or `python examples/demo.py [--register FILE.jsonl]`.

Opens a register in a scratch folder, loads real decisions into it, starts the real server, and then acts a short story
as an agent over MCP and as a person at the command line. Every call and every answer is shown and checked, and the exit
code is 0 only when each answer was the promised one. The folder and the server are gone afterwards.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import corpora
import own_decisions
from registers.writing import write_to
from walkthrough.callers import Agent, Person, connected_agent
from walkthrough.server import CannotRun, import_file, new_register, running_server
from walkthrough.stage import Stage, StepFailed
from walkthrough.story import Company, tell
from walkthrough.trimming import counted

_ETHEREUM: Final = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "eips.tsv.gz"


def main(arguments: list[str] | None = None) -> int:
    """Act the story; 0 when every step gave what it says."""
    parser = argparse.ArgumentParser(description="See what Smeldr is for, in a minute.")
    parser.add_argument("--register", type=Path, metavar="FILE", help="what to load (docs/import-format.md)")
    parser.add_argument("--keep-running", action="store_true", help="leave the server running until Ctrl-C")
    options = parser.parse_args(arguments)
    stage = Stage()
    try:
        with _stopped_in_order(), ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="smeldr-demo-")))
            register = options.register.resolve() if options.register else _default_register(folder)
            if not register.is_file():
                raise CannotRun(f"there is no file {register}")
            owner = _act(stage, stack, folder, register)
            stage.summary()
            if options.keep_running:
                _wait(stage, owner)
    except KeyboardInterrupt:
        print("\ndemo: stopped; the server and the scratch folder are gone", file=sys.stderr)
        return 130
    except StepFailed as failed:
        print(f"\ndemo: a step did not give what it says: {failed}", file=sys.stderr)
        return 1
    except (CannotRun, OSError, ValueError) as error:
        print(f"\ndemo: {error}", file=sys.stderr)
        return 1
    return 0


def _act(stage: Stage, stack: ExitStack, folder: Path, register: Path) -> Person:
    """Set up, act, and leave the server running until the stack unwinds."""
    stage.chapter(
        "A register of decisions that somebody really made",
        f"A register in a scratch folder, its owner, and the decisions of {register.name}.",
    )
    stage.call("person", "smeldr init --owner Owner")
    token = new_register(folder)["token"]
    stage.answer(["a new register, and the owner's token (shown once, not here)"])
    stage.call("person", f"smeldr import {register.name}")
    import_file(folder, register)
    stage.call("person", "smeldr serve")
    url = stack.enter_context(running_server(folder))
    stage.answer([f"serving on {url}"])
    person = Person(stage, url, token, folder)
    agent_token = _agent_token(stage, person)
    agent = stack.enter_context(connected_agent(stage, url, agent_token))
    agent.call("whoami", members=("principal", "name", "class", "grants", "right", "place"))
    places = agent.call("list_places", members=("address", "name", "parent", "counts", "total"))
    stage.holds("the agent reads the whole register", places["count"] > 0)
    _what_is_open(stage, agent)
    tell(Company(stage, agent, person))
    return person


def _what_is_open(stage: Stage, agent: Agent) -> None:
    """Say what the rules found in the file, if they found anything."""
    found = agent.quietly("list_signals", {"limit": 1})["total"]
    if found:
        stage.say(
            f"The rules look at what was loaded: {counted(found, 'condition')} open from the start. So many times, "
            "something in force here rests on what no longer is, or contradicts something."
        )


def _agent_token(stage: Stage, person: Person) -> str:
    """Let the owner make an agent its own token, with the right to write and no other."""
    stage.say("The owner gives an agent a token of its own, and one right: to write. Writing is not deciding.")
    agent = person.ask("principal", "create", "Agent", "--class", "agent")
    person.ask("grant", "give", agent["id"], "author", "ROOT", members=("right", "place", "created"))
    token: str = person.ask("token", "create", agent["id"])["token"]
    return token


def _default_register(folder: Path) -> Path:
    """The Ethereum register where it is at hand, or else the decisions of this project itself."""
    if _ETHEREUM.is_file():
        return _written(corpora.converted("eips", _ETHEREUM).records, folder / "eips.jsonl")
    return _written(own_decisions.converted(), folder / "own-decisions.jsonl")


def _written(records: list[dict[str, Any]], file: Path) -> Path:
    write_to(records, file)
    return file


def _wait(stage: Stage, owner: Person) -> None:
    stage.say("The server keeps running. Ctrl-C stops it and removes the register. To call it as its owner:")
    stage.answer([f"export SMELDR_URL={owner.url} SMELDR_TOKEN={owner.token}", "./smeldr-cli signal list"])
    stage.say(f"For an agent: {owner.url}/mcp, with a token of its own in the header Authorization: Bearer …")
    while True:
        signal.pause() if hasattr(signal, "pause") else sys.stdin.read()


@contextmanager
def _stopped_in_order() -> Iterator[None]:
    """Treat a request to end as Ctrl-C: what was started is stopped, what was made is removed."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    asked = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, stop) for number in asked}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main())
