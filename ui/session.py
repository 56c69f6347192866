"""The one open store of the process, and answers kept until the store changes."""

from __future__ import annotations

import threading
from pathlib import Path

import streamlit as st

from data.store import Store
from services import imports, opening
from services.jobs import Jobs
from services.receiver import Receiver
from services.retention import Sweeper

_lock = threading.RLock()
_store: Store | None = None
_jobs = Jobs()
_receiver: Receiver | None = None
_sweeper: Sweeper | None = None


def database() -> Path:
    """The file of the store."""
    return opening.database_path()


def store() -> Store:
    """The open store; opened at the first call where no server did it before."""
    global _store  # noqa: PLW0603  # one process holds one store
    with _lock:
        if _store is None:
            _store = opening.open_store(database())
        return _store


def jobs() -> Jobs:
    """The background work of the process."""
    return _jobs


def receiver() -> Receiver | None:
    """What takes in spans that exporters send; None where no server is running."""
    return _receiver


def open_at_start() -> None:
    """Open the store, give an empty one the sample, and take in what exporters send."""
    if not len(store().query("imports")):
        load_sample()
    receive(database().with_name(database().name + ".received"))
    sweep()


def receive(folder: Path) -> Receiver:
    """Take in from now on what exporters send, by way of a journal in this folder."""
    global _receiver  # noqa: PLW0603  # one process holds one store
    _receiver = Receiver(store, folder)
    _receiver.start()
    return _receiver


def sweeper() -> Sweeper | None:
    """What removes data beyond the limits; None where no server is running."""
    return _sweeper


def sweep() -> None:
    """Remove from now on what is beyond the limits of the environment."""
    global _sweeper  # noqa: PLW0603  # one process holds one store
    _sweeper = Sweeper(store)
    _sweeper.start()


def load_sample() -> None:
    """Import the sample data set, marked as such."""
    sample = imports.Source(opening.SAMPLE.name, opening.SAMPLE)
    imports.import_files(store(), [sample], sample=True)


def close() -> None:
    """Store what was received, and close the store."""
    global _store, _receiver, _sweeper  # noqa: PLW0603  # one process holds one store
    sweeping, _sweeper = _sweeper, None
    if sweeping is not None:
        sweeping.stop()
    held, _receiver = _receiver, None
    if held is not None:
        held.stop()
    with _lock:
        if _store is not None:
            _store.close()
            _store = None
        st.cache_data.clear()
