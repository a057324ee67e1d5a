"""Answers as JSON values: the stable contract of `--json`."""

from pit_memory.core.answers.answers import Hit, LegReport, SearchAnswer
from pit_memory.core.documents.incident_record import Incident, incident_values


def answer_json(answer: SearchAnswer) -> dict[str, object]:
    """The answer with the keys of the contract, ready for `json.dumps`."""
    return {
        "query": answer.query,
        "mode": answer.mode,
        "abstained": answer.abstained,
        "hits": [_hit_json(hit) for hit in answer.hits],
        "legs": {"keyword": _leg_json(answer.keyword), "semantic": _leg_json(answer.semantic)},
        "used_tokens": answer.used_tokens,
        "budget": answer.budget,
        "more": answer.more,
        "pending_files": answer.pending_files,
        "nearest": list(answer.nearest),
        "notes": list(answer.notes),
    }


def _hit_json(hit: Hit) -> dict[str, object]:
    return {
        "ref": hit.ref,
        "source": hit.source,
        "path": hit.path,
        "anchor": hit.anchor,
        "title": hit.title,
        "breadcrumb": list(hit.breadcrumb),
        "lines": list(hit.lines),
        "collection": hit.collection,
        "kind": hit.kind,
        "status": hit.status,
        "band": hit.band,
        "url": hit.url,
        "snippet": [{"line": line.line, "text": line.text} for line in hit.snippet],
        **({"incident": incident_json(hit.incident)} if hit.incident else {}),
        **({"related": True} if hit.is_related else {}),
        **({"copies": list(hit.copies)} if hit.copies else {}),
    }


def incident_json(incident: Incident) -> dict[str, object]:
    """What an incident's record says, ready for `json.dumps`."""
    values = incident_values(incident)
    del values["said"]
    return values


def _leg_json(leg: LegReport) -> dict[str, object]:
    return {"state": leg.state, "reason": leg.reason}
