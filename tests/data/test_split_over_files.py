"""The same spans end in the same state, however they came to be spread over files."""

from emitted import emitted_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import bring, contents

from analysis.spans import SpanBatch
from data.rules_file import default_rules
from data.store import Store

RULES = default_rules()


def state(*files, delete=None):
    """What a store holds after these imports; which imports a request came from is left out."""
    store = Store(":memory:", RULES)
    numbers = [bring(store, f"file {n}", SpanBatch.from_rows(f))[0] for n, f in enumerate(files)]
    if delete is not None:
        store.delete(numbers[delete])
    found = contents(store)
    store.close()
    return found | {"requests": [row.rsplit("[", 1)[0] for row in found["requests"]]}


@settings(max_examples=8, deadline=None)
@given(emitted_rows(), st.data())
def test_records_split_at_random_over_two_files_in_either_order_end_as_one_file(records, data):
    first = data.draw(st.lists(st.booleans(), min_size=len(records), max_size=len(records)))
    halves = [
        [r for r, here in zip(records, first, strict=True) if here is side]
        for side in (True, False)
    ]
    halves = [half for half in halves if half]
    whole = state(records)
    assert state(*halves) == whole
    assert state(*halves[::-1]) == whole


@settings(max_examples=5, deadline=None)
@given(emitted_rows(), st.data())
def test_records_that_several_files_hold_count_once_and_leave_with_the_last_of_them(records, data):
    again = data.draw(st.lists(st.sampled_from(records), max_size=6))
    assert state(records, again or records[:1]) == state(records)
    assert state(again or records[:1], records, delete=0) == state(records)
