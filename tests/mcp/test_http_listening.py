"""Where a server over HTTP listens, and where it refuses to."""

import pytest

from pit_memory.core.settings.server_settings import AuthSettings
from pit_memory.errors import SettingsError, UsageError
from pit_memory.server.http import HttpPlace, authenticator, check_tls, listen
from tests.mcp.http_server import PUBLIC

pytestmark = pytest.mark.timeout(90)


@pytest.mark.parametrize("host", [PUBLIC.host, "::", "10.1.2.3", "docs.example.org"])
def test_listening_for_other_machines_without_a_token_is_refused(tokens, host):
    with pytest.raises(UsageError, match="pit-memory token add"):
        authenticator(AuthSettings(), tokens, HttpPlace(host, 8484))
    assert authenticator(AuthSettings(), tokens, HttpPlace("::1", 8484)) is None


def test_a_port_in_use_is_named_with_the_way_out():
    with listen(HttpPlace("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=rf"127\.0\.0\.1:{port}.*--port"):
            listen(HttpPlace("127.0.0.1", port))


def test_a_certificate_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "cert.pem").write_text("no certificate")
    with pytest.raises(SettingsError, match=r"cert\.pem"):
        check_tls(HttpPlace("127.0.0.1", 1, str(tmp_path / "cert.pem")))
    with pytest.raises(SettingsError, match="--certfile"):
        check_tls(HttpPlace("127.0.0.1", 1, "", str(tmp_path / "key.pem")))
