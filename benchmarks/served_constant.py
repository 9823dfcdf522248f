"""A bare Starlette that reads the arguments of a tool and answers the same whatever they are."""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from benchmarks import servers


def build_app(answer: dict[str, Any]) -> Starlette:
    """One route, as the register's."""

    async def tool(request: Request) -> JSONResponse:
        await request.json()
        return JSONResponse(answer)

    return Starlette(routes=[Route("/api/tools/{name}", tool, methods=["POST"])])


if __name__ == "__main__":
    servers.listen(build_app(servers.told()))
