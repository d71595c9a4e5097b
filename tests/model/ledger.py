"""What driftd's records say: which findings are open, and whether every record is one that the world explains."""
import collections
import copy
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
OWN = "(driftd)"  # the kind of a gap that is driftd's own; its name says what it cannot do
NOT_STORED, NOT_WRITTEN = (OWN, "findings cannot be stored"), (OWN, "records cannot be written")
NOT_READ = OWN, "records that wait to be sent cannot be read"  # to take a row out of the outbox is to write
NOT_IN_PLACE = (OWN, "the state folder is not in its place")


def texts(record, name):
    """The values of a field, which is a list where it has several."""
    v = record.get(name, [])
    return v if isinstance(v, list) else [v]


def key_of(what, record):
    get = lambda name: record.get("DRIFTD_" + name, "")
    if what == w.COMPONENT or (what == w.ERROR and not get("KIND")):  # an error of a release of Helm is about no object
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


def finding_in_journal(what, record):
    """The same of a record that was read in the journal (world.as_in_journal)."""
    names = ("DRIFTD_PATH", "DRIFTD_EXPECTED", "DRIFTD_ACTUAL") if what == w.DRIFT else ("DRIFTD_PATH",)
    return w.Finding(record.get("DRIFTD_SEVERITY"), tuple(tuple(sorted(set(texts(record, n)))) for n in names))


def times_of(record):
    """What is wrong with its times, whatever the clock does."""
    for name in ("DRIFTD_DURATION_USEC", "DRIFTD_FIRST_SEEN_USEC", "DRIFTD_DEFERRED_USEC"):
        if not record.get(name, "0").isdecimal():
            return f"{name}={record[name]}", "a number that is not negative"
    return None


