"""A server for a team: everything that `serve --http` puts together, from start to end."""

import gc
import logging
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

from pit_memory import __version__
from pit_memory.core.settings.server_settings import FetchSettings
from pit_memory.core.writing.receipts import WriteReceipt
from pit_memory.errors import GitError, SettingsError, WriteRefusedError
from pit_memory.operations.meter import Meter
from pit_memory.operations.upkeep.freshness import Freshness
from pit_memory.operations.writing.team_writes import TeamWrites
from pit_memory.server.factory import NEEDS, WRITE_TOOL, build_server
from pit_memory.server.http import (
    HttpPlace,
    access_of_request,
    authenticator,
    check_tls,
    http_application,
    listen,
    run,
)
from pit_memory.server.on_demand import OpenedServices, ServicesOnDemand
from pit_memory.server.push_hook import HookRules, PushHook
from pit_memory.server.request_log import event, log_as_json
from pit_memory.server.search_processes import SearchProcesses, process_count
from pit_memory.server.tool_calls import ToolCalls
from pit_memory.server.watching import Watching
from pit_memory.wiring import (
    meaning_is_pending,
    open_services,
    project_root,
    server_folders,
    settings_watch,
)
from pit_memory.workspace.drafts_branch import DraftsBranch
from pit_memory.workspace.own_clone import fetch_and_forward
from pit_memory.workspace.places import places, token_file
from pit_memory.workspace.settings_files import load
from pit_memory.workspace.token_file import TokenFile


def serve_team(root: Path | None, flags: Mapping[str, object]) -> None:
    """Serve a project to a team until the process is asked to end.

    Args:
        root: the project; None for the one that encloses the current folder.
        flags: settings by name that the command line gives; None where it doesn't.

    Raises:
        UsageError, SettingsError: it can't be served like that; says why.
        PitMemoryError: the project can't be opened.
    """
    top = project_root(root)
    where = places(os.environ)
    given = {name: value for name, value in flags.items() if value is not None}
    loaded = load(top, where, os.environ, given, lenient=True)
    for mistake in loaded.mistakes:  # what a push to the clone got wrong takes nobody's search away
        if mistake.is_trusted:
            raise SettingsError(mistake.message)
    settings = loaded.settings
    served = settings.server
    place = HttpPlace(served.host, served.port, served.certfile, served.keyfile)
    who = authenticator(settings.auth, TokenFile(token_file(where)), place)
    check_tls(place)
    listening = listen(place)
    log_as_json()
    logging.getLogger("fastmcp").setLevel(logging.ERROR)
    meter = Meter()
    writes, no_branch = _writes(top, settings.fetch)
    processes = SearchProcesses(top, process_count(served), meter)

    def opened() -> AbstractContextManager[OpenedServices]:
        return open_services(
            top,
            background="thread",
            shared=True,
            canary=True,
            meter=meter,
            answering=processes.for_new_services(),
        )

    services = ServicesOnDemand(
        opened,
        partial(meaning_is_pending, top),
        settings_watch(top),
        writes.write if writes else _refuse_write,
    )
    folders = server_folders(top, settings)
    try:
        server = build_server(
            services,
            who_asks=access_of_request,
            is_left_out=lambda tool: (
                tool == WRITE_TOOL and (writes is None or bool(writes.why_off))
            ),
            calls=ToolCalls(NEEDS, meter, log_content=served.log_content),
            folders=folders,
        )
        fetch = _fetch(top, settings.fetch, writes)
        freshness = Freshness(fetch, services.sync, settings.fetch.every)
        Watching(
            services, meter, freshness, lambda: processes.ready, told=folders.without
        ).add_routes(server)
        rules = HookRules(
            settings.fetch.secret, settings.fetch.repositories, settings.fetch.branches
        )
        PushHook(rules, freshness.wake, meter).add_route(server)
        canary = services.check_canary()  # opens everything: what is broken is said now
        gc.freeze()
        event(
            "serving",
            url=replace(place, port=listening.getsockname()[1]).url,
            version=__version__,
            project=str(top),
            needs_token=who is not None,
            search_processes=processes.count,
            writes=_said(writes) if writes else no_branch,
            words=canary.words,
            meaning=canary.meaning,
        )
        app = http_application(server, served, who, meter)
        freshness.start()
        try:
            run(app, place, [listening], served.max_connections)
        finally:
            freshness.stop()
    finally:
        listening.close()
        processes.close()
        services.close()
    event("ended")


def _writes(root: Path, settings: FetchSettings) -> tuple[TeamWrites | None, str]:
    """What agents write, where there is a branch for it, and why there is none."""
    if not settings.drafts:
        return None, "off: fetch.drafts names no branch"
    try:
        writes = TeamWrites(DraftsBranch(root, settings.drafts, settings.base))
    except GitError as error:
        return None, f"off: {error}"
    writes.check()
    return writes, ""


def _said(writes: TeamWrites) -> str:
    return f"off: {writes.why_off}" if writes.why_off else writes.branch.branch


def _refuse_write(_: Callable[[], WriteReceipt]) -> WriteReceipt:
    raise WriteRefusedError("nothing is written on this server: it has nowhere to push to")


def _fetch(
    root: Path, settings: FetchSettings, writes: TeamWrites | None
) -> Callable[[], str] | None:
    """What brings the clone forward; None where nothing is fetched."""
    if settings.secret and not settings.repositories:
        message = "fetch.secret is set and fetch.repositories names none: say whose pushes count"
        raise SettingsError(message)
    if writes is not None:
        return writes.bring_in
    fetches = settings.remote or bool(settings.secret)
    return partial(fetch_and_forward, root) if fetches else None
