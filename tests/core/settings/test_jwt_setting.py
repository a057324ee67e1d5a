"""What the claims of a signed token allow."""

import pytest

from pit_memory.core.settings.jwt_setting import JwtRule, access_of_claims

RULE = JwtRule(public_key_file="key.pem", issuer="https://id.example", audience="pit-memory")
CLAIMS = {"sub": "ada", "audiences": ["team"]}


def test_two_spellings_of_a_claim_are_one_assignment():
    said = [access_of_claims(RULE, CLAIMS | {"assignment": it}) for it in ("Zoë", "Zoe\u0308")]
    assert [access.assignment for access in said] == ["Zoë", "Zoë"]


def test_a_claim_that_is_no_name_of_an_assignment_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"the claim assignment: 'a/b' holds '/'"):
        access_of_claims(RULE, CLAIMS | {"assignment": "a/b"})
