"""The faults of a run, as a table: what the simulator is told, and which gaps each of them explains."""
import collections
import json

import world as w
from ledger import ANY_KIND

WATCHED = sorted({t.kind for t in w.TEMPLATES} | {"Service"})

# What a row says of gaps.
NONE = "none"  # watching resumes: nobody may be told of it
ITS_KIND = "its kind"  # the kind that was chosen
ALL = "all"

# weight: how often; make(rng, resource) -> commands. Rules end with the next "recover", which every checkpoint begins with.
Fault = collections.namedtuple("Fault", "weight name gaps make")


def requests(**effect):
    """A rule for a few lists or watches of one kind, whose open watches end, so that there are some."""
    def make(rng, resource):
        rule = {**effect, "resource": resource, "count": rng.randint(1, 3)}
        if "verb" not in effect:
            rule["verb"] = rng.choice(("watch", "watch", "list"))
        commands = [rule, {"action": "close-watches", "resource": resource}]
        return [{"action": "expire", "resource": resource, "http": rng.random() < 0.5}] + commands if rng.random() < 0.3 else commands
    return make


def everywhere(verb, **effect):
    """The same for whatever is asked next, of all kinds."""
    def make(rng, _):
        return [{**effect, "verb": verb, "count": rng.randint(1, 25)}, {"action": "close-watches"}]
    return make


def cut(rng, resource):
    shape = {"action": "body", "cut": rng.choice(("fin", "rst", "end", "close")), "bytes": int(2 ** rng.uniform(0, 13))}
    return requests(**shape)(rng, resource)


def slow(rng, resource):
    shape = rng.choice(({"bytesPerSecond": rng.randint(500, 20000)}, {"bytes": rng.randint(0, 3000), "seconds": rng.choice((1, 2))}))
    return requests(action="body", **shape)(rng, resource)


def on_watches(action, **more):
    """Something that happens to open watches, of one kind or of all."""
    def make(rng, resource):
        return [{"action": action, **more, **({"resource": resource} if rng.random() < 0.7 else {})}]
    return make


def line(rng, resource):
    slot = rng.choice([s for s in w.SLOTS if w.resource(w.KINDS[s.kind]) == resource])
    other = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": slot.name, "namespace": slot.namespace, "uid": "other", "resourceVersion": "9"}}
    text = rng.choice(('{"type":"MODIFIED"}', '{"type":"ADDED","object":null}', '{"type":"DELETED","object":{"metadata":{}}}', "[]",
                       '{"type":"NEW","object":{}}', '{"type":"BOOKMARK","object":{}}', '{"type":"ERROR","object":{"code":500}}',
                       json.dumps({"type": rng.choice(("ADDED", "MODIFIED", "DELETED")), "object": other})))
    return [{"action": "line", "resource": resource, "text": text}]


def expire(rng, resource):
    which = {"resource": resource} if rng.random() < 0.6 else {}
    return [{"action": "expire", "http": rng.random() < 0.5, **which}, {"action": "close-watches", **which}]


def stall_requests(rng, resource):
    return requests(action="stall", seconds=rng.choice((1, 2)))(rng, resource)


NOT_FOUND = {"status": 404, "reason": "NotFound", "message": "the server could not find the requested resource"}
FORBIDDEN = {"status": 403, "reason": "Forbidden", "message": "not for you"}
PLAIN_404 = {"status": 404, "body": "404 page not found\n"}
GROUPS = sorted({k.api.rpartition("/")[0] for k in w.KINDS.values()} - {""})


def look_again(rng):
    """Make the client look at discovery: a watch that is not found."""
    return [{**NOT_FOUND, "verb": "watch", "resource": w.resource(w.KINDS[rng.choice(WATCHED)]), "count": 1}, {"action": "close-watches"}]


def hide(rng, _):
    # Once: a kind that two complete looks lack is absent, and rightly so.
    return [{"action": "hide", "group": rng.choice(GROUPS), "count": 1}] + look_again(rng)


def stale(rng, _):
    rule = {"action": "stale", "group": rng.choice(GROUPS), "count": rng.randint(1, 4)}
    return [{**rule, **({"resources": False} if rng.random() < 0.5 else {})}] + look_again(rng)


def group_fails(rng, _):
    group = rng.choice(sorted({k.api for k in w.KINDS.values()} - {"v1"}))
    path = rng.choice(("/apis/" + group, "/apis/" + group, "/apis", "/api"))
    return [{"status": rng.choice((500, 503)), "path": path, "verb": "get", "count": rng.randint(1, 4)}] + look_again(rng)


def no_token(rng, _):
    verb = rng.choice(("watch", "list", "get"))
    return [{"status": 401, "reason": "Unauthorized", "message": "Unauthorized", "verb": verb, "count": rng.randint(1, 30)},
            {"action": "close-watches"}]