class Ledger:
    """Fed with every record. What cannot be right is in @wrong: (what happened, what was expected, the record).

    A record may come again under its DRIFTD_RECORD_ID, with DRIFTD_RESENT=1, after a break: then nobody knows whether it was written
    before. It counts once. On standard output kill -9 of driftd is a break, in the journal only that the journal was away.

    One with DRIFTD_NOT_DURABLE=1 could not be stored before it was told. A driftd that ends before it is knows nothing of it, and what it
    says afterwards goes on from what was stored; it must know of all others.

    When the power is cut, what was told goes back to what the journal still has. A driftd whose database lacks what the journal has goes on
    from what the journal says, and does not know the values: they may have changed since without a record, in the same fields. The same
    holds when it says that its database was damaged.
    """

    def __init__(self, world, journal=False, busy=lambda: False):
        self.world = world
        self.finding_of = finding_in_journal if journal else finding_of
        self.busy = busy  # whether the machine may explain a gap
        self.gaps_of_load = 0
        self.lagging = False  # what was sent in a break may still come
        self.lives, self.life = {}, None  # process id -> records that were stored when it was started; the one that is heard
        self.undurable = {}  # key -> as it was before, and for each record that was not durable: (its id, what is open since, its place)
        self.not_durable = self.forgotten = 0
        self.may_be_undurable = [False, False]  # of this span and the last
        self.open = {}
        self.wrong = []
        self.records = 0
        self.gaps = self.merged = 0
        self.events = collections.Counter()  # of the process: "started", "reloaded", …
        self.numbered = {}  # DRIFTD_RECORD_ID -> (what the record says as a number, breaks before it was told last)
        self.breaks = 0  # so far
        self.resent = collections.Counter()  # of records told again: "known", and "lost", which nobody had read before the break
        self.places = {}  # how far the history of each key has been told
        self.ids = set()
        self.orphans = {}  # id -> the key of what is open in the journal, and was forgotten; and what it was
        self.over = set()  # ids of what has ended in the journal, and was forgotten to have
        self.ended = set()  # ids of what has ended by the records
        self.of_found = 0  # records about findings of which driftd has found in the journal that they are open, or over
        self.told = []  # the key of each record
        self.synced = 0  # records at which a journal brings all that it was sent to the disk
        self.loose = set()  # keys of what is open with values that driftd may not know
        self.may_say_damaged = [False, False]  # of this span and the last
        self.excused = [collections.defaultdict(set), collections.defaultdict(set)]  # kinds that a fault hid, of this span and the last

    def excuse(self, cluster, kinds):
        """A fault explains that these kinds (ANY_KIND: all, and the cluster) cannot be watched."""
        self.excused[0][cluster].update(kinds)

    def mark(self):
        self.excused = [collections.defaultdict(set), self.excused[0]]
        self.may_be_undurable = [False, self.may_be_undurable[0]]
        self.may_say_damaged = [False, self.may_say_damaged[0]]
        if not any(self.may_be_undurable):
            self.undurable = {}  # stored long since
        self.lagging = False
        self.world.mark()

    def journal_breaks(self):
        """It is away, or driftd was started while it was."""
        self.breaks += 1
        self.lagging = True

    def disk_is_full(self):
        self.may_be_undurable[0] = True
        self.may_say_damaged[0] = True

    def database_is_damaged(self):
        """Until it is another, nothing can be stored."""
        self.may_be_undurable[0] = True
        self.may_say_damaged[0] = True

    def photograph(self):
        """What was told so far."""
        kept = {name: copy.copy(getattr(self, name)) for name in ("open", "numbered", "places", "ids", "life", "ended", "orphans")}
        return kept, len(self.told)

    def lose_power(self, journal, database):
        """What was told is what the first of these photographs shows; driftd knows what the second one does, and reads the journal."""
        self.loose |= set(self.told[min(journal[1], database[1]):])
        for name, value in journal[0].items():
            setattr(self, name, copy.copy(value))
        self.undurable = {}
        self.breaks += 1
        self.lagging = False
        self.may_say_damaged[0] = True

    def start(self, life, stored):
        """driftd was started as process @life; @stored: the ids of the records that it found stored, which may leave out old ones."""
        self.lives[str(life)] = stored

    def take(self, line):
        try:
            record = json.loads(line)
        except ValueError:
            self.wrong.append(("a line that is no record", "JSON", line))
            return
        # journald does not know who sent what it reads after the process has ended: the last one did.
        if record.get("_PID", self.life) != self.life:
            self._begin_life(record["_PID"])
        transition = TRANSITIONS.get(record.get("MESSAGE_ID"))
        problem = self._number(transition, record)
        if problem == AGAIN:
            return
        if not transition:
            self.events[record.get("DRIFTD_EVENT")] += 1
            problem = problem or self._damaged(record)
            if problem:
                self.wrong.append((*problem, record))
            return
        self.records += 1
        what, event = transition
        key = key_of(what, record)
        problem, place = problem or times_of(record), self.places.get(key, 0)
        if record.get("DRIFTD_MERGED") == "1":  # it was over before its begin could be told
            problem = problem or self._order(key, "begin", record) or self._reason(what, key, "begin", record)
            self.merged += 1
        else:
            problem = problem or self._order(key, event, record)
        problem = problem or self._reason(what, key, event, record)
        if problem:
            self.wrong.append((*problem, record))
        self.told.append(key)
        self.loose.discard(key)
        before = None, self.open.get(key), place
        self.orphans.pop(record["DRIFTD_DRIFT_ID"], None)  # it is as it is told now
        if event == "begin":  # of several under a key the latest is what driftd takes from the journal
            self.orphans = {number: orphan for number, orphan in self.orphans.items() if orphan[0] != key}
        if event == "end":
            self.ended.add(record["DRIFTD_DRIFT_ID"])
        self._set(key, None if event == "end" else Open(record["DRIFTD_DRIFT_ID"], self.finding_of(what, record)))
        self._note_durable(key, before, record)

    def found(self, truth, ended=False, orphaned=False):
        """What is open, where driftd may have found in the journal what it had forgotten: so that it is the truth, about which nothing need be said.
        @ended: of what may be as it was, driftd has found the end; @orphaned: it has found that it is open."""
        if not any(self.may_say_damaged):
            return self.open
        over = (None, w.AS_IT_WAS) if ended else (None,)
        out = {key: o for key, o in self.open.items() if o.id not in self.over or truth.get(key) not in over}
        for key, o in self.orphans.values():
            if o.id in self.ended:
                continue
            may_be = truth.get(key)
            is_as = lambda finding: may_be == w.AS_IT_WAS or same_fields(may_be, finding)
            is_so = orphaned if may_be == w.AS_IT_WAS else is_as(o.finding)
            may_be_it = self._may_be_over(out.get(key)) or out[key].id == o.id  # a change of it was forgotten
            if is_so and may_be_it and not (key in out and is_as(out[key].finding)):
                out[key] = o
        return out

    def _may_be_over(self, o):
        """Of what is open by the records: driftd may have found the end in the journal."""
        return not o or (o.id in self.over and any(self.may_say_damaged))

    def _was_found(self, key, number):
        return self.orphans.get(number, (None,))[0] == key and any(self.may_say_damaged)

    def kept(self, state):
        """What of a database, key -> (id, severity), is not as it was told: (key, told, kept). What may have been found in the journal is taken over."""
        out = []
        for key in sorted(self.open.keys() | state.keys(), key=str):
            told, kept = self.open.get(key), state.get(key)
            if kept == (told and (told.id, told.finding.severity)):
                continue
            if self._may_be_over(told) and (not kept or self._was_found(key, kept[0])):
                self._set(key, kept and self.orphans[kept[0]][1])
            else:
                out.append((key, told and (told.id, told.finding.severity), kept))
        return out

    def _damaged(self, record):
        """What is wrong with what it says of its database; what it says is taken at its word."""
        if record.get("DRIFTD_EVENT") != "state-unreadable":
            return None
        if not any(self.may_say_damaged):
            return "the state database is said to be damaged", "no such record"
        self.loose |= set(self.open)
        self.synced += record["PRIORITY"] <= "2"
        return None

    def _set(self, key, now):
        if now:
            self.open[key] = now
        else:
            self.open.pop(key, None)

    def _note_durable(self, key, before, record):
        if record.get("DRIFTD_NOT_DURABLE") != "1":
            self.undurable.pop(key, None)  # they are stored in their order
            return
        self.not_durable += 1
        self.undurable.setdefault(key, [before]).append((record["DRIFTD_RECORD_ID"], self.open.get(key), self.places.get(key, 0)))
        if not any(self.may_be_undurable):
            self.wrong.append(("a record that was not durable", "one that was: the disk was not full", record))

    def _begin_life(self, life):
        """Another driftd than before is heard: of what was not durable it knows what was stored when it was started."""
        stored, self.life = self.lives.get(life), life
        if stored is None:
            self.wrong.append((f"a record of process {life}", "of a driftd of this run", None))
            return
        for key, steps in self.undurable.items():
            known = [step for step in steps if step[0] is None or step[0] in stored]
            if len(known) < len(steps):
                self.forgotten += len(steps) - len(known)
                self.orphans |= {now.id: (key, now) for _, now, _ in steps if now}
                self.over |= {before[1].id for before, step in zip(steps, steps[1:]) if before[1] and not step[1]}
                _, now, self.places[key] = known[-1]
                self._set(key, now)
        self.undurable = {}

    def _told_by(self, transition, record):
        """What a record says, as a number: the same for a record that is told again."""
        if not transition:
            return hash((record.get("MESSAGE_ID"), record.get("MESSAGE")))
        what = transition[0]
        return hash((transition, record.get("DRIFTD_DRIFT_ID"), key_of(what, record), self.finding_of(what, record)))

    def _number(self, transition, record):
        """What is wrong with its DRIFTD_RECORD_ID; AGAIN for what was told before and may be told again."""
        number, again = record.get("DRIFTD_RECORD_ID"), record.get("DRIFTD_RESENT")
        if number is None:
            return "a record without an id", "DRIFTD_RECORD_ID"
        if again not in (None, "1"):
            return f"DRIFTD_RESENT={again}", "1"
        if again and not self.breaks:
            return "a record is told again", "no such record: it was known to be written"
        said, before = self._told_by(transition, record), self.numbered.get(number)
        self.numbered[number] = (said, self.breaks - (self.lagging and not again))
        if not before:
            self.resent["lost"] += again == "1"
            return None
        if before[0] != said:
            return f"the record id {number} for something else", "what it said before"
        if not again:
            return f"the record {number} is told a second time", "DRIFTD_RESENT=1"
        if before[1] == self.breaks:
            return f"the record {number} is told again", "once at most for each break"
        self.resent["known"] += 1
        return AGAIN

    def _order(self, key, event, record):
        before, number = self.open.get(key), record.get("DRIFTD_DRIFT_ID")
        if event == "begin":
            if not self._may_be_over(before):
                return f"{key} begins a second time", f"change or end of {before.id}"
            if number in self.ids:
                return f"{key} begins with an id that was there before", "a fresh id"
            self.ids.add(number)
            self.of_found += before is not None
            return None
        if self._may_be_over(before) and self._was_found(key, number):
            self.of_found += 1
            return None
        if not before:
            return f"{key}: {event} of what never began", "begin"
        return None if before.id == number else (f"{key}: {event} with the id {number}", before.id)

    def _reason(self, what, key, event, record):
        if what == w.GAP:
            return self._gap(key, event)
        finding = None if event == "end" else self.finding_of(what, record)
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
        if (ANY_KIND in excuses and key[3] != OWN) or key[3] in excuses or (key[3], key[5]) in excuses:
            return None
        if self.busy():
            self.gaps_of_load += 1
            return None
        return f"{key} begins", "no gap, for no fault explains it"


def same_fields(one, other):
    """Whether two findings, as they are in a journal, differ in the values of their fields at most."""
    return one and other and one.severity == other.severity and one.paths[0] == other.paths[0]


def differences(truth, told, loose=()):
    """What is open by the records and should not be, or the other way round: (key, expected, told). @loose: keys that may have other values."""
    out = []
    for key in sorted(truth.keys() | told.keys(), key=str):
        expected, found = truth.get(key), told.get(key)
        if expected != w.AS_IT_WAS and expected != found and not (key in loose and same_fields(expected, found)):
            out.append((key, expected, found))
    return out
