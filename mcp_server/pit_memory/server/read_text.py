"""A read section as text for agents."""

from pit_memory.operations.read import ReadAnswer


def read_text(answer: ReadAnswer) -> str:
    """Ref, state and numbered lines; what the budget cut is named by its ref."""
    first, last = answer.shown
    head = f"{answer.ref}  L{first}-{last}  {' > '.join(answer.breadcrumb) or answer.title}"
    marks = [mark for mark in (answer.status, answer.state) if mark not in {"published", "uncited"}]
    lines = [" · ".join([head, *marks])]
    lines += [f"{line.line}: {line.text}" for line in answer.lines]
    lines += [f"rest: {answer.next_ref}"] if answer.next_ref else []
    return "\n".join([*lines, *answer.notes])
