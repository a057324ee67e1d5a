"""Facts at size: isolation and recall among many assignments, and many processes that store.

    python benchmarks/facts.py isolation --assignments 1000 --facts 100 --recalls 10000
    python benchmarks/facts.py store --processes 16 --facts 100
    python benchmarks/facts.py latency --facts 200
    python benchmarks/facts.py kills

`isolation` asks with words of others, markers, ids, look-alikes; every fact told is compared with
the asking assignment. Vectors are random: the scan costs the same, and nothing has to be embedded.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from measuring import fsync_seconds, quantiles

from pit_memory.core.facts.assignments import assignment_folder
from pit_memory.core.facts.facts import Fact, NewFact, render_fact
from pit_memory.core.indexing.embedding import Embedder
from pit_memory.core.serving.access import LOCAL
from pit_memory.operations.facts import fact_files
from pit_memory.operations.facts import store_fact as storing
from pit_memory.operations.facts.facts import Facts
from pit_memory.operations.facts.list_facts import list_facts
from pit_memory.operations.facts.recall import recall
from pit_memory.operations.facts.store_fact import store_fact
from pit_memory.operations.indexing.sync import sync
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.keyword_index import KeywordIndex
from pit_memory.wiring import open_facts
from pit_memory.workspace.commits import _Commit
from pit_memory.workspace.shared_commits import SharedCommits

SUBJECTS = "deploy window,contact,database,invoice,holiday,contract,gateway,backup,license,region"
VALUES = "Tuesday,Mrs Weaver,Postgres 16,in May,on the third floor,quarterly,eu-west,encrypted"
DICE = random.Random(7)  # noqa: S311 - the same facts and questions every time
TODAY = 20_000
"""Days since the epoch, for the cache's log of uses."""


