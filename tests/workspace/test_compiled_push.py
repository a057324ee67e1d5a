"""What the last compilation of push memory leaves for the next one."""

import pytest

from pit_memory.workspace import compiled_push
from pit_memory.workspace.compiled_push import known_patterns
from pit_memory.workspace.places import Places
from pit_memory.workspace.places import compiled_push as compiled_file
from pit_memory.workspace.push_memory import compile_push_memory, gather_push_memory

SLOW = "(a+)+"


def entry(pattern):
    trigger = f"  trigger_tool: Bash\n  trigger_pattern: '{pattern}'\n"
    return f"---\ndescription: Say it before\nmetadata:\n  kind: gotcha\n{trigger}---\n"


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path / "data", tmp_path / "config")


@pytest.fixture
def root(tmp_path):
    (tmp_path / "project/memory").mkdir(parents=True)
    (tmp_path / "project/memory/gotcha_one.md").write_text(entry("deploy +now"))
    return tmp_path / "project"


def test_a_pattern_that_was_found_good_is_known_with_the_text_that_it_needs(root, places):
    assert known_patterns(places, root) == {}
    compile_push_memory(root, places, {}, None)
    assert known_patterns(places, root) == {"deploy +now": "deploy "}


def test_a_new_pattern_is_looked_at_beside_those_that_are_known(root, places):
    compile_push_memory(root, places, {}, None)
    (root / "memory/gotcha_two.md").write_text(entry(SLOW))
    compiled = compile_push_memory(root, places, {}, None)
    assert [trigger.pattern for trigger in compiled.triggers] == ["deploy +now"]
    problems = gather_push_memory(root, places, {}, None).memory.problems
    assert [problem.rule for problem in problems] == ["trigger"]


def test_a_pattern_that_another_version_found_good_is_looked_at(root, places, monkeypatch):
    with monkeypatch.context() as then:
        then.setattr(compiled_push, "__version__", "0.0.0")
        compile_push_memory(root, places, {}, None)
        assert known_patterns(places, root)
    assert known_patterns(places, root) == {}


@pytest.mark.parametrize("damage", ["", "no JSON", '{"stamp": 7}', '{"stamp": "[]"}', "[]"])
def test_what_is_damaged_knows_no_pattern(root, places, damage):
    compile_push_memory(root, places, {}, None)
    compiled_file(places, root).write_text(damage)
    assert known_patterns(places, root) == {}
