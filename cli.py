"""The slowpath command: parse, call, print."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from analysis.errors import UserError
from reports import commands as report_commands
from reports import metered_text, rules_text, text, tree
from reports import output as report_output
from services import commands, inputs, opening, pull
from services.place import Place
from services.progress import Step
from words import _, retention_words

HERE = Path(__file__).resolve().parent


class Group(click.Group):
    """A group whose commands say a user's fault in one line and end with 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        ctx.info_name = "slowpath"
        try:
            return super().invoke(ctx)
        except UserError as error:
            fail(str(error))
        except BrokenPipeError:
            sys.stderr.close()
            ctx.exit(0)


def fail(message: str) -> NoReturn:
    """End with one line on stderr and exit code 1."""
    click.echo(f"slowpath: {message}", err=True)
    raise SystemExit(1)


def emit(answer: Any, as_json: bool, human: Callable[[Any], str]) -> None:
    """Print an answer for a machine or for a person."""
    shown = json.dumps(answer, indent=1, ensure_ascii=False) if as_json else human(answer)
    if shown:
        click.echo(shown)


json_option = click.option("--json", "as_json", is_flag=True, help=_("for machines"))


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which requests are meant."""
    many = {"multiple": True}
    for option in reversed(
        (
            click.option("--data-set", **many, type=int, help=_("number of a data set")),
            click.option("--since", help=_("ISO time or ns")),
            click.option("--until", help=_("ISO time or ns, not included")),
            *(click.option(f"--{n}", **many) for n in ("service", "route", "model", "version")),
            click.option("--status", **many, type=click.Choice(["ok", "error"])),
            click.option("--where", help=_("an expression, e.g. request_queue_ms > 200")),
        )
    ):
        command = option(command)
    return command


def objective_options(*objectives: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--objective` and `--slo-ms`."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        choice = click.Choice(list(objectives))
        slo = click.option("--slo-ms", type=float, help=_("the objective's SLO"))
        return click.option("--objective", type=choice, default="e2e")(slo(command))

    return add


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--db", help=_("the database file; else SLOWPATH_DB, else one in your data folder"))
@click.option("--offline", is_flag=True, help=_("never ask a running app"))
@click.version_option(package_name="slowpath", prog_name="slowpath")
@click.pass_context
def main(ctx: click.Context, db: str | None, offline: bool) -> None:
    """Show where an LLM request's time goes, and what to fix first."""
    table = {**commands.COMMANDS, **report_commands.COMMANDS}
    ctx.obj = Place(opening.database_path(db), offline, table)


@main.command()
@click.option("--host", default="localhost", show_default=True)
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True)
@click.option("--max-upload-mb", type=click.IntRange(1), default=200, show_default=True)
@click.pass_obj
def serve(place: Place, host: str, port: int, max_upload_mb: int) -> None:
    """Start the app: pages and routes in one process."""
    from ui import guard  # noqa: PLC0415  # the other commands start without the app's libraries

    guard.refuse_open_door(host)
    place.refuse_busy(host, port)
    shown = "localhost" if guard.is_local(host) else host
    click.echo(_("slowpath: http://{host}:{port}").format(host=shown, port=port))
    click.echo(_("  database {path} · Ctrl+C stops").format(path=place.database), err=True)
    options = {"server.address": host, "server.port": port, "server.headless": "true",
               "server.maxUploadSize": max_upload_mb, "browser.gatherUsageStats": "false",
               "server.showEmailPrompt": "false", "server.fileWatcherType": "none"}  # fmt: skip
    flags = [f"--{name}={value}" for name, value in options.items()]
    paths = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "SLOWPATH_DB": str(place.database), "PYTHONPATH": paths}
    command = [sys.executable, "-m", "ui.launch", "run", str(HERE / "app.py"), *flags]
    sys.stdout.flush()
    os.execve(sys.executable, command, environment)  # noqa: S606  # our own interpreter


@main.command(name="import")
@click.argument("paths", nargs=-1, required=True)
@click.option("--keep-content", is_flag=True, help=_("store prompts and answers too"))
@json_option
@click.pass_obj
def import_(place: Place, paths: tuple[str, ...], keep_content: bool, as_json: bool) -> None:
    """Import files and folders; `-` reads standard input."""
    with inputs.inputs(paths, sys.stdin.buffer) as files:
        answer = place.import_files(files, _show_progress, keep_content)
    emit(answer, as_json, text.import_summary)
    for error in (errors := [row["error"] for row in answer["files"] if row["error"]]):
        click.echo(f"slowpath: {error}", err=True)
    if errors:
        raise SystemExit(1)


