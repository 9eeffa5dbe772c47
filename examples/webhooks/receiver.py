import os

from flask import Flask, request
from steward_sdk import VerificationError
from steward_sdk.webhooks import verify_webhook

app = Flask(__name__)


@app.post("/webhooks")
def receive() -> tuple[str, int]:
    try:
        event = verify_webhook(request.get_data(), dict(request.headers), os.environ["WEBHOOK_SECRET"])
    except VerificationError as error:
        return error.message, 401
    print(event["id"], event["type"], flush=True)
    return "", 204
