"""The OTLP receiver's routes: `POST /v1/traces` and `POST /v1/metrics`, as OTLP/HTTP says."""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from typing import Any, Final

from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from analysis.errors import UserError
from services.receiver import JSON, MAX_BODY, PROTOBUF, BusyError, Taken, TooLargeError, unpacked
from ui import login, session
from ui.guard import is_local

TOKEN: Final = "SLOWPATH_OTLP_TOKEN"  # noqa: S105  # the variable's name, not a token
SIGNALS: Final = ("traces", "metrics")

MAX_IN_FLIGHT: Final = 256 << 20
"""Bytes of bodies that may be read or decoded at one time."""

_RPC: Final = {400: 3, 401: 16, 413: 8, 415: 3, 429: 8, 503: 14}
"""HTTP status -> code of `google.rpc.Status`."""

_in_flight = 0


class _Refused(Exception):  # noqa: N818  # an answer, not an error of ours
    def __init__(self, status: int, message: str, retry_s: int | None = None) -> None:
        self.status, self.message, self.retry_s = status, message, retry_s
        super().__init__(message)


def refusal(authorization: str, is_local: bool) -> str | None:
    """Why a sender is not let in; None where it is.

    Without a token in the environment everybody on this machine may send, as long as no password
    says that the app is meant for others too.
    """
    token = os.environ.get(TOKEN, "")
    if token:
        wanted = f"Bearer {token}".encode()
        given = authorization.encode("utf-8", "replace")
        return None if hmac.compare_digest(given, wanted) else f"the token of {TOKEN} is missing"
    if not is_local or login.password():
        return f"beyond this machine a bearer token is needed: set {TOKEN}"
    return None


async def export(request: Request) -> Response:
    """Answer one export request; 200 means that all it held is on disk."""
    signal = request.url.path.rsplit("/", 1)[-1]
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    try:
        taken = await _taken(request, signal, kind)
    except _Refused as refused:
        return _error(kind, refused)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody is there to read it
    return _answer(signal, kind, taken)


async def _taken(request: Request, signal: str, kind: str) -> Taken:
    global _in_flight  # noqa: PLW0603  # one process, one count
    if reason := refusal(request.headers.get("authorization", ""), _is_local(request.scope)):
        raise _Refused(401, reason)
    if kind not in (PROTOBUF, JSON):
        raise _Refused(415, f"expected {PROTOBUF} or {JSON}, found {kind[:80] or 'none'}")
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            _in_flight += len(chunk)
            if len(body) > MAX_BODY:
                raise _too_large(MAX_BODY)
            if _in_flight > MAX_IN_FLIGHT:
                raise _Refused(429, "too many requests at one time", 1)
        encoding = request.headers.get("content-encoding", "").strip().lower()
        return await run_in_threadpool(_take, signal, kind, bytes(body), encoding)
    finally:
        _in_flight -= len(body)


def _is_local(scope: Mapping[str, Any]) -> bool:
    server = scope.get("server")
    return not server or not server[0] or is_local(str(server[0]))


def _take(signal: str, kind: str, body: bytes, encoding: str) -> Taken:
    receiver = session.receiver()
    if receiver is None:
        raise _Refused(503, "the app is stopping", 5)
    try:
        return receiver.take(signal, kind, unpacked(body, encoding))
    except TooLargeError as error:
        raise _too_large(error.limit) from error
    except UserError as error:
        raise _Refused(400, str(error)) from error
    except BusyError as error:
        raise _Refused(429 if error.full else 503, error.reason, error.retry_s) from error


def _too_large(limit: int) -> _Refused:
    return _Refused(413, f"expected a body of at most {limit >> 20} MB; send smaller batches")


def _answer(signal: str, kind: str, taken: Taken) -> Response:
    if kind == JSON:
        count = "rejectedSpans" if signal == "traces" else "rejectedDataPoints"
        part = {count: str(taken.rejected), "errorMessage": taken.reason}
        return JSONResponse({"partialSuccess": part} if taken.rejected else {})
    made: Any = (
        ExportTraceServiceResponse() if signal == "traces" else ExportMetricsServiceResponse()
    )
    if taken.rejected:
        count = "rejected_spans" if signal == "traces" else "rejected_data_points"
        setattr(made.partial_success, count, taken.rejected)
        made.partial_success.error_message = taken.reason
    return Response(made.SerializeToString(), media_type=PROTOBUF)


def _error(kind: str, refused: _Refused) -> Response:
    headers = {} if refused.retry_s is None else {"Retry-After": str(refused.retry_s)}
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    code = _RPC[refused.status]
    if kind == PROTOBUF:
        body = Status(code=code, message=refused.message).SerializeToString()
        return Response(body, refused.status, headers, PROTOBUF)
    said = {"code": code, "message": refused.message}
    return JSONResponse(said, refused.status, headers)


ROUTES: Final = [Route(f"/v1/{signal}", export, methods=["POST"]) for signal in SIGNALS]
