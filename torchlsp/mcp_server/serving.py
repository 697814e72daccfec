"""Serves the tools over standard input and output with the MCP SDK; nothing else imports it."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

import anyio
import anyio.to_thread
import jsonschema
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from torchlsp import __version__
from torchlsp.engine.config import ConfigError
from torchlsp.mcp_server.boundary import Refused
from torchlsp.mcp_server.definitions import DEFINITIONS, INSTRUCTIONS, Definition
from torchlsp.mcp_server.tools import Tools

_BY_NAME = {one.name: one for one in DEFINITIONS}


def serve(tools: Tools) -> NoReturn:
    """Answers until standard input ends. Ends the process: a check that still runs must not keep it alive."""
    anyio.run(_run, create(tools))
    tools.close()
    sys.stderr.flush()
    os._exit(0)


def create(tools: Tools) -> Server[Any]:
    """Creates the server, not yet started. One call is answered after the other, and pings meanwhile."""
    turn = anyio.Lock()

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[as_tool(one) for one in DEFINITIONS])

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        definition, arguments = _BY_NAME.get(params.name), params.arguments or {}
        if definition is None:
            return _failed(f"there is no tool {params.name}: {', '.join(_BY_NAME)}")
        try:
            jsonschema.validate(arguments, definition.arguments)
            for name in arguments.keys() - definition.arguments["properties"].keys():
                return _failed(f"{params.name} has no argument {name}")
            async with turn:
                reply = await anyio.to_thread.run_sync(
                    tools.call, params.name, arguments, abandon_on_cancel=True
                )
        except jsonschema.ValidationError as wrong:
            return _failed(f"{wrong.json_path}: {wrong.message}")
        except (Refused, ConfigError) as refusal:
            return _failed(str(refusal))
        except Exception as failure:
            return _failed(f"internal error of torchlsp: {type(failure).__name__}: {failure}")
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=reply.text)], structured_content=reply.data
        )

    return Server(
        "torchlsp",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def as_tool(definition: Definition) -> types.Tool:
    """Returns a definition in the protocol's form."""
    return types.Tool(
        name=definition.name,
        description=definition.description,
        input_schema=definition.arguments,
        output_schema=definition.result,
        annotations=types.ToolAnnotations(read_only_hint=definition.is_read_only),
    )


async def _run(server: Server[Any]) -> None:
    async with stdio_server() as (reading, writing):
        # The SDK has taken descriptor 1 away; what Python itself prints must not wait for it to come back.
        sys.stdout = sys.stderr
        await server.run(reading, writing, server.create_initialization_options())


def _failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
