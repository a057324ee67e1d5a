"""The server's log: one JSON object a line on stderr; no questions or answers unless asked for."""

import json
import logging
import sys
import time
from contextvars import ContextVar

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""Of the request at hand; every line that is logged for it bears it."""
log = logging.getLogger("pit_memory.requests")


class JsonLines(logging.Formatter):
    """A record as one JSON object; what `extra={"fields": ...}` holds comes with it."""

    def format(self, record: logging.LogRecord) -> str:
        """Make the line."""
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if request_id := REQUEST_ID.get():
            line["request_id"] = request_id
        if record.name != log.name:
            line["logger"] = record.name
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def log_as_json(level: int = logging.INFO) -> None:
    """Let everything that is logged come as JSON lines on stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("pit_memory").setLevel(level)


def event(name: str, **fields: object) -> None:
    """Log something that happened."""
    log.info(name, extra={"fields": fields})
