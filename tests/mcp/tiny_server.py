"""A few lines in the place of the real server, for the front: `tools/call` names what to do."""

import json
import os
import pathlib
import sys
import time


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(request_id, text):
    send({"id": request_id, "result": {"content": [{"type": "text", "text": text}]}})


with pathlib.Path(sys.argv[1], "servers").open("a") as started:
    started.write(f"{os.getpid()}\n")
hello = None
asked = None
for line in sys.stdin:
    message = json.loads(line)
    method, request_id = message.get("method"), message.get("id")
    if method == "initialize":
        hello = message["params"]
        send({"id": request_id, "result": {"serverInfo": {"name": "tiny"}}})
    elif method == "notifications/cancelled":
        print(  # noqa: T201
            f"cancelled {message['params']['requestId']}", file=sys.stderr, flush=True
        )
    elif method == "tools/call":
        match message["params"]["name"]:
            case "echo":
                answer(request_id, line.rstrip("\n"))
            case "hello":
                answer(request_id, json.dumps(hello))
            case "pid":
                answer(request_id, str(os.getpid()))
            case "folder":
                answer(request_id, str(pathlib.Path.cwd()))
            case "crash":
                os._exit(3)
            case "never":
                pass
            case "deaf":
                time.sleep(600)
            case "noise":
                print("a stray print")  # noqa: T201
                answer(request_id, "after the noise")
            case "progress":
                token = message["params"]["_meta"]["progressToken"]
                progress = {"progressToken": token, "progress": 1}
                send({"method": "notifications/progress", "params": progress})
                answer(request_id, "done")
            case "ask":
                send({"id": "from-server", "method": "ping"})
                asked = request_id
    elif request_id == "from-server":
        answer(asked, line.rstrip("\n"))
    elif request_id is not None:
        send({"id": request_id, "result": {"from": "tiny", "method": method}})
