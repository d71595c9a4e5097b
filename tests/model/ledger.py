"""What driftd's records say: which findings are open, and whether every record is one that the world explains."""
import collections
import json

import world as w

# MESSAGE_ID of each transition (daemon/findings/messages.c): an id never changes its meaning.
TRANSITIONS = {
    "089938918e834a77b3539e496fd132e4": (w.DRIFT, "begin"), "d4131861a2b54861b8ebc72219a2c545": (w.DRIFT, "change"),
    "fb6644ef3575459bb0d4aa3285fd44aa": (w.DRIFT, "end"),
    "2f0bb75f9b304970936873cad12666ac": (w.COMPONENT, "begin"), "7be005bd8ec24ac087f9bc569446972f": (w.COMPONENT, "change"),
    "762eafabd5e7460d9746eddfaa52bb9b": (w.COMPONENT, "end"),
    "9c5a2bd1cfc7414199d006ad217f5c9f": (w.ERROR, "begin"), "50d75a1892e5468fb2e94fd01b0e5c7b": (w.ERROR, "change"),
    "18453e53647c44f883e56ddfe5a605f8": (w.ERROR, "end"),
    "8e5b34a15c0545fc8623fa20e043af6f": (w.GAP, "begin"), "674247d379954ea39de1c5a95955233a": (w.GAP, "change"),
    "0a85b1e492e645a993c897cb16fbab09": (w.GAP, "end"),
    "d56deb56604f4b208fba603c8b32faff": (w.VALIDATION, "begin"), "c0ce430562b94f08b40578a666733820": (w.VALIDATION, "change"),
    "d73a6633644149e79ca41ee69990eb34": (w.VALIDATION, "end"),
}

Open = collections.namedtuple("Open", "id finding")
ANY_KIND = "*"
AGAIN = "again"


def texts(record, name):
    """The values of a field, which is a list where it has several."""
    v = record.get(name, [])
    return v if isinstance(v, list) else [v]


def key_of(what, record):
    get = lambda name: record.get("DRIFTD_" + name, "")
    if what == w.COMPONENT:
        return (what, get("CLUSTER"), get("REFERENCE"), get("PART"), get("COMPONENT"))
    if what == w.GAP:
        return (what, get("CLUSTER"), get("API_VERSION"), get("KIND"), get("NAMESPACE"), get("NAME"))
    rule = (get("RULE"),) if get("RULE") else ()
    return (what, get("CLUSTER"), get("REFERENCE"), get("API_VERSION"), get("KIND"), get("NAMESPACE"), get("NAME")) + rule


def finding_of(what, record):
    paths = texts(record, "DRIFTD_PATH")
    if what == w.DRIFT:
        paths = zip(paths, texts(record, "DRIFTD_EXPECTED"), texts(record, "DRIFTD_ACTUAL"))
    return w.Finding(record.get("DRIFTD_SEVERITY"), tuple(sorted(paths)))


def told_by(transition, record):
    """What a record says, as a number: the same for a record that is told again."""
    return hash((transition, record.get("DRIFTD_DRIFT_ID"), key_of(transition[0], record), finding_of(transition[0], record)))


