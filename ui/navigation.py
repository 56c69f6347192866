"""The script behind every page: title, mark, navigation, the chosen page."""

from pathlib import Path

import streamlit as st

from ui import address, live
from ui.page_list import sections

_STATIC = Path(__file__).resolve().parent / "static"

st.set_page_config(page_title="slowpath", page_icon=str(_STATIC / "favicon.svg"), layout="wide")
st.logo(str(_STATIC / "wordmark.svg"), size="medium")
page = st.navigation(sections(), position="top")
address.arrive()
live.line()
page.run()
live.drawn()
