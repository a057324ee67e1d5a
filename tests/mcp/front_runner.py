"""Run the front over a tiny server: `front_runner.py '{"limits": {...}, "folder": ...}'`.

The environment is built as soon as the folder holds a file `python` with the interpreter's path,
and failed once it holds a file `failed`; the file `asked` says that a build was asked for.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "mcp_server"))

import front  # noqa: E402
from front_answers import Answers  # noqa: E402
from front_environment import Standing  # noqa: E402
from front_session import Limits  # noqa: E402


class FolderEnvironment:
    """Stands for the launcher's environment; what it does with a real one is tested elsewhere."""

    def __init__(self, folder: Path):
        self._folder = folder

    def command(self):
        python = self._folder / "python"
        if not python.exists():
            return None
        return [python.read_text(), str(HERE / "tiny_server.py"), str(self._folder)]

    def build(self):
        with (self._folder / "asked").open("a") as asked:
            asked.write("x")
        failed = (self._folder / "failed").exists()
        sentence = "it failed; the log is build.log" if failed else "step 2 of 3, about 7 s left"
        return Standing(sentence, failed)


options = json.loads(sys.argv[1])
answers = Answers((HERE.parents[1] / "mcp_server" / "tools.json").read_text(encoding="utf-8"))
front.serve(
    answers, lambda: FolderEnvironment(Path(options["folder"])), Limits(**options["limits"])
)
