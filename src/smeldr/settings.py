"""The settings, from the environment. Source: docs/settings.md, one row per setting."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

_OFF = frozenset({"", "0", "false", "no", "off"})


def _switch(value: object) -> object:
    """A switch is on when it is set to anything but 0, false, no or off."""
    return value.strip().lower() not in _OFF if isinstance(value, str) else value


LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]
Port = Annotated[int, Field(ge=0, le=65_535)]
Switch = Annotated[bool, BeforeValidator(_switch)]


class Settings(BaseSettings):
    """What whoever runs the register has settled."""

    model_config = SettingsConfigDict(extra="ignore", populate_by_name=True)

    database: Annotated[str, Field(validation_alias="SMELDR_DATABASE")] = "sqlite:///smeldr.db"
    database_connections: Annotated[int, Field(validation_alias="SMELDR_DATABASE_CONNECTIONS", ge=4, le=1_000)] = 16
    enable_structural_sweep: Annotated[Switch, Field(validation_alias="ENABLE_STRUCTURAL_SWEEP")] = False
    structural_sweep_schedule: Annotated[str, Field(validation_alias="STRUCTURAL_SWEEP_SCHEDULE")] = "0 * * * *"
    allow_agent_ratify: Annotated[Switch, Field(validation_alias="ALLOW_AGENT_RATIFY")] = False
    allowed_hosts: Annotated[str, Field(validation_alias="SMELDR_ALLOWED_HOSTS")] = ""
    drain_seconds: Annotated[int, Field(validation_alias="SMELDR_DRAIN_SECONDS", ge=0, le=3_600)] = 0
    log_level: Annotated[LogLevel, Field(validation_alias="SMELDR_LOG_LEVEL")] = "info"
    log_format: Annotated[LogFormat, Field(validation_alias="SMELDR_LOG_FORMAT")] = "text"
    metrics_host: Annotated[str, Field(validation_alias="SMELDR_METRICS_HOST")] = "127.0.0.1"
    metrics_port: Annotated[Port | None, Field(validation_alias="SMELDR_METRICS_PORT")] = None
