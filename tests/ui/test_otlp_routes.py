"""OTLP/HTTP to the letter: who may send, what is answered, and when to try again."""

import asyncio
import gzip
import json

import pytest
from builders import spans
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from otlp_bodies import protobuf
from starlette.applications import Starlette
from stores_of_files import empty_store, otlp_document

from collectors import JSON, PROTOBUF
from services import receiver as receiving
from services.receiver import Receiver
from ui import login, otlp

DOCUMENT = otlp_document(spans("r . api server 0 100 chat"))
BODY = protobuf(DOCUMENT)


@pytest.fixture(autouse=True)
def receiver(tmp_path, monkeypatch):
    monkeypatch.delenv(otlp.TOKEN, raising=False)
    monkeypatch.delenv(login.PASSWORD, raising=False)
    store = empty_store()
    held = Receiver(lambda: store, tmp_path)
    monkeypatch.setattr(otlp.session, "receiver", lambda: held)
    return held


def post(body=BODY, kind=PROTOBUF, path="/v1/traces", server="127.0.0.1", method="POST", **more):
    """(status, headers, body) of the answer."""
    headers = {"content-type": kind, **{k.replace("_", "-"): v for k, v in more.items()}}
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": b"", "server": (server, 8501), "scheme": "http",
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }  # fmt: skip
    incoming = [{"type": "http.request", "body": body, "more_body": False}]
    sent = []

    async def receive():
        return incoming.pop(0) if incoming else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    asyncio.run(Starlette(routes=otlp.ROUTES)(scope, receive, send))
    answered = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
    return sent[0]["status"], answered, b"".join(part.get("body", b"") for part in sent[1:])


def message(answer):
    return Status.FromString(answer[2]).message


def test_protobuf_is_answered_in_protobuf():
    status, headers, body = post()
    assert (status, headers["content-type"]) == (200, PROTOBUF)
    assert not ExportTraceServiceResponse.FromString(body).HasField("partial_success")


def test_json_is_answered_in_json():
    kind = "application/json; charset=utf-8"
    status, headers, body = post(json.dumps(DOCUMENT).encode(), kind)
    assert (status, headers["content-type"], json.loads(body)) == (200, JSON, {})


def test_what_was_left_out_is_a_partial_success():
    document = otlp_document(spans("r . api server 0 100 chat", "c r api client 1 9 call"))
    document["resourceSpans"][1]["scopeSpans"][0]["spans"][0]["traceId"] = ""
    status, _headers, body = post(protobuf(document))
    told = ExportTraceServiceResponse.FromString(body).partial_success
    assert (status, told.rejected_spans) == (200, 1)
    assert "traceId" in told.error_message
    part = json.loads(post(json.dumps(document).encode(), JSON)[2])["partialSuccess"]
    assert part["rejectedSpans"] == "1"


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_encodings_are_unpacked(encoding, receiver):
    body = gzip.compress(BODY) if encoding == "gzip" else BODY
    assert post(body, content_encoding=encoding)[0] == 200
    assert receiver.status().accepted == 1


@pytest.mark.parametrize(
    ("status", "options"),
    [
        (400, {"body": b"\xff\xff"}),
        (400, {"body": BODY, "content_encoding": "gzip"}),
        (400, {"body": BODY, "content_encoding": "br"}),
        (415, {"kind": "text/plain"}),
        (405, {"method": "GET"}),
        (404, {"path": "/v1/logs"}),
    ],
)
def test_a_wrong_request_is_refused_for_good(status, options, receiver):
    answer = post(**options)
    assert answer[0] == status
    assert "retry-after" not in answer[1]
    assert receiver.status().accepted == 0


def test_an_error_is_a_status_message_in_the_encoding_of_the_request():
    assert "ExportTraceServiceRequest" in message(post(b"\xff\xff"))
    assert json.loads(post(b"{", JSON)[2])["code"] == 3


def test_a_body_that_is_too_large_is_refused_packed_or_not(monkeypatch):
    monkeypatch.setattr(otlp, "MAX_BODY", len(BODY) - 1)
    assert post()[0] == 413
    monkeypatch.setattr("collectors.receiving.unpacked.__defaults__", (1000,))
    assert post(gzip.compress(bytes(100_000)), content_encoding="gzip")[0] == 413


def test_too_much_waiting_asks_to_try_again(monkeypatch):
    monkeypatch.setattr(receiving, "MAX_HELD", -1)
    status, headers, _body = post()
    assert (status, headers["retry-after"]) == (429, "5")


def test_a_full_disk_asks_to_try_again(monkeypatch, receiver):
    def full(_table):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(receiver._journal, "write", full)
    answer = post()
    assert (answer[0], answer[1]["retry-after"]) == (503, "30")
    assert "No space left" in message(answer)


def test_many_bodies_at_once_are_not_held_in_memory(monkeypatch):
    monkeypatch.setattr(otlp, "MAX_IN_FLIGHT", 10)
    assert post()[0] == 429
    monkeypatch.setattr(otlp, "MAX_IN_FLIGHT", 10_000)
    assert post()[0] == 200


def test_a_token_is_needed_where_one_is_set(monkeypatch):
    monkeypatch.setenv(otlp.TOKEN, "s3cret")
    answer = post()
    assert (answer[0], answer[1]["www-authenticate"]) == (401, "Bearer")
    assert post(authorization="Bearer wrong")[0] == 401
    assert post(authorization="Bearer s3cret")[0] == 200
    assert post(authorization="Bearer s3cret", server="192.0.2.7")[0] == 200


def test_beyond_this_machine_or_beside_a_password_nobody_sends_without_a_token(monkeypatch):
    assert otlp.TOKEN in message(post(server="192.0.2.7"))
    monkeypatch.setenv(login.PASSWORD, "p")
    assert post()[0] == 401
