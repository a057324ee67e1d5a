"""The import contract of the hooks names what the hooks import."""

import ast
import tomllib

from tests.shared_material import PROJECT

CONTRACT = "what session and tool hooks import is light and standard library only"
LATE = {"commit_gate", "edit"}
"""Index hooks: what their functions import, once there is something to judge, may parse."""


def test_the_contract_names_every_module_that_hooks_import():
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    contracts = {
        contract["name"]: contract for contract in settings["tool"]["importlinter"]["contracts"]
    }
    imported = set()
    for hook in (PROJECT / "hooks").glob("*.py"):
        tree = ast.parse(hook.read_text())
        nodes = tree.body if hook.stem in LATE else ast.walk(tree)
        imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    ours = {name for name in imported if name.startswith("pit_memory")}
    assert ours <= set(contracts[CONTRACT]["source_modules"])
