#!/usr/bin/env python3
"""Talks to `memento mcp` with the client of the Python SDK, as a program that runs agents does.

Usage: mcp-client.py PROGRAM FOLDER

The client validates each result against the outputSchema of its tool. Prints OK at the end."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SECRET = "s3cr3t-of-the-environment"


def attribute(value, *names):
    """A field by the name that this version of the SDK has for it."""
    for name in names:
        if hasattr(value, name):
            return getattr(value, name)
    raise AttributeError(names)


async def newest(program, folder):
    """The revision that the client chooses by itself, where it knows revisions without a handshake."""
    try:
        from mcp import Client
    except ImportError:
        return "not known to this client"
    async with Client(stdio_client(StdioServerParameters(command=program, args=["mcp", "-C", folder]))) as client:
        assert len((await client.list_tools()).tools) == 9
        result = await client.call_tool("list", {})
        assert not attribute(result, "is_error", "isError"), result
        return client.protocol_version


async def main(program, folder):
    server = StdioServerParameters(
        command=program, args=["mcp", "-C", folder],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "MEMENTO_PASSWORD": SECRET, "AWS_SECRET_ACCESS_KEY": SECRET})
    seen = []

    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        hello = await session.initialize()
        assert attribute(hello, "server_info", "serverInfo").name == "memento", hello
        await session.send_ping()
        tools = (await session.list_tools()).tools
        assert {tool.name for tool in tools} == {
            "save", "list", "status", "diff", "restore", "undo", "log", "cat", "grep"}, tools

        async def call(tool, /, **arguments):
            result = await session.call_tool(tool, arguments)
            text = result.content[0].text
            seen.append(text)
            document = attribute(result, "structured_content", "structuredContent")
            failed = attribute(result, "is_error", "isError")
            if not failed:
                assert json.loads(text) == document
            return failed, text, document

        def write(name, text):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)

        def read(name):
            with open(os.path.join(folder, name)) as file:
                return file.read()

        write("notes", "first\n")
        failed, text, saved = await call("save", name="one")
        assert not failed, text
        assert saved["changes"] == [{"change": "added", "path": "notes"}], saved
        write("notes", "second\n")
        _, _, status = await call("status")
        assert status["changes"] == [{"change": "modified", "path": "notes"}], status
        _, _, diff = await call("diff", patch=True)
        assert "+second" in diff["patch"], diff
        _, _, plan = await call("restore", snapshot="one")
        assert plan["dry_run"] and read("notes") == "second\n", plan
        _, _, done = await call("restore", snapshot="one", confirm=plan["plan_id"])
        assert not done["dry_run"] and read("notes") == "first\n", done
        await call("undo")
        assert read("notes") == "second\n"
        for name, arguments in (
            ("list", {}), ("log", {"changes": True}), ("cat", {"snapshot": "one", "path": "notes"}),
            ("grep", {"pattern": "first"}), ("undo", {"dry_run": True})):
            failed, text, _ = await call(name, **arguments)
            assert not failed, text
        failed, text, _ = await call("restore", snapshot="no-such-state")
        assert failed and text.startswith("memento: "), text

    assert SECRET not in "".join(seen)
    print("newest:", await newest(program, folder))
    print("OK", attribute(hello, "protocol_version", "protocolVersion"))


asyncio.run(main(sys.argv[1], sys.argv[2]))
