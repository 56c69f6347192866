"""The table of what stays unattributed, in the docs, is what the rules of today leave."""

from pathlib import Path

import pytest
from conftest import shared_files

from bench.unattributed import derived, table

DOCS = Path(__file__).resolve().parent.parent / "docs" / "attribution.md"
FOLDERS = ("jaeger", "otlp", "tempo", "zipkin")
MODELS = {
    "jaeger/agntcy_openllmetry_get_inventory.json",
    "jaeger/inference_lab_fastapi.json",
    "otlp/vllm_llm_request_head.jsonl",
}


def test_the_table_in_the_docs_is_what_the_script_prints(shared):
    paths = [path for folder in FOLDERS for path in shared_files(f"real/{folder}/*")]
    assert table(paths) in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(MODELS))
def test_of_files_with_model_calls_at_most_a_twentieth_is_unattributed(shared, name):
    requests = derived(shared / "real" / name).requests.to_pylist()
    total = sum(request["e2e_ns"] for request in requests)
    assert sum(request["unattributed_ns"] for request in requests) <= total / 20
