#!/usr/bin/env python3
"""gathered.py FOLDER count|check [WHAT]: the records of several hosts (FOLDER/records-*), joined by their ids.

count prints how many drifts have begun and not ended. check fails unless each drift id begins once and ends at most once, in that order, no
state of it is told twice, and no object has two drifts at a time; it prints how many records were there more than once."""
import collections
import glob
import json
import sys


def read(folder):
    records, raw, resent = {}, 0, 0
    for path in glob.glob(folder + "/records-*"):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                try:
                    r = json.loads(line)
                except ValueError:
                    continue  # killed in the middle of a line
                if not r.get("DRIFTD_DRIFT_ID"):
                    continue
                raw += 1
                resent += r.get("DRIFTD_RESENT") == "1"
                first = records.setdefault(r["DRIFTD_RECORD_ID"], r)
                if first["MESSAGE"] != r["MESSAGE"]:
                    sys.exit(f"one id, two records: {first['MESSAGE']} / {r['MESSAGE']}")
    return sorted(records.values(), key=lambda r: int(r["__REALTIME_TIMESTAMP"])), raw, resent


def main():
    folder, what = sys.argv[1], sys.argv[2]
    records, raw, resent = read(folder)
    counts = collections.defaultdict(collections.Counter)
    states, names = collections.defaultdict(list), {}
    for r in records:
        drift, event = r["DRIFTD_DRIFT_ID"], r["DRIFTD_EVENT"]
        counts[drift][event] += 1
        counts[drift]["begin"] += r.get("DRIFTD_MERGED") == "1"  # of a flood: one record for both
        states[drift].append((event, r.get("DRIFTD_ACTUAL")))
        names[drift] = (r.get("DRIFTD_KIND"), r.get("DRIFTD_NAMESPACE"), r.get("DRIFTD_NAME"))
    open_ones = [d for d, c in counts.items() if c["begin"] > c["end"]]
    if what == "count":
        print(len(open_ones))
        return
    wrong = [f"{names[d]} {d}: {dict(c)}" for d, c in counts.items() if c["begin"] != 1 or c["end"] > 1]
    wrong += [f"{names[d]} {d}: a state twice: {s}" for d, s in states.items()
              if any(s[i] == s[i + 1] for i in range(len(s) - 1))]
    twice = collections.Counter(names[d] for d in open_ones)
    wrong += [f"{n}: {c} drifts at a time" for n, c in twice.items() if c > 1]
    print(f"{' '.join(sys.argv[3:])}: {len(counts)} drifts, {len(records)} transitions, {raw - len(records)} records twice, {resent} resent")
    if wrong:
        sys.exit("\n".join(wrong[:20]) + f"\n{len(wrong)} in all")


main()
