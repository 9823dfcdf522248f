"""A tool is one POST: its arguments as a JSON object in, its reply as a JSON object out.

A body is judged before the call, and so is its size; but to a caller without a live token nothing is said about either.
This file names no tool: any name is handed to the register, which says that it knows none of that name. How a refusal
looks is in refusing.py.
"""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from smeldr.doors.body import LARGE, parse_arguments, read_body
from smeldr.doors.calling import Calls, bearer
from smeldr.doors.leaving import Leaving
from smeldr.doors.openapi import document
from smeldr.doors.refusing import refused
from smeldr.model.errors import Refusal
from smeldr.operations.registry import OPERATIONS


def routes(calls: Calls, leaving: Leaving) -> list[Route]:
    """The routes of this door."""
    description = document(OPERATIONS)

    async def tool(request: Request) -> Response:
        token = bearer(request.headers)
        try:
            body = await read_body(request)
            if len(body) > LARGE:
                await calls.authenticate(token)
                arguments = await calls.aside(partial(parse_arguments, body))
            else:
                arguments = parse_arguments(body)
        except Refusal:
            await calls.authenticate(token)
            raise
        return JSONResponse(await calls.call(request.path_params["name"], arguments, token))

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def ready(_: Request) -> Response:
        if leaving.begun:
            return refused(Refusal("busy", "this server is leaving"))
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
