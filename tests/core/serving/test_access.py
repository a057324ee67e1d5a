import pytest

from pit_memory.core.serving.access import AUDIENCES, LOCAL, Access, readable


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        (["customer"], ("customer",)),
        (["team"], ("team", "customer")),
        (["ai_internal"], AUDIENCES),
        (["customer", "team"], ("team", "customer")),
    ],
)
def test_a_reader_sees_its_own_audience_and_the_wider_ones(given, seen):
    assert readable(given) == seen


@pytest.mark.parametrize("given", [[], ["everyone"], ["team", ""]])
def test_an_unknown_audience_is_an_error_and_never_everything(given):
    with pytest.raises(ValueError, match="there are team, customer, ai_internal"):
        readable(given)


def test_a_tool_exists_where_its_need_is_met():
    reader = Access("reader", audiences=("customer",), may_write=False)
    agent = Access("agent", assignment="acme")

    assert [reader.meets(need) for need in ("nothing", "writes", "assignment")] == [1, 0, 0]
    assert [agent.meets(need) for need in ("nothing", "writes", "assignment")] == [1, 1, 1]
    assert LOCAL.sees_all
    assert not LOCAL.meets("assignment")
    assert not reader.sees_all
