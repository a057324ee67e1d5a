"""What is refused as a secret, and what technical notes are full of and must not be."""

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pit_memory.core.text.secrets import _FORMATS, _found, find_secrets
from pit_memory.workspace.cpu_limit import CpuLimit

ALPHANUMERIC = string.ascii_letters + string.digits
CHANCE = random.Random(7)  # noqa: S311 - test data, nobody's key


def some(count: int, alphabet: str = ALPHANUMERIC) -> str:
    """A random part of a key, made here so that no key stands in this file."""
    return "".join(CHANCE.choice(alphabet) for _ in range(count))


SECRETS = {
    "anthropic-key": "sk-ant-api03-" + some(95),
    "aws-access-key": "AKIA" + some(16, string.ascii_uppercase + "234567"),
    "aws-secret-key": "aws_secret_access_key = " + some(40),
    "azure-storage-key": "AccountKey=" + some(86) + "==",
    "credentials-in-url": "postgres://app:" + some(12) + "@db.internal/app",
    "digitalocean-token": "dop_v1_" + some(64, "0123456789abcdef"),
    "docker-token": "dckr_pat_" + some(27),
    "github-token": "ghp_" + some(36),
    "github-fine-grained-token": "github_pat_" + some(22) + "_" + some(59),
    "gitlab-token": "glpat-" + some(20),
    "google-api-key": "AIza" + some(35),
    "google-client-secret": "GOCSPX-" + some(28),
    "huggingface-token": "hf_" + some(34, string.ascii_letters),
    "json-web-token": "eyJ" + some(20) + ".eyJ" + some(40) + "." + some(43),
    "npm-token": "npm_" + some(36),
    "openai-key": "sk-proj-" + some(24) + "T3BlbkFJ" + some(24),
    "private-key": "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    "pypi-token": "pypi-AgEIcHlwaS5vcmc" + some(60),
    "sendgrid-key": "SG." + some(22) + "." + some(43),
    "slack-token": "xoxb-" + some(12, string.digits) + "-" + some(24),
    "slack-webhook": "https://hooks.slack.com/services/T"
    + some(8)
    + "/B"
    + some(8)
    + "/"
    + some(24),
    "stripe-key": "sk_live_" + some(24),
    "telegram-bot-token": some(9, "123456789") + ":AA" + some(33),
    "vault-token": "hvs." + some(24),
}


@pytest.mark.parametrize("rule", SECRETS)
@pytest.mark.parametrize("around", ["{}", "use `{}` for it", "key={}", '"{}",', "({})\nmore"])
def test_a_secret_is_named_by_its_rule_wherever_it_stands(rule: str, around: str) -> None:
    text = "A first line.\n" + around.format(SECRETS[rule])
    assert (rule, 2) in [tuple(secret) for secret in find_secrets(text)]


@pytest.mark.parametrize("rule", _FORMATS)
def test_every_key_of_a_format_has_one_of_its_marks(rule: str) -> None:
    pattern, marks = _FORMATS[rule]

    @given(st.from_regex(pattern, fullmatch=True))
    @settings(max_examples=10, deadline=None)
    def check(key: str) -> None:
        assert any(mark in key or mark in key.casefold() for mark in marks)

    check()


@given(
    st.lists(
        st.one_of(
            st.sampled_from([*SECRETS.values(), "example", "secret", "aws", "=", ": ", "\u017f"]),
            st.sampled_from(["\n", "\r\n  ", "\\\n", "\u200b", "\ufeff\n\t", " ", "-", ".", "a"]),
            st.builds(
                lambda key, start, end: key[start:end],
                st.sampled_from([*SECRETS.values()]),
                st.integers(0, 60),
                st.integers(0, 120),
            ),
            st.text(max_size=5),
        ),
        max_size=12,
    ).map("".join)
)
@settings(max_examples=300, deadline=None)
def test_looking_only_for_what_marks_promise_finds_what_looking_for_all_finds(text: str) -> None:
    assert list(find_secrets(text)) == list(_found(text, list(_FORMATS)))


def test_an_example_hides_no_secret_in_it() -> None:
    address = f"https://app:{SECRETS['github-token']}@example.com/x"
    assert [secret.rule for secret in find_secrets(address)] == ["github-token"]


@pytest.mark.parametrize("rule", sorted(SECRETS.keys() - {"credentials-in-url"}))
@pytest.mark.parametrize("cut", ["\n", "\\\n    ", "\r\n", "\u200b", "\u00ad"])
def test_a_secret_that_is_wrapped_is_still_one(rule: str, cut: str) -> None:
    secret = SECRETS[rule]
    end = max(at for at in range(2, len(secret) - 1) if secret[at - 2 : at + 2].isalnum())
    if " PRIVATE KEY" in secret:
        end = secret.index("PRIVATE") + 3
    text = f"Two lines,\nall in all: {secret[:end]}{cut}{secret[end:]} is\nit."
    assert (rule, 2) in [tuple(found) for found in find_secrets(text)]


@pytest.mark.parametrize(
    "address",
    [
        "redis://:{}@cache.internal:6379/0",
        "POSTGRES://app:{}@db.internal/app",
        "https://app:{}@[::1]:8080/",
        "amqp://app:$${}@mq",
        "https://app:p@{}@host",
        "https://app:a:{}@host",
        "https://app:{{{}@host",
        "https://${{USER}}:{}@host",
    ],
)
def test_a_password_in_an_address_is_told_however_odd_its_signs(address: str) -> None:
    found = list(find_secrets(address.format(some(12))))
    assert [secret.rule for secret in found] == ["credentials-in-url"]


@pytest.mark.parametrize("start", ["a.", "a.b-", "sk-", "eyJ-", "-eyJabcdefghijkl", "a://b:"])
def test_many_beginnings_cost_no_more_than_in_proportion(start: str) -> None:
    with CpuLimit(20):  # seconds; growing with the square it took minutes
        assert list(find_secrets(start * (200_000 // len(start)))) == []


@pytest.mark.parametrize(
    "text",
    [
        "commit 3fa9c1d2e0b4a5968778695a4b3c2d1e0f9a8b7c",
        "sha256:" + some(64, "0123456789abcdef"),
        "550e8400-e29b-41d4-a716-446655440000",
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "ghp_" + "x" * 36,
        "glpat-" + "*" * 20,
        "https://user:password@host/path",
        "https://${USER}:${TOKEN}@example.org",
        "https://$USER:$TOKEN@example.org and https://app:%TOKEN%@example.org",
        "redis://:{{ redis_password }}@cache and redis://:{redis_password}@cache",
        "postgres://app:<password>@db",
        "see http://localhost:8080\nteam@acme.test or https://unpkg.com:443/@acme/x@1",
        "AKIA\n\nABCDEFGHIJKLMNOP and hf_\n\n- " + some(34, string.ascii_letters),
        "ssh://git@github.com:22/owner/repository",
        "sk_test_" + some(24),
        "pk_live_" + some(24),
        "docs/keys.md#rotation@5d41c0aa",
        "the sk-learn package, npm_config_registry and hf_hub_download",
        "MAX_MCP_OUTPUT_TOKENS=25000",
    ],
)
def test_what_technical_notes_are_full_of_is_no_secret(text: str) -> None:
    assert list(find_secrets(text)) == []


def test_a_megabyte_is_searched_in_linear_time() -> None:
    for text in ("a" * 1_000_000, "eyJ" * 300_000, "x://" * 250_000, "aws secret " * 90_000):
        assert len(list(find_secrets(text))) <= 1
