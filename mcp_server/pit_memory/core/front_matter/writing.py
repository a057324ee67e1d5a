"""Front matter from values: YAML that PyYAML, and what else reads front matter, reads alike."""

import json
import re
from collections.abc import Iterator, Mapping

from pit_memory.core.front_matter.scalars import quote_scalar

_DATE = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"


def front_matter_lines(values: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines of a front matter, delimiters included.

    Args:
        values: strings, numbers, booleans, None, lists and mappings of these, as they are read;
            dates are ISO 8601 text and stay dates.
    """
    yield "---"
    for key, value in values.items():
        yield f"{quote_scalar(key)}: {_scalar(value)}"
    yield "---"


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return value if re.fullmatch(_DATE, value) else quote_scalar(value)
    return json.dumps(value, ensure_ascii=False)  # YAML's flow style takes JSON as it is
