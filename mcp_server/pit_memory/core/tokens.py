"""The one measure of size: an estimate of a text's word pieces, without a model."""


def estimate(text: str) -> int:
    """Estimated number of word pieces in a text; 0 only for blank text."""
    return (len(text) + 3) // 4 if text.strip() else 0
