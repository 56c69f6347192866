import base64

import pytest

from analysis.errors import UserError
from collectors import address
from collectors.credentials import header_of, revealed


@pytest.fixture(autouse=True)
def _as_a_command(monkeypatch):
    monkeypatch.setattr(address, "_open", False)


def test_a_secret_is_itself_a_variable_or_a_file(monkeypatch, tmp_path):
    monkeypatch.setenv("KEY", " from-env ")
    (tmp_path / "key").write_text("from-file\n")
    assert revealed("plain") == "plain"
    assert revealed("env:KEY") == "from-env"
    assert revealed(f"file:{tmp_path / 'key'}") == "from-file"


def test_a_token_is_sent_as_bearer_basic_or_under_a_name():
    assert header_of("") == {}
    assert header_of("t") == {"Authorization": "Bearer t"}
    assert header_of("t", header="x-api-key") == {"x-api-key": "t"}
    basic = header_of("secret", user="me")["Authorization"].removeprefix("Basic ")
    assert base64.b64decode(basic) == b"me:secret"
    with pytest.raises(UserError, match="the name of a header"):
        header_of("t", header="a: b\r\n")


def test_a_reference_that_leads_nowhere_names_itself_and_no_value(monkeypatch, tmp_path):
    with pytest.raises(UserError, match="env:ABSENT: expected a secret, found none there"):
        revealed("env:ABSENT")
    with pytest.raises(UserError, match="none that can be read"):
        revealed(f"file:{tmp_path / 'absent'}")
    monkeypatch.setenv("TWO", "hush\nhush")
    with pytest.raises(UserError, match="a secret of one line") as error:
        revealed("env:TWO")
    assert "hush" not in str(error.value)


def test_an_app_that_serves_others_reads_only_what_is_meant_for_it(monkeypatch, tmp_path):
    monkeypatch.setattr(address, "_open", True)
    for name in ("KEY", "SLOWPATH_SECRET_KEY"):
        monkeypatch.setenv(name, "k")
    (tmp_path / "inside").mkdir()
    for file in (tmp_path / "outside", tmp_path / "inside" / "key"):
        file.write_text("f")
    assert revealed("env:SLOWPATH_SECRET_KEY") == "k"
    with pytest.raises(UserError, match="a variable that begins with"):
        revealed("env:KEY")
    monkeypatch.setenv("SLOWPATH_SECRETS", str(tmp_path / "inside"))
    assert revealed(f"file:{tmp_path}/inside/key") == "f"
    with pytest.raises(UserError, match="a file in the folder"):
        revealed(f"file:{tmp_path}/inside/../outside")
