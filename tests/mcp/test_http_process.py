"""`serve --http` as a process: from a token to a cited answer, over TLS, until it is ended."""

import asyncio
import datetime
import ipaddress
import json
import signal
import ssl
import subprocess
import sys

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from pit_memory.cli import main
from tests.builders import make_repository
from tests.shared_material import MCP_SERVER

pytestmark = pytest.mark.timeout(120)
DOCS = {"docs/keys.md": "# Keys\n\n## Rotation\n\nRotate the signing key with `keyctl rotate`.\n"}


def certificate(folder):
    """A certificate for 127.0.0.1 that signs itself; returns its file and its key's."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    cert, secret = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return cert, secret


def test_a_team_is_served_over_tls_from_a_token_to_a_cited_answer(tmp_path, capsys, monkeypatch):
    project = make_repository(tmp_path / "a project", DOCS)
    cert, key = certificate(tmp_path)
    assert main(["token", "add", "laptop"]) == 0
    token = capsys.readouterr().out.strip()
    monkeypatch.setenv("PYTHONPATH", str(MCP_SERVER))
    command = [sys.executable, "-m", "pit_memory.server", "--root", str(project), "--http"]
    command += ["--port", "0", "--certfile", str(cert), "--keyfile", str(key)]

    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            serving = json.loads(process.stderr.readline())
            assert serving["event"] == "serving"
            assert serving["needs_token"]

            async def ask():
                transport = StreamableHttpTransport(
                    serving["url"],
                    headers={"Authorization": f"Bearer {token}"},
                    verify=ssl.create_default_context(cafile=str(cert)),
                )
                async with Client(transport) as client:
                    tools = [tool.name for tool in await client.list_tools()]
                    found = await client.call_tool("docs_search", {"query": "rotate the key"})
                    return tools, found.content[0].text

            tools, text = asyncio.run(ask())
        finally:
            process.send_signal(signal.SIGTERM)
            log = process.stderr.read()
        assert process.wait(60) == 0

    assert {"docs_search", "docs_read"} <= set(tools)
    assert "memory_write" not in tools, "there is no branch to push to"
    assert "docs/keys.md#rotation@" in text
    assert json.loads(log.splitlines()[-1])["event"] == "ended"
    assert "keyctl" not in log


def test_a_server_that_cannot_start_says_why_and_what_to_do(tmp_path, monkeypatch):
    project = make_repository(tmp_path / "project", DOCS)
    monkeypatch.setenv("PYTHONPATH", str(MCP_SERVER))
    command = [sys.executable, "-m", "pit_memory.server", "--root", str(project), "--http"]

    ran = subprocess.run(
        [*command, "--host", "0.0.0.0"],  # noqa: S104 -- it is refused
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 2
    assert ran.stderr.startswith("pit-memory: 0.0.0.0 can be reached from other machines")


def test_no_terminal_obeys_what_an_error_of_the_server_holds(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(MCP_SERVER))
    missing = tmp_path / "no\x1b[2J"

    ran = subprocess.run(
        [sys.executable, "-m", "pit_memory.server", "--root", str(missing), "--http"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ran.returncode != 0
    assert "no\N{SYMBOL FOR ESCAPE}[2J" in ran.stderr
    assert "\x1b" not in ran.stderr
