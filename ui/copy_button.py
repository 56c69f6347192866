"""A button that puts text, or the page's address, on the reader's clipboard."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from words import _

_BUTTON = st.components.v2.component(
    "slowpath_copy",
    html="<button type='button'></button>",
    css="""button { font: inherit; font-size: 0.875rem; color: inherit; background: none;
      border: 0; padding: 0.3rem 0; width: 100%; white-space: nowrap;
      text-align: left; cursor: pointer; }
      button:hover, button:focus-visible { text-decoration: underline; }""",
    js="""export default function(component) {
      const { data, parentElement } = component;
      const button = parentElement.querySelector('button');
      button.textContent = data.label;
      button.onclick = async () => {
        const text = data.text ?? new URL(data.query, window.location.href).href;
        try { await navigator.clipboard.writeText(text); }
        catch {
          const area = document.createElement('textarea');
          area.value = text; document.body.append(area); area.select();
          document.execCommand('copy'); area.remove();
        }
        button.textContent = data.done;
        setTimeout(() => { button.textContent = data.label; }, 2000);
      };
    }""",
)


def text(
    label: str, content: str, key: str, width: Literal["stretch", "content"] = "stretch"
) -> None:
    """A button that copies the content."""
    _draw({"label": label, "text": content}, key, width)


def link(label: str, query: str, key: str) -> None:
    """A button that copies this page's address with another query."""
    _draw({"label": label, "query": query}, key, "stretch")


def _draw(data: dict[str, str], key: str, width: Literal["stretch", "content"]) -> None:
    _BUTTON(data={**data, "done": _("Copied")}, key=key, width=width, height="content")
