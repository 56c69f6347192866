"""A running app and a real browser; skipped, saying so, where there is no Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

ROOT = Path(__file__).resolve().parent.parent
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic",
)  # fmt: skip
SLOWPATH = (sys.executable, "-c", "from cli import main; main()")
WAIT_MS = 60_000


def chromium():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class App:
    """One `slowpath serve` with a database of its own."""

    def __init__(self, folder, *options, **environment):
        self.port, self.database = free_port(), folder / "app.duckdb"
        self.url = f"http://localhost:{self.port}"
        self.log = folder / "serve.log"
        command = [*SLOWPATH, "--db", str(self.database), "serve"]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), *options],
            cwd=ROOT,
            stdout=self.log.open("wb"),
            stderr=subprocess.STDOUT,
            env={**os.environ, "SLOWPATH_RULES": "", **environment},
        )
        self._wait()

    def _wait(self):
        for _attempt in range(600):
            if self.process.poll() is not None:
                break
            try:
                if requests.get(f"{self.url}/healthz", timeout=1).ok:
                    return
            except requests.RequestException:
                pass
            time.sleep(0.1)
        pytest.fail(f"the app did not start:\n{self.log.read_text()[-3000:]}")

    def run(self, *arguments):
        """A command beside the app, on the same database."""
        command = [*SLOWPATH, "--db", str(self.database), *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    running = App(tmp_path_factory.mktemp("app"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser():
    """Chromium for one module: while Playwright runs, no test can start an event loop itself."""
    where = chromium()
    if where is None:
        pytest.skip("there is no chromium on this machine")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=where, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, timezone_id="Europe/Berlin", locale="en-GB"
    )
    opened = context.new_page()
    opened.set_default_timeout(WAIT_MS)
    yield opened
    context.close()


STILL = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  if (!app || app.dataset.testScriptState !== 'notRunning') { delete window.still; return false; }
  window.still ??= performance.now();
  return performance.now() - window.still > 400;
}"""


def settled(page):
    """Wait until the page's script has run to its end and no other run has followed it."""
    page.evaluate("() => { delete window.still; }")
    page.wait_for_function(STILL)


def press(locator, **options):
    """Click once the page is still: a click on what is about to be drawn anew goes nowhere."""
    settled(locator.page)
    locator.click(**options)
