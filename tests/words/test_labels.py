"""Every id that a user can meet has one label."""

from analysis.flags import FLAGS
from analysis.stages import GROUPS, STAGES
from words import labels


def test_every_stage_and_group_has_its_own_label():
    assert set(labels.STAGE_LABELS) == set(labels.STAGE_PHRASES) == set(STAGES)
    assert len(set(labels.STAGE_LABELS.values())) == len(STAGES)
    assert set(labels.GROUP_LABELS) == {*GROUPS, "harness"}


def test_every_flag_says_what_it_means_and_does():
    for table in (labels.FLAG_LABELS, labels.FLAG_MEANINGS, labels.FLAG_EFFECTS):
        assert set(table) == set(FLAGS)
    assert all(text.endswith(".") for text in labels.FLAG_MEANINGS.values())
    assert all(text.endswith(".") for text in labels.FLAG_EFFECTS.values())


def test_the_names_of_the_specification_are_kept():
    assert labels.stage("request_queue") == "Request queue"
    assert labels.stage("autoscale_cold_start") == "Cold start"
    assert labels.stage("retries_backoff") == "Retries and backoff"
    assert labels.band("tail") == "Slowest 10\u202f%"


def test_a_users_own_stage_is_spelled_from_its_id():
    assert labels.stage("my_cache") == "My cache"
    assert labels.stage_phrase("my_cache") == "my cache"
    assert labels.file_format("new_format") == "New format"
