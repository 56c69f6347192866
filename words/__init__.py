"""Every word a user reads: gettext, number formats, labels and sentences."""

import gettext
import os
from pathlib import Path

_DOMAIN = "slowpath"
_LOCALE = Path(__file__).resolve().parent / "locale"


def catalogue(language: str | None = None) -> gettext.NullTranslations:
    """The messages of one language; English (the text in the code) where there is no catalogue."""
    languages = [language] if language else None
    return gettext.translation(_DOMAIN, _LOCALE, languages=languages, fallback=True)


_current = catalogue(os.environ.get("SLOWPATH_LANGUAGE"))
_ = _current.gettext
ngettext = _current.ngettext
