"""Tokens that somebody else signs: who is let in by one, and who is not."""

import logging
import time

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from joserfc import jwt
from joserfc.jwk import RSAKey

from pit_memory.core.settings.jwt_setting import JwtRule
from pit_memory.core.settings.server_settings import AuthSettings
from pit_memory.errors import SettingsError

pytestmark = pytest.mark.timeout(90)


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def rule(key, tmp_path):
    file = tmp_path / "key.pem"
    file.write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    return JwtRule(public_key_file=str(file), issuer="https://id.example", audience="pit-memory")


def signed(key, algorithm="RS256", **claims):
    given = {
        "iss": "https://id.example",
        "aud": "pit-memory",
        "sub": "ada",
        "exp": int(time.time()) + 600,
        "audiences": ["team"],
    } | claims
    return jwt.encode(
        {"alg": algorithm},
        {name: value for name, value in given.items() if value is not None},
        RSAKey.import_key(key),
    )


def test_a_signed_token_lets_its_reader_search(serve, key, rule):
    server = serve(AuthSettings(jwt=rule))

    assert "docs/team.md" in server.call(signed(key)).text
    assert "docs/team.md" not in server.call(signed(key, audiences="customer")).text


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": int(time.time()) - 5},
        {"exp": None},
        {"nbf": int(time.time()) + 3_600},
        {"iss": "https://other.example"},
        {"aud": "another-service"},
        {"aud": None},
        {"sub": None},
        {"audiences": None},
        {"audiences": ["everyone"]},
        {"audiences": [1]},
        {"assignment": ["a", "b"]},
        {"assignment": " "},
        {"assignment": " acme"},
        {"assignment": "../acme"},
        {"assignment": "acme\n"},
        {"assignment": "a" * 201},
    ],
)
def test_a_signed_token_that_is_not_for_us_or_says_too_little_is_refused(serve, key, rule, claims):
    assert serve(AuthSettings(jwt=rule)).call(signed(key, **claims)).status == 401


def test_the_log_says_why_a_signed_token_was_refused(serve, key, rule, caplog):
    server = serve(AuthSettings(jwt=rule))
    caplog.set_level(logging.INFO, logger="pit_memory.requests")
    server.call(signed(key, assignment="a/b"))
    server.call(signed(key))
    lines = [record.fields for record in caplog.records if record.getMessage() == "request"]
    refused, taken = (line["refused"] for line in lines)
    assert "the claim assignment: 'a/b' holds '/'" in refused
    assert taken is None


def test_a_clock_that_is_a_little_behind_refuses_nobody(serve, key, rule):
    token = signed(key, nbf=int(time.time()) + 5, iat=int(time.time()) + 5)
    assert serve(AuthSettings(jwt=rule)).call(token).status == 200


def test_a_token_signed_by_another_key_is_refused(serve, rule):
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    server = serve(AuthSettings(jwt=rule))

    assert server.call(signed(other)).status == 401
    assert server.meter.counts()["pit_memory_token_rejections_total", ("invalid",)] == 1


def test_a_key_that_cannot_be_read_is_an_error_at_the_start(serve, tmp_path):
    wrong = JwtRule(public_key_file=str(tmp_path / "no.pem"), issuer="i", audience="a")
    with pytest.raises(SettingsError, match=r"no\.pem"):
        serve(AuthSettings(jwt=wrong))
