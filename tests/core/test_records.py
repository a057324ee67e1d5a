"""Our named tuples are those of `typing`, for every version of Python."""

import typing

import pytest

from pit_memory.core.records import NamedTuple


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 2

    @property
    def total(self) -> int:
        """Both."""
        return self.x + self.y


class TypingsPoint(typing.NamedTuple):
    """A place."""

    x: int
    y: int = 2


def test_fields_defaults_and_methods_are_those_of_the_class_body():
    assert (Point._fields, Point._field_defaults) == (("x", "y"), {"y": 2})
    assert Point(1) == TypingsPoint(1) == (1, 2)
    assert repr(Point(1)) == "Point(x=1, y=2)"
    assert (Point(1).total, Point.__doc__, Point.__module__) == (3, "A place.", __name__)


def test_a_field_without_a_default_must_be_given():
    with pytest.raises(TypeError, match="x"):
        Point()


def test_a_class_body_of_python_3_14_makes_the_same_record():
    def annotate(form: int) -> dict[str, object]:
        if form != 1:  # as the compiler's own function, which knows values alone
            raise NotImplementedError
        return {"x": int, "y": int}

    body = {"__module__": __name__, "__qualname__": "Late", "__annotate_func__": annotate, "y": 2}
    late = type(NamedTuple)("Late", (NamedTuple,), body)
    assert (late._fields, late._field_defaults) == (("x", "y"), {"y": 2})
