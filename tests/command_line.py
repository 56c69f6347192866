"""The command called in this process: `run(database, "requests", "--json")`."""

import json
from dataclasses import dataclass

from click.testing import CliRunner

import cli


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self):
        def refuse(constant):
            raise AssertionError(f"{constant} is no JSON")

        return json.loads(self.out, parse_constant=refuse)


def run(database, *arguments, stdin=None, **environment):
    place = ["--db", str(database)] if database else []
    done = CliRunner().invoke(
        cli.main,
        [*place, *map(str, arguments)],
        input=stdin,
        env={"SLOWPATH_RULES": "", **environment},
    )
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception  # a traceback in front of a user is a bug
    return Done(done.exit_code, done.stdout, done.stderr)


def answer(database, *arguments, **environment):
    """The JSON answer of a command that succeeds without a word on stderr."""
    done = run(database, *arguments, "--json", **environment)
    assert (done.code, done.err) == (0, ""), done.err
    return done.json
