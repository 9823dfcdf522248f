"""The HTTP door describes every tool, in a document that OpenAPI's own schema accepts."""

from __future__ import annotations

from openapi_spec_validator import OpenAPIV31SpecValidator

from smeldr.doors.openapi import document
from smeldr.model.errors import HTTP_STATUS
from smeldr.operations.registry import OPERATIONS
from tests.doors.stubs import client


def test_the_document_is_valid_openapi() -> None:
    OpenAPIV31SpecValidator(document(OPERATIONS)).validate()


def test_the_document_is_served_without_a_token() -> None:
    assert document(OPERATIONS) == client(token=None).get("/openapi.json").json()


def test_every_tool_is_described_with_all_its_answers_and_needs_a_token() -> None:
    described = document(OPERATIONS)

    assert [{"token": []}] == described["security"]
    for name, operation in OPERATIONS.items():
        post = described["paths"][f"/api/tools/{name}"]["post"]
        assert operation.summary == post["summary"]
        assert {"200", *map(str, HTTP_STATUS.values())} == set(post["responses"])
        arguments = post["requestBody"]["content"]["application/json"]["schema"]
        assert list(operation.input_schema.get("properties", {})) == list(arguments.get("properties", {}))
        assert arguments["additionalProperties"] is False


def test_every_other_route_is_described_too() -> None:
    assert {"/health", "/ready", "/metrics", "/openapi.json"} <= set(document(OPERATIONS)["paths"])
