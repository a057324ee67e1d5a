"""Named tuples for what hooks import on every call: `typing.NamedTuple` without `typing`.

Importing `typing` takes as long as half a bare interpreter, and a hook that has nothing to do must
cost next to nothing.
"""

from collections import namedtuple

TYPE_CHECKING = False  # type checkers take this name for true

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class _FromAnnotations(type):
        """Makes a class body with annotations into a named tuple."""

        def __new__(
            meta: type, name: str, bases: tuple[type, ...], body: dict[str, object]
        ) -> type:
            """Fields are the annotations, in order; a value in the body is the field's default."""
            if not bases:
                return super().__new__(meta, name, bases, body)
            fields = body.get("__annotations__", {})
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            for key, value in body.items():
                if key not in fields and key not in {"__annotations__", "__qualname__"}:
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_FromAnnotations):
        """Base of a record: `class Point(NamedTuple): x: int`."""
