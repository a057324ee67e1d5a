"""Load a team server: open load over many connections, then a closed loop; errors and latency.

Usage: python benchmarks/load.py URL... [--token T] [--rate 20] [--connections 200] [--seconds 60]
           [--clients 8]

Open load sends at a steady rate whatever the answers take, as a fleet of agents does; the closed
loop sends the next question when the answer is there. One client alone is measured first: the
others are compared with it. No question is asked twice before a thousand others were. Several URLs
are replicas, asked in turn. Raise `server.requests_a_minute` there: all of it is one token's.
Run it in a quiet moment, on another machine where there is one.
"""

import argparse
import asyncio
import itertools
import random
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable

import httpx
from measuring import p95

FORMS = (
    "how do I {} {}",
    "why would we {} {}",
    "when to {} {} on a server",
    "who may {} {}",
    "what happens if I {} {} twice",
)
VERBS = (
    "configure roll_back rotate restart upgrade test find delete limit list monitor back_up move"
)
THINGS = (
    "index token key draft site hook vault fact incident model cache source launcher lock server "
    "citation"
)
SINGLE = 200
"""Questions of one client alone."""
HEADERS = {"accept": "application/json, text/event-stream"}


def questions() -> list[str]:
    """A thousand questions in a mixed order, the same each time."""
    verbs = [verb.replace("_", " ") for verb in VERBS.split()]
    made = [
        form.format(verb, f"the {thing}")
        for form in FORMS
        for verb in verbs
        for thing in THINGS.split()
    ]
    random.Random(1).shuffle(made)  # noqa: S311 -- nothing to guess
    return made


class Asked:
    """What became of the requests of one run."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.errors: Counter[str] = Counter()

    def line(self, name: str, took: float) -> str:
        """One row of the table."""
        done = self.seconds or [float("nan")]
        return (
            f"| {name} | {len(self.seconds):,} | {self.errors.total():,} "
            f"| {len(self.seconds) / took:.1f}/s | {statistics.median(done) * 1000:.0f} ms "
            f"| {p95(done) * 1000:.0f} ms | {max(done) * 1000:.0f} ms |"
        )


async def ask(client: httpx.AsyncClient, url: str, question: str, asked: Asked) -> None:
    """Ask once and note what came of it."""
    call = {"name": "docs_search", "arguments": {"query": question}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    began = time.perf_counter()
    try:
        answer = await client.post(url, json=body)
        if answer.status_code != 200 or answer.json()["result"].get("isError"):
            asked.errors[f"status {answer.status_code}"] += 1
            return
    except (httpx.HTTPError, ValueError, KeyError) as error:
        asked.errors[type(error).__name__] += 1
        return
    asked.seconds.append(time.perf_counter() - began)


async def run(options: argparse.Namespace) -> None:
    """Measure, and print a table."""
    headers = HEADERS | ({"authorization": f"Bearer {options.token}"} if options.token else {})
    urls = itertools.cycle(options.urls)
    asking = itertools.cycle(questions())

    async def measured(
        name: str, connections: int, work: Callable[[httpx.AsyncClient, Asked], Awaitable[None]]
    ) -> None:
        asked = Asked()
        limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
        async with httpx.AsyncClient(headers=headers, limits=limits, timeout=30.0) as client:
            began = time.perf_counter()
            await work(client, asked)
            print(asked.line(name, time.perf_counter() - began), flush=True)
            for error, count in asked.errors.items():
                print(f"  {count} x {error}", flush=True)

    async def one(client: httpx.AsyncClient, asked: Asked) -> None:
        for _ in range(SINGLE):
            await ask(client, next(urls), next(asking), asked)

    async def opened(client: httpx.AsyncClient, asked: Asked) -> None:
        tasks = []
        began = time.perf_counter()
        for number in range(int(options.rate * options.seconds)):
            await asyncio.sleep(max(0.0, began + number / options.rate - time.perf_counter()))
            tasks.append(asyncio.create_task(ask(client, next(urls), next(asking), asked)))
        await asyncio.gather(*tasks)

    async def closed(client: httpx.AsyncClient, asked: Asked) -> None:
        ends = time.perf_counter() + options.seconds / 3

        async def loop() -> None:
            while time.perf_counter() < ends:
                await ask(client, next(urls), next(asking), asked)

        await asyncio.gather(*(loop() for _ in range(options.clients)))

    print("| load | answers | errors | rate | median | 95 % | longest |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    await measured("one client", 1, one)
    name = f"{options.rate:g} a second over {options.connections} connections"
    await measured(name, options.connections, opened)
    await measured(f"{options.clients} clients in a loop", options.clients, closed)


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("urls", nargs="+")
    parser.add_argument("--token", default="")
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=8)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
