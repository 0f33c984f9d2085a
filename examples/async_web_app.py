"""A web service on the standard library alone: `amoderate` keeps the event loop free.

    python examples/async_web_app.py            one server, a few requests to it, a clean end
    python examples/async_web_app.py --serve    a server on http://127.0.0.1:8080 until Ctrl-C

    curl -d '{"content": {"type": "text", "text": "some text"}}' http://127.0.0.1:8080/moderate

Without `--serve` it prints:

    200 reject None
    200 review Mail {{ email hidden }}
    400 BAD_REQUEST content: is missing
    404 NOT_FOUND
"""

import asyncio
import json
import sys
from typing import Any

from seemly import Channel, ContentError, Engine

HOST = "127.0.0.1"
MAX_BODY = 1_000_000


class Service:
    """Answers `POST /moderate` with the result as JSON, one request a connection."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read one request, write its answer, close."""
        try:
            status, body = await self._answer(reader)
            payload = json.dumps(body).encode()
            head = f"HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n"
            writer.write(f"{head}Connection: close\r\n\r\n".encode() + payload)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[int, dict[str, Any]]:
        try:
            method, path, *_ = (await reader.readline()).decode("latin-1").split()
            length = 0
            while (line := await reader.readline()) not in (b"\r\n", b"\n", b""):
                name, _, value = line.decode("latin-1").partition(":")
                if name.lower() == "content-length":
                    length = int(value)
        except ValueError:
            return 400, {"code": "BAD_REQUEST", "message": "not an HTTP request"}
        if (method, path) != ("POST", "/moderate"):
            return 404, {"code": "NOT_FOUND", "message": "there is only POST /moderate"}
        if not 0 <= length <= MAX_BODY:
            return 400, {"code": "BAD_REQUEST", "message": "the body is too long"}
        try:
            result = await self.engine.amoderate(json.loads(await reader.readexactly(length)))
        except ContentError as error:
            return 400, error.to_dict()
        except (ValueError, RecursionError):
            return 400, {"code": "BAD_REQUEST", "message": "the body is not JSON"}
        return 200, result.to_dict()


async def request(port: int, path: str, body: object) -> tuple[int, dict[str, Any]]:
    """POST a JSON body and read the answer: a client just large enough for this example."""
    reader, writer = await asyncio.open_connection(HOST, port)
    payload = json.dumps(body).encode()
    writer.write(f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {len(payload)}\r\n\r\n".encode() + payload)
    await writer.drain()
    head, _, answer = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    return int(head.split()[1]), json.loads(answer)


async def show(port: int) -> None:
    """Send some requests and print what came back."""
    for path, text in (("/moderate", "you worthless fucking idiot"), ("/moderate", "Mail jo@example.com")):
        status, result = await request(port, path, {"content": {"type": "text", "text": text}})
        print(status, result["recommendation"]["action"], result["content"]["modified"])
    status, error = await request(port, "/moderate", {"text": "no content"})
    print(status, error["code"], f"{error['issues'][0]['path']}: {error['issues'][0]['message']}")
    status, error = await request(port, "/elsewhere", {})
    print(status, error["code"])


async def serve(port: int, *, forever: bool) -> None:
    """Serve, for ever or until the example's own requests are answered."""
    service = Service(Engine(Channel(key="comments")).warm_up())
    async with await asyncio.start_server(service.handle, HOST, port) as server:
        if forever:
            await server.serve_forever()
        await show(server.sockets[0].getsockname()[1])


def main(arguments: list[str]) -> None:
    forever = "--serve" in arguments
    try:
        asyncio.run(serve(8080 if forever else 0, forever=forever))
    except KeyboardInterrupt:
        print("stopped")


if __name__ == "__main__":
    main(sys.argv[1:])