class Ledger:
    """Fed with every record. What cannot be right is in @wrong: (what happened, what was expected, the record).

    A record may come again under its DRIFTD_RECORD_ID, with DRIFTD_RESENT=1, from a driftd that was started after one was killed: it
    counts once.
    """

    def __init__(self, world):
        self.world = world
        self.open = {}
        self.wrong = []
        self.records = 0
        self.gaps = self.merged = 0
        self.events = collections.Counter()  # of the process: "started", "reloaded", …
        self.numbered = {}  # DRIFTD_RECORD_ID -> (told_by of the record, kills before it was told last)
        self.kills = 0  # of driftd, so far
        self.resent = collections.Counter()  # of records told again: "known", and "lost", which nobody had read before the kill
        self.places = {}  # how far the history of each key has been told
        self.ids = set()
        self.excused = [collections.defaultdict(set), collections.defaultdict(set)]  # kinds that a fault hid, of this span and the last

    def excuse(self, cluster, kinds):
        """A fault explains that these kinds (ANY_KIND: all, and the cluster) cannot be watched."""
        self.excused[0][cluster].update(kinds)

    def mark(self):
        self.excused = [collections.defaultdict(set), self.excused[0]]
        self.world.mark()

    def take(self, line):
        try:
            record = json.loads(line)
        except ValueError:
            self.wrong.append(("a line that is no record", "JSON", line))
            return
        transition = TRANSITIONS.get(record.get("MESSAGE_ID"))
        if not transition:
            self.events[record.get("DRIFTD_EVENT")] += 1
            return
        problem = self._number(transition, record)
        if problem == AGAIN:
            return
        self.records += 1
        what, event = transition
        key = key_of(what, record)
        if record.get("DRIFTD_MERGED") == "1":  # it was over before its begin could be told
            problem = problem or self._order(key, "begin", record) or self._reason(what, key, "begin", record)
            self.merged += 1
        else:
            problem = problem or self._order(key, event, record)
        problem = problem or self._reason(what, key, event, record)
        if problem:
            self.wrong.append((*problem, record))
        if event == "end":
            self.open.pop(key, None)
        else:
            self.open[key] = Open(record["DRIFTD_DRIFT_ID"], finding_of(what, record))

    def _number(self, transition, record):
        """What is wrong with its DRIFTD_RECORD_ID; AGAIN for what was told before and may be told again."""
        number, again = record.get("DRIFTD_RECORD_ID"), record.get("DRIFTD_RESENT")
        if number is None:
            return "a record without an id", "DRIFTD_RECORD_ID"
        if again not in (None, "1"):
            return f"DRIFTD_RESENT={again}", "1"
        if again and not self.kills:
            return "a record is told again", "no such record: driftd was not killed"
        said, before = told_by(transition, record), self.numbered.get(number)
        self.numbered[number] = (said, self.kills)
        if not before:
            self.resent["lost"] += again == "1"
            return None
        if before[0] != said:
            return f"the record id {number} for something else", "what it said before"
        if not again:
            return f"the record {number} is told a second time", "DRIFTD_RESENT=1"
        if before[1] == self.kills:
            return f"the record {number} is told again", "once at most for each driftd that was killed"
        self.resent["known"] += 1
        return AGAIN

    def _order(self, key, event, record):
        before, number = self.open.get(key), record.get("DRIFTD_DRIFT_ID")
        if event == "begin":
            if before:
                return f"{key} begins a second time", f"change or end of {before.id}"
            if number in self.ids:
                return f"{key} begins with an id that was there before", "a fresh id"
            self.ids.add(number)
            return None
        if not before:
            return f"{key}: {event} of what never began", "begin"
        return None if before.id == number else (f"{key}: {event} with the id {number}", before.id)

    def _reason(self, what, key, event, record):
        if what == w.GAP:
            return self._gap(key, event)
        finding = None if event == "end" else finding_of(what, record)
        if not self._known(key):
            return f"{key} is about what the model does not have", "no such record"
        place = self.world.find(key, finding, self.places.get(key, 0))
        if place is None:
            return f"{key}: {event} {finding}", "a state that the world has had, not before one that was told already"
        self.places[key] = place
        return None

    def _known(self, key):
        if key[0] == w.COMPONENT:
            return key in {w.component_key(*c) for c in self.world.components()}
        return (key[1], w.Slot(*key[4:7])) in self.world.objects and key[7:] in ((), (w.RULE,))

    def _gap(self, key, event):
        if event != "begin":
            return None
        self.gaps += 1
        excuses = self.excused[0][key[1]] | self.excused[1][key[1]]
        if ANY_KIND in excuses or key[3] in excuses:
            return None
        return f"{key} begins", "no gap, for no fault explains it"


def differences(truth, told):
    """What is open by the records and should not be, or the other way round: (key, expected, told)."""
    out = []
    for key in sorted(truth.keys() | told.keys(), key=str):
        expected, found = truth.get(key), told.get(key)
        if expected != w.AS_IT_WAS and expected != found:
            out.append((key, expected, found))
    return out
