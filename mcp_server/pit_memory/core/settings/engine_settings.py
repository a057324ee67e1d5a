"""The tables of the engines behind search by meaning: the model, and where vectors are searched."""

from dataclasses import dataclass
from typing import Literal

from pit_memory.core.settings.setting_keys import setting_key
from pit_memory.core.settings.setting_values import FLAG, WEB_ADDRESS, one_of, text, whole_number


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """The model behind search by meaning."""

    provider: Literal["builtin", "ollama", "none"] = setting_key(
        "builtin",
        one_of("builtin", "ollama", "none"),
        "The model that comes with pit-memory, one of an Ollama server, or none: by words only.",
        by="person",
    )
    url: str = setting_key(
        "http://127.0.0.1:11434", WEB_ADDRESS, "Address of the Ollama server.", by="person"
    )
    model: str = setting_key(
        "nomic-embed-text",
        text("a name of a model"),
        "Model of the Ollama server, with its tag where it has one.",
        by="person",
    )
    keep_alive: str = setting_key(
        "30m",
        text("a span such as 30m, or -1 for ever"),
        "How long the Ollama server keeps the model loaded after a question.",
        by="person",
    )
    query_prefix: str = setting_key(
        "auto",
        text("a text"),
        "What stands before a question when it is embedded; `auto`: what the model was made with.",
        by="person",
    )
    document_prefix: str = setting_key(
        "auto",
        text("a text"),
        "What stands before a document's text when it is embedded; `auto`: what the model was "
        "made with.",
        by="person",
    )


@dataclass(frozen=True, slots=True)
class VectorsSettings:
    """Where vectors are searched."""

    backend: Literal["local", "qdrant"] = setting_key(
        "local",
        one_of("local", "qdrant"),
        "A scan on this machine, or a Qdrant server; a person's own sources stay local.",
        by="person",
    )
    url: str = setting_key(
        "http://127.0.0.1:6333", WEB_ADDRESS, "Address of the Qdrant server.", by="person"
    )
    api_key: str = setting_key(
        "", text("a key"), "Key of the Qdrant server, best from the environment.", by="person"
    )
    prefix: str = setting_key(
        "pit_memory",
        text("a name"),
        "Begins the names of collections on the Qdrant server.",
        by="person",
    )
    namespace: str = setting_key(
        "",
        text("a name"),
        "Tells this project from others on the Qdrant server; replicas that serve the same "
        "documents share it. Empty: the name of the project's store.",
        by="person",
    )
    quantization: Literal["none", "int8", "binary"] = setting_key(
        "none",
        one_of("none", "int8", "binary"),
        "How a new collection holds vectors in memory; the full ones decide the order.",
        by="person",
    )
    on_disk: bool = setting_key(
        False, FLAG, "Whether a new collection keeps full vectors and payload on disk.", by="person"
    )
    shards: int = setting_key(1, whole_number(1, 1_000), "Shards of a new collection.", by="person")
    replicas: int = setting_key(
        1, whole_number(1, 100), "Replicas of each shard of a new collection.", by="person"
    )
