import pytest

from analysis.errors import UserError
from collectors import address

INSIDE = ["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.9", "169.254.7.7", "100.64.0.1",
          "0.0.0.0", "::1", "::", "fe80::1%eth0", "fd12::1", "::ffff:10.0.0.1", "64:ff9b::a00:1",
          "2002:a00:1::", "224.0.0.1"]  # fmt: skip
NEVER = ["169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fd00:ec2::254",
         "100.100.100.200", "168.63.129.16"]  # fmt: skip


@pytest.fixture(autouse=True)
def _as_a_command(monkeypatch):
    monkeypatch.delenv(address.PRIVATE, raising=False)
    monkeypatch.setattr(address, "_open", False)


@pytest.mark.parametrize("ip", INSIDE)
def test_a_private_address_is_for_commands_and_local_apps(ip, monkeypatch):
    address.refuse_address(ip, "x")
    address.set_open(True)
    with pytest.raises(UserError, match="an address inside the network"):
        address.refuse_address(ip, "x")
    monkeypatch.setenv(address.PRIVATE, "1")
    address.refuse_address(ip, "x")


def test_a_command_may_be_kept_outside_too(monkeypatch):
    monkeypatch.setenv(address.PRIVATE, "0")
    with pytest.raises(UserError, match="an address inside the network"):
        address.refuse_address("127.0.0.1", "x")
    address.refuse_address("8.8.8.8", "x")
    monkeypatch.setenv(address.PRIVATE, "yes")
    with pytest.raises(UserError, match="0 or 1"):
        address.refuse_address("10.0.0.1", "x")


@pytest.mark.parametrize("ip", NEVER)
def test_a_metadata_service_is_never_asked(ip, monkeypatch):
    monkeypatch.setenv(address.PRIVATE, "1")
    with pytest.raises(UserError, match="a cloud's metadata service"):
        address.refuse_address(ip, "x")


@pytest.mark.parametrize("host", ["169.254.169.254", "2852039166", "0xa9fea9fe"])
def test_however_its_address_is_spelt(host):
    with pytest.raises(UserError, match="a cloud's metadata service"):
        address.refuse_forbidden(f"http://{host}/latest", "x")


def test_a_name_is_judged_by_every_address_that_it_has(monkeypatch):
    found = [(0, 0, 0, "", (ip, 0)) for ip in ("8.8.8.8", "169.254.169.254")]
    monkeypatch.setattr(address.socket, "getaddrinfo", lambda *_a, **_n: found)
    with pytest.raises(UserError, match="a cloud's metadata service"):
        address.refuse_forbidden("http://metadata.example", "x")