def main() -> None:
    """Run one of the benchmarks in a data folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what", choices=["isolation", "store", "latency", "kills", "child", "killed"]
    )
    parser.add_argument("--assignments", type=int, default=1_000)
    parser.add_argument("--facts", type=int, default=100)
    parser.add_argument("--recalls", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--number", type=int, default=0)
    parser.add_argument("--place", default="")
    options = parser.parse_args()
    if options.what == "child":
        store_many(options.number, options.facts)
        return
    if options.what == "killed":
        store_until_killed(options.number, options.place)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PIT_MEMORY_DATA"] = folder
        if options.what == "isolation":
            isolation(options.assignments, options.facts, options.recalls)
        elif options.what == "store":
            store(options.processes, options.facts, folder)
        elif options.what == "kills":
            kills(Path(folder, "facts"))
        else:
            latency(options.facts)


def isolation(assignments: int, count: int, recalls: int) -> None:
    """Count foreign facts among all that recalls tell, by both legs and by words alone."""
    names = [f"customer {number}" for number in range(assignments)]
    names[:4] = ["acme", "Acme", "\N{CYRILLIC SMALL LETTER A}cme", "acme ltd"]
    with open_facts(Path.cwd()) as (facts, _):
        ids = make_facts(facts, names, count)
        began, worked = time.perf_counter(), time.process_time()
        sync(facts.store, [facts.source(name) for name in names])
        took, worked = time.perf_counter() - began, time.process_time() - worked
        print(f"{assignments * count:,} facts indexed in {took:.0f} s, {worked:.0f} s of processor")
        give_vectors(facts)
        for mode in (None, "keyword"):
            told = foreign = 0
            seconds: list[float] = []
            work: list[float] = []
            for _ in range(recalls):
                name = DICE.choice(names)
                query = adversarial(names, ids)
                began, worked = time.perf_counter(), time.process_time()
                answer = recall(facts, replace(LOCAL, assignment=name), query, 20, mode=mode)
                seconds.append(time.perf_counter() - began)
                work.append(time.process_time() - worked)
                told += len(answer.facts)
                foreign += sum(fact.assignment != name for fact in answer.facts)
            print(f"{mode or 'hybrid'}: {recalls:,} recalls, {told:,} told, {foreign} foreign")
            print(f"  {quantiles(seconds)}; of processor {quantiles(work)}")
        if facts.meaning is not None:
            embedder = facts.meaning.embedder
            work = [time_embedding(embedder, adversarial(names, ids)) for _ in range(500)]
            print(f"of which the vector of a question: {quantiles(work)}")


def time_embedding(embedder: Embedder, query: str) -> float:
    """Seconds of the processor that the vector of a question takes."""
    began = time.process_time()
    embedder.embed_query(query)
    return time.process_time() - began


def make_facts(facts: Facts, names: Sequence[str], count: int) -> list[str]:
    """Write files of facts, as a git pull would; returns their ids."""
    ids = []
    subjects, values = SUBJECTS.split(","), VALUES.split(",")
    for name in names:
        folder = facts.home.root / assignment_folder(name)
        folder.mkdir(parents=True)
        for number in range(count):
            subject, value = subjects[number % len(subjects)], DICE.choice(values)
            text = f"The {subject} of {name} number {number} is {value}."
            day = f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}T08:00:00Z"
            fact = Fact(name, text, topic=subject, created=day)
            (folder / f"{fact.id}.md").write_text(render_fact(fact), encoding="utf-8")
            ids.append(fact.id)
    return ids


def give_vectors(facts: Facts) -> None:
    """Give every text a random vector, so that the semantic leg scans as many as there would be."""
    if facts.meaning is None:
        print("no model: words only")
        return
    embedder, cache = facts.meaning.embedder, facts.meaning.cache
    hashes = list({text_hash for _, _, text_hash in facts.store.catalogue.embed_hashes()})
    rng = np.random.default_rng(7)
    for begin in range(0, len(hashes), 5_000):
        part = hashes[begin : begin + 5_000]
        vectors = rng.standard_normal((len(part), embedder.dimension)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        cache.write(embedder.fingerprint, part, vectors, TODAY)
    facts.meaning.vectors.follow()


def adversarial(names: Sequence[str], ids: Sequence[str]) -> str:
    """A question that would find facts of others, were they there to find."""
    other = DICE.choice(names)
    subject, value = DICE.choice(SUBJECTS.split(",")), DICE.choice(VALUES.split(","))
    return DICE.choice(
        (
            f"what is the {subject} of {other}",
            f"The {subject} of {other} number {DICE.randrange(100)} is {value}.",
            f"<!-- pit-memory:assignment {other} --> {subject}",
            f"facts::{DICE.choice(ids)}",
            DICE.choice(ids),
            f"{assignment_folder(other)}/{DICE.choice(ids)}.md",
            f"assignment: {other} {subject}",
            f'"{other}"',
            subject.replace("a", "\N{CYRILLIC SMALL LETTER A}"),
        )
    )


def store(processes: int, count: int, folder: str) -> None:
    """Let processes store at the same time; compare what is there with what should be."""
    began = time.perf_counter()
    command = [sys.executable, __file__, "child", "--facts", str(count)]
    running = [
        subprocess.Popen([*command, "--number", str(number)], stdout=subprocess.PIPE, text=True)
        for number in range(processes)
    ]
    outputs = [process.communicate()[0] for process in running]
    took = time.perf_counter() - began
    commits = sum(int(output.split()[0]) for output in outputs if output)
    failed = [process.returncode for process in running if process.returncode]
    home = Path(folder, "facts")
    files = [path for path in home.rglob("*.md") if ".git" not in path.parts]
    git = ("git", "-C", str(home))
    waiting = subprocess.run((*git, "status", "--porcelain"), capture_output=True, check=True)
    log = subprocess.run((*git, "rev-list", "--count", "HEAD"), capture_output=True, check=True)
    print(f"{len(files)} of {processes * count} facts in {took:.0f} s, {len(failed)} errors")
    print(f"{commits} keyword commits, {int(log.stdout)} git commits")
    print(f"not committed: {len(waiting.stdout.splitlines())}")


def store_many(number: int, count: int) -> None:
    """Store facts, and print how many commits to the keyword index this process made."""
    commits = 0
    apply = KeywordIndex.apply

    def counted(*arguments: object, **named: object) -> None:
        nonlocal commits
        commits += 1
        apply(*arguments, **named)  # type: ignore[arg-type]

    KeywordIndex.apply = counted  # type: ignore[method-assign]
    access = replace(LOCAL, assignment="acme")
    with open_facts(Path.cwd()) as (facts, _):
        for at in range(count):
            text = f"Unit {number} has the serial number {number * 1_000 + at}-{at * 7919}."
            receipt = store_fact(facts, access, NewFact(text))
            if not (receipt.is_stored and receipt.is_retrievable):
                print(receipt, file=sys.stderr)
                sys.exit(1)
    print(commits)


def kills(home: Path) -> None:
    """Kill stores at every place between file, index and commit; count what is lost."""
    acknowledged: list[str] = []
    killed = 0
    command = [sys.executable, __file__, "killed"]
    for number, place in enumerate(f"{when} {what}" for what in KILLED_AT for when in WHEN):
        arguments = (*command, "--number", str(number), "--place", place)
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        acknowledged += done.stdout.split()
        killed += done.returncode == -signal.SIGKILL
        if done.returncode not in (0, -signal.SIGKILL):
            print(place, done.stderr, file=sys.stderr)
    access = replace(LOCAL, assignment="acme")
    with open_facts(Path.cwd()) as (facts, _):
        refused: list[str] = []
        store_fact(facts, access, NewFact("The last one."))
        there = {fact.id: fact for fact in list_facts(facts, access, refused)}
        told = sum(
            fact_id in {it.id for it in recall(facts, access, there[fact_id].text, 20).facts}
            for fact_id in acknowledged
            if fact_id in there
        )
    status = ("git", "-C", str(home), "status", "--porcelain", "--untracked-files=all")
    waiting = subprocess.run(status, capture_output=True, check=True).stdout.splitlines()
    print(f"{killed} stores killed; {told} of {len(acknowledged)} acknowledged facts are told")
    print(f"{len(refused)} files are no facts, {len(waiting)} are not committed")


WHEN = ("before", "after")
KILLED_AT = {
    "announce": (storing, "announce_facts"),
    "file": (fact_files, "write_new"),
    "rows": (Catalogue, "write"),
    "words": (KeywordIndex, "apply"),
    "follower": (Catalogue, "set_follower"),
    "search": (storing, "_index_and_find"),
    "mark": (SharedCommits, "_mark"),
    "lock": (SharedCommits, "_commit_all"),
    "git": (_Commit, "_git"),
    "status": (_Commit, "_status"),
    "commit": (storing, "commit_facts"),
}
"""Where a store is killed: the owner of a function, and its name."""


def store_until_killed(number: int, place: str) -> None:
    """Store facts, naming each on a line; die at the third one."""
    when, _, what = place.partition(" ")
    owner, name = KILLED_AT[what]
    do = getattr(owner, name)
    at = 0

    def killed(*given: object, **named: object) -> object:
        if at < 2:
            return do(*given, **named)
        if when == "after":
            do(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)
        return None

    setattr(owner, name, killed)
    with open_facts(Path.cwd()) as (facts, _):
        for at in range(4):
            text = f"Machine {number}.{at} stands in rack {number * 4 + at}."
            receipt = store_fact(facts, replace(LOCAL, assignment="acme"), NewFact(text))
            print(receipt.id, flush=True)


def latency(count: int) -> None:
    """From the call of a store to the fact being recallable and committed."""
    access = replace(LOCAL, assignment="acme")
    print(f"fsync of 4 KiB: {quantiles(fsync_seconds(Path(os.environ['PIT_MEMORY_DATA']), 20))}")
    seconds = []
    with open_facts(Path.cwd()) as (facts, _):
        for at in range(count):
            began = time.perf_counter()
            store_fact(facts, access, NewFact(f"Machine {at} stands in rack {at % 40}-{at}."))
            seconds.append(time.perf_counter() - began)
    print(f"store to recallable: {quantiles(seconds)}")


if __name__ == "__main__":
    main()
