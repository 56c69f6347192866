"""Programs of others that tests talk to; a test skips, saying so, where one is absent."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
import requests

ROOT = Path(__file__).resolve().parent.parent
FETCHED = ROOT / ".programs"
WAIT_S = 120


def program(name):
    """A program's path: one that `make programs` fetched, else one on the PATH."""
    fetched = FETCHED / name
    where = str(fetched) if fetched.exists() else shutil.which(name)
    if where is None:
        pytest.skip(f"{name} is not on this machine (`make programs` fetches what it can)")
    return where


class Running:
    """A program that serves; it is ready once `ready` answers with success."""

    def __init__(self, command, ready, log, **environment):
        self.log = log
        self.process = subprocess.Popen(
            command, stdout=log.open("wb"), stderr=subprocess.STDOUT, env=environment or None
        )
        self.wait(lambda: requests.get(ready, timeout=2).ok)

    def wait(self, true):
        """Wait until `true()`; fail with the program's log where it never is."""
        began = time.monotonic()
        while time.monotonic() - began < WAIT_S and self.process.poll() is None:
            try:
                if true():
                    return
            except requests.RequestException:
                pass
            time.sleep(0.2)
        self.stop()
        pytest.fail(f"it did not come up:\n{self.log.read_text()[-2000:]}")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
