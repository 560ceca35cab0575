"""`ridealong mcp check --config FILE`: joins the node's configuration and its skills with the servers' report."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path

from ridealong.cloud.config import load_config
from ridealong.command import Command
from ridealong.harness.mcp.report import report
from ridealong.vehicle_skills.builtin import builtin_registry


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, required=True, help="the node's YAML file")
    parser.add_argument(
        "--timeout", type=float, default=0.0, metavar="S", help="wait no longer than this (default: the longest start_timeout_ms)"
    )


def _run(options: argparse.Namespace) -> int:
    config = load_config(options.config, dict(os.environ), {}).value
    lines, good = asyncio.run(report(config.mcp_servers, builtin_registry(), options.timeout))
    print("\n".join(lines))
    return 0 if good else 1


CHECK = Command("start the configured MCP servers and show which of their tools can be used", _configure, _run)