def _show_progress(step: Step) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{text.progress_line(step)}\x1b[K", err=True, nl=False)
        if step.phase != "read" and step.done >= step.total:
            click.echo("\r\x1b[K", err=True, nl=False)


@main.command()
@click.argument("source")
@click.option("--service", multiple=True, help=_("only these services"))
@click.option("--since", help=_("ISO time, ns or last (goes on); an hour ago where absent"))
@click.option("--until", help=_("ISO time or ns; now where absent"))
@click.option("--limit", type=int, help=_("traces in one answer, at most"))
@click.option("--token", help=_("token or password; env:NAME or file:/path keeps it unseen"))
@click.option("--project", help=_("the project, or the table (ClickHouse)"))
@click.option("--user", help=_("user, where the token is a password"))
@click.option("--header", help=_("header that carries the token, where it is not Authorization"))
@json_option
@click.pass_obj
def collect(place: Place, as_json: bool, **params: Any) -> None:
    """Pull once from a service that keeps traces or metrics; its address says which kind."""
    emit(place.answer("collect", pull.revealed(params)), as_json, text.import_summary)


@main.command()
@click.option("--slowest", type=int, help=_("only the slowest N"))
@scope_options
@json_option
@click.pass_obj
def requests(place: Place, as_json: bool, **params: Any) -> None:
    """List requests, newest first."""
    emit(place.answer("requests", params), as_json, text.request_table)


@main.command()
@click.argument("trace")
@click.option("--raw", is_flag=True, help=_("times as exported, no clock corrected"))
@json_option
@click.pass_obj
def show(place: Place, trace: str, raw: bool, as_json: bool) -> None:
    """Show one request: TRACE or TRACE/ROOT."""
    emit(place.answer("show", {"trace": trace, "raw": raw}), as_json, tree.request_tree)


@main.command()
@objective_options("e2e", "ttft")
@click.option("--band", type=click.Choice(["all", "p50", "p95", "p99", "tail", "slo"]))
@click.option("--by", type=click.Choice(["hour", "minute", "model", "service", "version", "route"]))
@click.option(
    "--aggregate",
    type=click.Choice(["path", "shared"]),
    default="path",
    help=_("path: what was waited for; shared: all at work alike"),
)
@scope_options
@json_option
@click.pass_obj
def breakdown(place: Place, as_json: bool, **params: Any) -> None:
    """Where the time goes, stage by stage."""
    emit(place.answer("breakdown", params), as_json, metered_text.breakdown_text)


@main.command()
@objective_options("e2e", "ttft", "tpot")
@click.option("--percentile", type=click.Choice(["50", "95", "99"]), default="95")
@click.option("--assume", multiple=True, metavar="ID=VALUE", help=_("overrule an assumption"))
@scope_options
@json_option
@click.pass_obj
def rank(place: Place, as_json: bool, assume: tuple[str, ...], **params: Any) -> None:
    """What to fix first, by replaying your requests."""
    params["assume"] = dict(inputs.assumption(given) for given in assume)
    emit(place.answer("rank", params), as_json, text.ranking_table)


@main.command()
@click.argument("name", required=False)
@json_option
@click.pass_obj
def metrics(place: Place, name: str | None, as_json: bool) -> None:
    """What metric batches hold."""
    emit(place.answer("metrics", {"name": name}), as_json, text.metrics_table)


@main.command()
@click.option("--delete", type=int, metavar="NUMBER", help=_("delete this data set"))
@json_option
@click.pass_obj
def datasets(place: Place, delete: int | None, as_json: bool) -> None:
    """List data sets, or delete one."""
    emit(place.answer("datasets", {"delete": delete}), as_json, text.data_sets_table)


@main.command()
@click.option("--days", type=float, help=_("keep this many days; else SLOWPATH_KEEP_DAYS"))
@click.option("--gb", type=float, help=_("keep this many GB; else SLOWPATH_KEEP_GB"))
@click.option("--yes", is_flag=True, help=_("remove; else only say what would go"))
@json_option
@click.pass_obj
def sweep(place: Place, as_json: bool, **params: Any) -> None:
    """Remove the oldest requests, but for pinned ones."""
    emit(place.answer("sweep", params), as_json, retention_words.sweep_answer)


@main.group(invoke_without_command=True)
@click.option("--all", "every", is_flag=True, help=_("built-in rules that took no span too"))
@json_option
@click.pass_context
def rules(ctx: click.Context, every: bool, as_json: bool) -> None:
    """List the stage rules; add or delete your own."""
    if ctx.invoked_subcommand is None:
        answer = ctx.obj.answer("rules", {})
        emit(answer, as_json, lambda found: rules_text.rule_table(found, every))


@rules.command()
@click.option("--name", metavar="PATTERN", help=_("found in the span's name"))
@click.option("--service", metavar="PATTERN", help=_("found in its service"))
@click.option("--attribute", multiple=True, metavar="KEY=PATTERN", help=_("KEY alone: is there"))
@click.option("--stage", required=True, metavar="STAGE", help=_("the stage that owns its time"))
@click.option("--dry-run", is_flag=True, help=_("say what would move, save nothing"))
@json_option
@click.pass_obj
def add(place: Place, as_json: bool, **params: Any) -> None:
    """Give spans a stage, before all built-in rules."""
    emit(place.change("rules_add", params, _show_progress), as_json, rules_text.added)


@rules.command()
@click.argument("rule", metavar="ID")
@json_option
@click.pass_obj
def delete(place: Place, rule: str, as_json: bool) -> None:
    """Delete a rule of your own."""
    answer = place.change("rules_delete", {"id": rule}, _show_progress)
    emit(answer, as_json, rules_text.deleted)


@rules.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@json_option
@click.pass_obj
def unattributed(place: Place, limit: int, as_json: bool) -> None:
    """List span names whose time has no stage."""
    answer = place.answer("rules_unattributed", {"limit": limit})
    emit(answer, as_json, rules_text.name_table)


@main.command()
@click.option("-o", "output", required=True, metavar="FILE")
@objective_options("e2e", "ttft")
@click.option("--percentile", type=click.Choice(["50", "95", "99"]), default="95")
@scope_options
@click.pass_obj
def report(place: Place, output: str, **params: Any) -> None:
    """Write a report: .html, .md, .json or .csv by the ending."""
    kind = report_output.ending(output)
    answer = place.answer("report", {**params, "format": kind})
    report_output.write(output, answer["content"])
    click.echo(_("wrote {path}").format(path=output), err=True)


if __name__ == "__main__":
    main()
