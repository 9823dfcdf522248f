"""A tool is one POST: its arguments as a JSON object in, its reply as a JSON object out.

Every refusal, a wrong path and a wrong method included, has the one error shape under the HTTP status of its code. A
method that a path does not know is HTTP's own 405, with the code `not_found`. This file names no tool: any name is
handed to the register, which says that it knows none of that name.
"""

from __future__ import annotations

from typing import Final

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from smeldr.doors.body import parse_arguments, read_body
from smeldr.doors.calling import Calls, bearer, fault
from smeldr.doors.openapi import document
from smeldr.model.errors import Refusal, not_found
from smeldr.operations.registry import OPERATIONS

LARGE: Final = 64 * 1024
"""Bytes of a body from which on it is read in a thread, and for callers with a live token only."""


def routes(calls: Calls) -> list[Route]:
    """The routes of this door."""
    description = document(OPERATIONS)

    async def tool(request: Request) -> Response:
        token = bearer(request.headers)
        try:
            body = await read_body(request)
            if len(body) > LARGE:
                await calls.authenticate(token)
                arguments = await to_thread.run_sync(parse_arguments, body)
            else:
                arguments = parse_arguments(body)
        except Refusal:
            await calls.authenticate(token)
            raise
        return JSONResponse(await calls.call(request.path_params["name"], arguments, token))

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def ready(_: Request) -> Response:
        if await calls.ready():
            return JSONResponse({"status": "ready"})
        return refused(Refusal("busy", "the store does not answer, or is not at the newest revision"))

    async def openapi(_: Request) -> Response:
        return JSONResponse(description)

    return [
        Route("/api/tools/{name}", tool, methods=["POST"]),
        Route("/health", health),
        Route("/ready", ready),
        Route("/openapi.json", openapi),
    ]


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
    """Answer anything else, which is a fault of ours."""
    return refused(fault(error, request.url.path[:200]))
