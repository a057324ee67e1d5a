"""Small PDFs in one line each: pages of text at places, outlines, labels, a password."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_LINE_HEIGHT = 14
_TOP = 740


@dataclass(frozen=True)
class Text:
    """A piece of text at a place of the page, in points from its lower left corner."""

    x: float
    y: float
    text: str


Page = Sequence[str] | Sequence[Text] | None
"""Lines from the top, or placed pieces in the order of the file; None is a picture."""


def make_pdf(
    pages: Sequence[Page],
    *,
    about: dict[str, str] | None = None,
    outline: Sequence[tuple[str, int]] = (),
    labels: str = "",
    password: str = "",
) -> bytes:
    """A PDF.

    Args:
        pages: their contents.
        about: entries of the information dictionary.
        outline: (title, number of the page from 0), all on one level.
        labels: of the pages, as a page label dictionary: `<< /S /r >>`.
        password: without which it doesn't open; empty for none.
    """
    objects: list[bytes] = [b"", b""]  # catalogue and page tree come last

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    font = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    picture = add(
        _stream(
            b"\x00" * 12,
            b"/Type /XObject /Subtype /Image /Width 2 /Height 2 "
            b"/ColorSpace /DeviceRGB /BitsPerComponent 8",
        )
    )
    kids = []
    for page in pages:
        content = add(_stream(_content(page)))
        kids.append(
            add(
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R /Resources "
                b"<< /Font << /F1 %d 0 R >> /XObject << /P1 %d 0 R >> >> >>"
                % (content, font, picture)
            )
        )
    extra = b""
    if outline:
        first = len(objects) + 2
        root = add(
            b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>"
            % (first, first + len(outline) - 1, len(outline))
        )
        for number, (title, page_number) in enumerate(outline):
            following = b"/Next %d 0 R" % (first + number + 1) if number + 1 < len(outline) else b""
            before = b"/Prev %d 0 R" % (first + number - 1) if number else b""
            add(
                b"<< /Title %s /Parent %d 0 R /Dest [%d 0 R /Fit] %s %s >>"
                % (_string(title), root, kids[page_number], following, before)
            )
        extra += b" /Outlines %d 0 R" % root
    if labels:
        extra += b" /PageLabels << /Nums [0 %s] >>" % labels.encode()
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R%s >>" % extra
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (
        b" ".join(b"%d 0 R" % kid for kid in kids),
        len(kids),
    )
    trailer = b"/Root 1 0 R"
    if about:
        entries = b" ".join(
            b"/%s %s" % (key.encode(), _string(text)) for key, text in about.items()
        )
        trailer += b" /Info %d 0 R" % add(b"<< %s >>" % entries)
    if password:
        trailer += b" /Encrypt %d 0 R /ID [<00> <00>]" % add(_lock(password))
    return _written(objects, trailer)


def _content(page: Page) -> bytes:
    if page is None:
        return b"q 500 0 0 500 50 50 cm /P1 Do Q"
    pieces = []
    for number, piece in enumerate(page):
        line = Text(60, _TOP - number * _LINE_HEIGHT, str(piece))
        at = piece if isinstance(piece, Text) else line
        pieces.append(b"BT /F1 11 Tf %g %g Td %s Tj ET" % (at.x, at.y, _string(at.text)))
    return b"\n".join(pieces)


def _string(text: str) -> bytes:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return b"(" + escaped.encode("cp1252") + b")"


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)


def _lock(password: str) -> bytes:
    """An encryption dictionary of the oldest kind, whose check of the password is all we need."""
    padded = (password.encode() + _PADDING)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)  # noqa: S324 -- the format's own
    key = hashlib.md5(padded + owner + b"\xfc\xff\xff\xff" + b"\x00").digest()[:5]  # noqa: S324
    user = _rc4(key, _PADDING)
    return b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (
        owner.hex().encode(),
        user.hex().encode(),
    )


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def _written(objects: Sequence[bytes], trailer: bytes) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        trailer,
        table,
    )
    return bytes(out)
