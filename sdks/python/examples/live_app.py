"""Notes on a terminal, in sync with other devices: `python live_app.py "Buy milk" "Buy bread"`.

Adds the notes, and prints all changes until Ctrl+C. It works offline: notes.json has what the service has not received.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from steward_sdk import AsyncSteward, Table
from steward_sdk.live import LiveItems

NOTES = Table("notes")
STATE = Path(os.environ.get("NOTES_FILE", "notes.json"))


async def main() -> None:
    state = json.loads(STATE.read_text("utf-8")) if STATE.exists() else None
    client = AsyncSteward(os.environ["STEWARD_URL"], os.environ["STEWARD_TOKEN"])
    live = LiveItems(client, os.environ["STEWARD_PROJECT_ID"], state=state)
    for title in sys.argv[1:]:
        live.table(NOTES).create({"title": title})
    try:
        async with client, live:
            async for change in live.changes():
                print("deleted" if change.item is None else change.item["title"], flush=True)
    finally:
        STATE.write_text(json.dumps(live.state()), "utf-8")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
