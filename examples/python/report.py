import json
import os
from pathlib import Path

from steward_sdk import Steward
from tables import NOTES

config = json.loads(Path("steward.json").read_text())

with Steward(config["server"], os.environ["STEWARD_KEY"]) as client:
    for user in client.users.list(config["project"]):
        notes = client.items(config["project"], user["id"], NOTES)
        for note in notes.list(order="title"):
            print(user["profile"].get("username"), note["title"], "done" if note.get("done") else "open")
