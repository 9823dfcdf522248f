"""An operation is a typed function, and what every door knows of it is derived here.

`@operation` turns a plain function into an entry of OPERATIONS: its name, its parameters as a strict model that refuses
unknown ones by naming the valid ones, and the JSON schemas of both sides. Nothing here runs an operation
(register.py does) or knows of a door.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model

from smeldr.model.errors import Refusal
from smeldr.operations.parameters import RequestKey

_UNKNOWN: Final = "unknown parameter"


@dataclass(frozen=True)
class Operation:
    """A thing the register can do, as every door sees it.

    `right` is what the documentation says about who may; `changes` whether it writes; `destructive` whether it takes
    something out of force, ends or withdraws it; `own_transactions` that it writes in transactions of its own, beside
    the snapshot that it is given; `parameters` the strict model of its arguments.
    """

    name: str
    function: Callable[..., Any]
    summary: str
    description: str
    right: str
    changes: bool
    destructive: bool
    own_transactions: bool
    parameters: type[BaseModel]
    reply: TypeAdapter[Any]

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """JSON schema (2020-12) of the arguments: an object that takes no other properties."""
        return self.parameters.model_json_schema(by_alias=True)

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """JSON schema (2020-12) of the reply: always an object."""
        return self.reply.json_schema(mode="serialization")

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check the arguments and fill in the defaults.

        Raises:
            Refusal: `validation_failed`; its `fields` say which, why, and the valid ones.
        """
        try:
            parsed = self.parameters.model_validate(arguments)
        except ValidationError as error:
            raise self._refusal(error) from None
        return {name: getattr(parsed, name) for name in self.parameters.model_fields}

    @cached_property
    def parameter_names(self) -> list[str]:
        """The names of the parameters, as callers write them."""
        return [field.alias or name for name, field in self.parameters.model_fields.items()]

    def _refusal(self, error: ValidationError) -> Refusal:
        known = self.parameter_names
        fields: dict[str, dict[str, Any]] = {}
        for problem in error.errors(include_url=False, include_context=False, include_input=False):
            field = str(problem["loc"][0]) if problem["loc"] else "arguments"
            unknown = problem["type"] == "extra_forbidden"
            if unknown and len(problem["loc"]) == 1:
                fields.setdefault(field[:100], {"why": _UNKNOWN, "valid": known})
                continue
            why = _UNKNOWN if unknown else problem["msg"].removeprefix("Value error, ")
            fields.setdefault(field, {"why": f"{_within(problem['loc'])} {why}".strip(), **self._valid(field)})
        message = "; ".join(f"{field}: {entry['why']}" for field, entry in fields.items())
        if any(entry["why"] == _UNKNOWN for entry in fields.values()):
            message += f" ({self.name} takes {', '.join(known) or 'no parameters'})"
        return Refusal("validation_failed", message, fields=fields)

    def _valid(self, field: str) -> dict[str, Any]:
        schema = self.input_schema["properties"].get(field, {})
        choices = [schema, *schema.get("anyOf", ())]
        listed = [value for choice in choices for value in choice.get("enum", ())]
        return {"valid": listed} if listed else {}


def _within(steps: Sequence[int | str]) -> str:
    """Where inside a parameter: `[2].id`. Other words among the steps are the library's, for the forms it tried."""
    inside = [f"[{step}]" if isinstance(step, int) else f".{step[:100]}" for step in steps[1:]]
    return "".join(
        each
        for before, step, each in zip(steps, steps[1:], inside, strict=False)
        if isinstance(step, int) or isinstance(before, int)
    )


OPERATIONS: Final[dict[str, Operation]] = {}
"""Every operation by its name, in the order of definition."""


class _Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, protected_namespaces=())


def operation(
    *, right: str, changes: bool = False, destructive: bool = False, own_transactions: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function `f(call, *, parameters...) -> reply` as an operation of the same name.

    Its parameters carry their bounds and descriptions in `Annotated`; its docstring is the description at every door;
    its return annotation gives the output schema. An operation that changes something also takes `request_key`.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        hints = get_type_hints(function, include_extras=True)
        parameters = list(inspect.signature(function).parameters.values())[1:]
        fields: dict[str, Any] = {
            each.name: (hints[each.name], ... if each.default is inspect.Parameter.empty else each.default)
            for each in parameters
        }
        if changes:
            fields["request_key"] = (RequestKey, None)
        description = inspect.cleandoc(function.__doc__ or "")
        OPERATIONS[function.__name__] = Operation(
            name=function.__name__,
            function=function,
            summary=description.partition("\n")[0],
            description=description,
            right=right,
            changes=changes,
            destructive=destructive,
            own_transactions=own_transactions,
            parameters=create_model(function.__name__, __base__=_Parameters, **fields),
            reply=TypeAdapter(hints["return"]),
        )
        return function

    return register
