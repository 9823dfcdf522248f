"""The HTTP door describes itself: one OpenAPI 3.1 document, generated from the operations.

Nothing about a tool is written here; a tool that is added is described the moment it exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from smeldr import __version__
from smeldr.doors.schemas import ERROR, Schema, hoist
from smeldr.model.errors import HTTP_STATUS
from smeldr.operations.registry import Operation

_WHEN: Final[Mapping[str, str]] = {
    "401": "No token, or one that is unknown, expired or revoked",
    "403": "The caller may know of the item but lacks the right",
    "404": "Absent, or hidden from the caller",
    "409": "The state does not allow it, or someone changed the item first",
    "413": "The body is too large",
    "422": "A parameter is missing, malformed, out of range or unknown",
    "500": "A fault on the server's side",
    "503": "The store did not answer in time, or the server has too much to do",
}


def document(operations: Mapping[str, Operation]) -> dict[str, Any]:
    """Describe every route."""
    components: dict[str, Schema] = {"Error": ERROR}
    tools = {f"/api/tools/{name}": {"post": _tool(each, components)} for name, each in operations.items()}
    return {
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "Smeldr",
            "version": __version__,
            "description": "A register of decisions for people and AI agents. Every tool is one POST.",
        },
        "security": [{"token": []}],
        "paths": {**tools, **_SERVICE_PATHS},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": components,
            "responses": {status: _response(when, _ERROR_REFERENCE) for status, when in _WHEN.items()},
        },
    }


def _tool(operation: Operation, components: dict[str, Schema]) -> dict[str, Any]:
    arguments = hoist(operation.input_schema, components, operation.name)
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"{operation.description}\n\nRight: {operation.right}.",
        "requestBody": {
            "required": bool(arguments.get("required")),
            "content": {"application/json": {"schema": arguments}},
        },
        "responses": {
            "200": _response("The reply", hoist(operation.output_schema, components, operation.name)),
            **_ERRORS,
        },
    }


def _response(description: str, schema: Schema) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _service(operation: str, summary: str, schema: Schema, **others: Any) -> dict[str, Any]:
    return {
        "get": {
            "operationId": operation,
            "summary": summary,
            "security": [],
            "responses": {"200": _response(summary, schema), **others},
        }
    }


_ERROR_REFERENCE: Final[Schema] = {"$ref": "#/components/schemas/Error"}
_ERRORS: Final = {
    str(status): {"$ref": f"#/components/responses/{status}"} for status in sorted(set(HTTP_STATUS.values()))
}
_STATUS: Final[Schema] = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
_METRICS: Final = {
    "get": {
        "operationId": "metrics",
        "summary": "The figures of the server, for Prometheus. Right: administer over ROOT.",
        "responses": {
            "200": {"description": "Figures", "content": {"text/plain": {"schema": {"type": "string"}}}},
            **{status: _ERRORS[status] for status in ("401", "403", "500", "503")},
        },
    }
}
_READY: Final = "The store answers and is at the newest revision, and the server stays"
_SERVICE_PATHS: Final = {
    "/health": _service("health", "The server is alive", _STATUS),
    "/ready": _service("ready", _READY, _STATUS, **{"503": _ERRORS["503"]}),
    "/metrics": _METRICS,
    "/openapi.json": _service("openapi", "This document", {"type": "object"}),
}