def no_list(rng, resource):
    """What looks well and is not a list of the kind: taken for one it would end all that is known."""
    text = rng.choice((
        '{"kind":"Status","apiVersion":"v1","metadata":{"resourceVersion":"9"},"status":"Success"}',
        '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"rows":[]}',
        '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"items":[]}',
        '{"kind":"GadgetList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]}',
        '{"kind":"List","apiVersion":"v0","metadata":{"resourceVersion":"9"},"items":[]}', '{"items":[]}', "{}", '{"metadata":{"resourceVersion":"9"},"items":{}}'))
    rule = {"status": 200, "contentType": "application/json", "body": text, "resource": resource, "verb": "list", "count": rng.randint(1, 3)}
    return [{"action": "expire", "resource": resource, "http": rng.random() < 0.5}, rule, {"action": "close-watches", "resource": resource}]


FAULTS = [Fault(*row) for row in (
    (10, "cut", ITS_KIND, cut),
    (3, "slow", ITS_KIND, slow),
    (4, "close", NONE, on_watches("close-watches")),
    (3, "reset", NONE, on_watches("reset")),
    (3, "truncate", NONE, on_watches("truncate")),
    (3, "garbage", NONE, on_watches("garbage")),
    (3, "line", ITS_KIND, line),
    (3, "error-410", NONE, on_watches("error")),
    (3, "stall", NONE, on_watches("stall", seconds=2)),
    (2, "stall-requests", ITS_KIND, stall_requests),
    (6, "expire", NONE, expire),
    (3, "404", ITS_KIND, requests(**NOT_FOUND)),
    (3, "404-plain", ITS_KIND, requests(**PLAIN_404)),
    (1, "404-everywhere", ALL, everywhere("watch", **PLAIN_404)),
    (3, "429", ITS_KIND, requests(status=429, retryAfter=1, reason="TooManyRequests")),
    (2, "500", ITS_KIND, requests(status=500)),
    (2, "503", ITS_KIND, requests(status=503, retryAfter=1)),
    (1, "503-everywhere", ALL, everywhere("watch", status=503)),
    (2, "504", ITS_KIND, requests(action="too-large-resource-version")),
    (2, "drop", ITS_KIND, requests(action="drop")),
    (2, "bad-item", ITS_KIND, requests(action="item", at=0, text="{,", verb="list")),
    (4, "no-list", ITS_KIND, no_list),
    (2, "no-initial-events", ITS_KIND, requests(action="ignore-initial-events", verb="watch")),
    (2, "hide", ALL, hide),
    (2, "stale", ALL, stale),
    (3, "group-fails", ALL, group_fails),
    (2, "401", ALL, no_token),
    (2, "403", ITS_KIND, requests(**FORBIDDEN)),
)]

# What lasts until the next "recover": long enough to be told as a gap where the run waits.
LASTING = [Fault(*row) for row in (
    (1, "403-lasting", ITS_KIND, lambda rng, resource: [
        {**FORBIDDEN, "resource": resource, "verb": v, "count": -1} for v in ("watch", "list")  # the run's own patches are let through
    ] + [{"action": "close-watches", "resource": resource}]),
    (1, "401-lasting", ALL, lambda rng, resource: [
        {"status": 401, "reason": "Unauthorized", "message": "Unauthorized", "verb": v, "count": -1} for v in ("watch", "list", "get")
    ] + [{"action": "close-watches"}]),
    (1, "503-lasting", ALL, lambda rng, resource: [{"status": 503, "verb": "watch", "count": -1}, {"action": "close-watches"}]),
    (1, "404-lasting", ITS_KIND, lambda rng, resource: [
        {**PLAIN_404, "resource": resource, "verb": "watch", "count": -1}, {"action": "close-watches", "resource": resource}]),
)]


EVIDENCE_S = 20  # evidence_max_age of the run
SILENT_S = EVIDENCE_S + 4  # then every claim that rests on what is silent has fallen
SILENCE_S = 3 * EVIDENCE_S  # of the simulator; the next "recover" ends it


def mute(verbs, answered=False):
    """Open watches say nothing, and what is asked is not answered, or (@answered) but for the headers."""
    def make(_, resource):
        rule = {"action": "body", "bytes": 0} if answered else {"action": "stall"}
        which = {"resource": resource} if resource else {}
        silence = [{"action": "stall", "seconds": SILENCE_S, **which}] if "watch" in verbs else []
        return silence + [{**rule, "seconds": SILENCE_S, "verb": v, "count": -1, **which} for v in verbs]
    return make


# Nothing fails, and nothing is said. falls: what is claimed of the cluster must be given up by then; else a list may show what is missed.
# lists: they are answered, so that what was not known yet may come to be. bookmarks: the watches go on, and the next bookmark is evidence: it
# has a newer version.
Silence = collections.namedtuple("Silence", "name falls lists bookmarks make")
SILENCES = [Silence(*row) for row in (
    ("mute", True, False, False, mute(("watch", "list", "get"))),
    ("mute-watches", True, True, False, mute(("watch",))),
    ("mute-reads", True, False, True, mute(("list",))),
    ("half-mute-watches", False, True, False, mute(("watch",), answered=True)),
)]


def choose(rng, rows):
    return rng.choices(rows, [r.weight for r in rows])[0]


def commands(rng, fault):
    """What to tell the simulator, and which kinds may be told as gaps because of it."""
    kind = rng.choice(WATCHED)
    gaps = {NONE: set(), ITS_KIND: {kind}, ALL: {ANY_KIND}}[fault.gaps]
    return fault.make(rng, w.resource(w.KINDS[kind])), gaps
