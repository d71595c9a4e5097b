"""What a journal says after the power was cut, held against what driftd says is open.

power_ledger.py RECORDS FINDINGS: RECORDS of journalctl -o json, FINDINGS of /api/v1/findings. Ends with 1, and says what is wrong.
"""

import json
import sys

BEGINS, ENDS = ("begin", "accepted"), ("end", "expired")


def subject(r):
    names = ("MESSAGE_KIND", "CLUSTER", "REFERENCE", "PART", "COMPONENT", "API_VERSION", "KIND", "NAMESPACE", "NAME", "RULE", "RULE_PLACE")
    return (r["MESSAGE"].split()[0],) + tuple(str(r.get("DRIFTD_" + n)) for n in names)


def ledger(records):
    """The ids that are open, and what is wrong with the records."""
    open_ids, begun, ended, ids, by_subject, wrong = {}, set(), set(), set(), {}, []
    for r in records:
        drift, event = r.get("DRIFTD_DRIFT_ID"), r.get("DRIFTD_EVENT")
        if not drift:
            continue
        marked = "DRIFTD_RESENT" in r
        what = f"{event} of {drift} ({r['MESSAGE'][:80]})"
        if r["DRIFTD_RECORD_ID"] in ids:
            if not marked:
                wrong.append(f"told twice without a mark: {what}")
            continue
        ids.add(r["DRIFTD_RECORD_ID"])
        if event in BEGINS:
            other = by_subject.get(subject(r))
            if drift in begun and not marked:
                wrong.append(f"begun twice without a mark: {what}")
            if other and other != drift:
                wrong.append(f"begun while {other} is open: {what}")
            begun.add(drift)
            if drift not in ended:
                open_ids[drift] = r
                by_subject[subject(r)] = drift
        elif event in ENDS:
            if drift in ended and not marked:
                wrong.append(f"ended twice without a mark: {what}")
            ended.add(drift)
            if drift not in begun and "DRIFTD_MERGED" not in r:
                wrong.append(f"ended before it began: {what}")
            open_ids.pop(drift, None)
            by_subject = {k: v for k, v in by_subject.items() if v != drift}
        elif drift not in open_ids:
            wrong.append(f"changed while it is not open: {what}")
    return open_ids, wrong


def main():
    with open(sys.argv[1]) as f:
        records = [json.loads(line) for line in f]
    with open(sys.argv[2]) as f:
        known = {x["id"] for x in json.load(f)["items"]}
    open_ids, wrong = ledger(records)
    wrong += [f"open for ever: {i}: {open_ids[i]['MESSAGE'][:80]}" for i in open_ids if i not in known]
    wrong += [f"open without a record: {i}" for i in known if i not in open_ids]
    print("\n".join(wrong) if wrong else f"{len(records)} records, {len(known)} open, {sum('DRIFTD_RESENT' in r for r in records)} marked")
    sys.exit(bool(wrong))


main()
