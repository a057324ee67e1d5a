"""Named tuples for what hooks import on every call: `typing.NamedTuple` without `typing`.

Importing `typing` takes as long as half a bare interpreter, and a hook that has nothing to do must
cost next to nothing.
"""

from collections import namedtuple

TYPE_CHECKING = False  # type checkers take this name for true

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    _NOT_COPIED = frozenset({"__annotations__", "__annotate_func__", "__qualname__"})
    _AS_VALUES = 1
    """`annotationlib.Format.VALUE`: annotations as what they evaluate to."""

    class _FromAnnotations(type):
        """Makes a class body with annotations into a named tuple."""

        def __new__(
            meta: type, name: str, bases: tuple[type, ...], body: dict[str, object]
        ) -> type:
            """Fields are the annotations, in order; a value in the body is the field's default."""
            if not bases:
                return super().__new__(meta, name, bases, body)
            fields = _annotations(body)
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            for key, value in body.items():
                if key not in fields and key not in _NOT_COPIED:
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_FromAnnotations):
        """Base of a record: `class Point(NamedTuple): x: int`."""

    def _annotations(body: dict[str, object]) -> dict[str, object]:
        """Return a class body's annotations; since Python 3.14 it holds what makes them."""
        if annotate := body.get("__annotate_func__"):
            return annotate(_AS_VALUES)
        return body.get("__annotations__", {})
