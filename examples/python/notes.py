import asyncio
import json
import sys
import webbrowser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from steward_sdk import AsyncSteward
from steward_sdk.live import LiveItems
from steward_sdk.sign_in import AsyncSession, AsyncSignIn
from tables import NOTES

config = json.loads(Path("steward.json").read_text())
steward = AsyncSteward(config["server"])


class Callback(BaseHTTPRequestHandler):
    timeout = 5  # Browsers open connections that they do not use.
    received: list[str] = []

    def do_GET(self) -> None:
        self.received.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Return to the terminal.")

    def log_message(self, *_: object) -> None:
        pass


async def sign_in() -> AsyncSession:
    with HTTPServer(("127.0.0.1", 0), Callback) as server:
        flow = AsyncSignIn(steward, config["project"], f"http://127.0.0.1:{server.server_port}/")
        url, pending = flow.start()
        print(f"Sign in: {url}", flush=True)
        webbrowser.open(url)
        server.timeout = 1
        while not Callback.received:
            await asyncio.to_thread(server.handle_request)
    return flow.session(await flow.complete(Callback.received[0], pending))


async def main() -> None:
    session = await sign_in()
    async with LiveItems(steward.with_token(session.token), config["project"]) as live:
        for title in sys.argv[1:]:
            live.table(NOTES).create({"title": title})
        async for change in live.changes():
            print("deleted" if change.item is None else change.item["title"], flush=True)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
