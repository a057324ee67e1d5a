"""Check any text that cites: refs exist, quotations are verbatim, what has no ref is listed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pit_memory.core.answers.read_answers import ReadAnswer
from pit_memory.core.corpus.answer_claims import Claim, claims_of
from pit_memory.core.text.quotations import holds
from pit_memory.core.text.safe_text import safe_line
from pit_memory.errors import NotFoundError, PathError, RefError

_MOST_TOKENS = 20_000
_MOST_PARTS = 20
"""Of a document that is longer than one reading."""
_SHOWN_CHARACTERS = 80

Read = Callable[[str, int], ReadAnswer]
"""Shows what a ref names, within a budget (`operations.reading.read`)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a sentence."""

    line: int
    """1-based, of the text."""
    rule: str
    """`no-such-ref`, `changed`, `not-verbatim`, `uncited`."""
    message: str


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """What a check found."""

    claims: int
    """Sentences that assert something."""
    refs: int
    quotations: int
    findings: tuple[Finding, ...]
    short: int
    """Sentences without a ref that have too few words to assert anything; they are not checked."""

    @property
    def is_wrong(self) -> bool:
        """Tell whether a ref or a quotation does not hold; what has no ref may be right."""
        return any(finding.rule != "uncited" for finding in self.findings)


def check_answer(lines: Sequence[str], read: Read) -> AnswerCheck:
    """Check every sentence of a text.

    Args:
        lines: of the text, markdown.
        read: opens what a ref names.
    """
    sentences = list(claims_of(lines))
    claims = [claim for claim in sentences if claim.asserts or claim.refs]
    texts: dict[str, str | Finding] = {}
    findings = [found for claim in claims for found in _check(claim, read, texts)]
    return AnswerCheck(
        claims=sum(claim.asserts for claim in claims),
        refs=sum(len(claim.refs) for claim in claims),
        quotations=sum(len(claim.quotations) for claim in claims),
        findings=tuple(sorted(findings, key=lambda finding: finding.line)),
        short=sum(claim.is_short and not claim.refs for claim in sentences),
    )


def _check(claim: Claim, read: Read, texts: dict[str, str | Finding]) -> Iterator[Finding]:
    if not claim.refs:
        yield Finding(claim.line, "uncited", _shown(claim.text))
        return
    cited = []
    for ref in claim.refs:
        if ref not in texts:
            texts[ref] = _text(ref, read)
        found = texts[ref]
        if isinstance(found, Finding):
            yield Finding(claim.line, found.rule, found.message)
        else:
            cited.append(found)
    for quotation in claim.quotations:
        if cited and not any(holds(text, quotation) for text in cited):
            where = ", ".join(claim.refs)
            yield Finding(claim.line, "not-verbatim", f'"{_shown(quotation)}" is not in {where}')


def _text(ref: str, read: Read) -> str | Finding:
    """The whole text that a ref names, or what is wrong with the ref."""
    try:
        answer = read(ref, _MOST_TOKENS)
        lines = [line.text for line in answer.lines]
        part = answer
        for _ in range(_MOST_PARTS):
            if part.next_ref is None:
                break
            part = read(part.next_ref, _MOST_TOKENS)
            lines += [line.text for line in part.lines]
    except (NotFoundError, RefError, PathError) as error:
        return Finding(0, "no-such-ref", str(error))
    if answer.state == "changed":
        return Finding(0, "changed", f"{ref}: its text is another one now: {answer.ref}")
    return "\n".join(lines)


def _shown(text: str) -> str:
    line = safe_line(text)
    return line if len(line) <= _SHOWN_CHARACTERS else line[: _SHOWN_CHARACTERS - 3] + "..."
