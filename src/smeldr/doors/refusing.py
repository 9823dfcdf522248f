"""A refusal over HTTP: the one error shape, under the status of its code.

That goes for a wrong path and a wrong method too; a method that a path does not know is HTTP's own 405, with the code
`not_found`. Nothing is refused here: this file says what others refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ExceptionHandler

from smeldr.model.errors import Refusal, not_found
from smeldr.operations.faults import fault


def refused(refusal: Refusal, status: int | None = None, headers: dict[str, str] | None = None) -> JSONResponse:
    """Answer a refusal, under the status of its code unless another one is given."""
    asked = {"WWW-Authenticate": "Bearer"} if refusal.code == "unauthorized" else {}
    return JSONResponse(refusal.reply(), status or refusal.status, {**asked, **(headers or {})})


async def on_refusal(_: Request, error: Exception) -> Response:
    """Answer a Refusal that a route raised."""
    assert isinstance(error, Refusal)  # noqa: S101 - the app registers this for Refusal alone
    return refused(error)


async def on_http_exception(request: Request, error: Exception) -> Response:
    """Answer what the router refuses: no such path, or not by that method."""
    assert isinstance(error, HTTPException)  # noqa: S101 - the app registers this for HTTPException alone
    what = request.url.path[:200] if error.status_code == 404 else f"{request.method} {request.url.path[:200]}"
    return refused(not_found(what), error.status_code, dict(error.headers or {}))


async def on_fault(request: Request, error: Exception) -> Response:
    """Answer anything else, which is a fault of ours. The log is told the route, and not what stands in its path."""
    return refused(fault(error, doing=getattr(request.scope.get("route"), "path", "no route")))


HANDLERS: Final[Mapping[Any, ExceptionHandler]] = {
    Refusal: on_refusal,
    HTTPException: on_http_exception,
    Exception: on_fault,
}
"""What an app does about exceptions."""
