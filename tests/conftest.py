"""What all tests share: where the optional reference files are."""

import os
from pathlib import Path

import pytest
from browser_app import app, browser, page
from hypothesis import settings
from pages_app import nothing, sample, sample_database

# fixtures: a running app, Chromium, a tab of it; stores for pages in process
__all__ = ["app", "browser", "nothing", "page", "sample", "sample_database"]

# A busy machine is no fault. The same examples every time, so that a change fails for what it
# changed; SLOWPATH_EXPLORE=1 looks for new ones.
EXPLORE = bool(os.environ.get("SLOWPATH_EXPLORE"))
settings.register_profile("slowpath", deadline=None, derandomize=not EXPLORE)
settings.load_profile("slowpath")

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


def shared_files(pattern: str) -> list[Path]:
    """Reference files beside the checkout, [] where they are absent."""
    return sorted(SHARED.glob(pattern))


@pytest.fixture(scope="session")
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the reference files beside the checkout (../shared) are absent")
    return SHARED


@pytest.fixture(scope="session")
def samples() -> Path:
    return ROOT / "data" / "samples"
