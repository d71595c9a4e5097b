"""Damage what is kept: damage.py FOLDER NUMBER: one page of the database or its log, or where one of them ends; the number says which and how."""

import os
import random
import sys

PAGE, LOG_HEAD, FRAME = 4096, 32, 4096 + 24


def main():
    folder, number = sys.argv[1], int(sys.argv[2])
    rnd = random.Random(number)
    log = os.path.join(folder, "driftd.db-wal")
    database = os.path.join(folder, "driftd.db")
    of_log = os.path.exists(log) and os.path.getsize(log) > LOG_HEAD and number % 3 == 0
    path, unit, head = (log, FRAME, LOG_HEAD) if of_log else (database, PAGE, 0)
    with open(path, "rb") as f:
        data = bytearray(f.read())
    units = max(1, (len(data) - head) // unit)
    at = head + (number // 3) % units * unit  # each of them in turn
    way = rnd.choice(["zero", "noise", "other", "header", "cut"])
    if way == "zero":
        data[at : at + unit] = bytes(unit)
    elif way == "noise":
        data[at : at + unit] = rnd.randbytes(unit)
    elif way == "other":
        other = head + rnd.randrange(units) * unit
        data[at : at + unit] = data[other : other + unit]
    elif way == "header":
        data[at : at + 24] = rnd.randbytes(24)
    else:
        del data[at + rnd.randrange(unit) :]
    with open(path, "r+b") as f:
        f.write(data)
        f.truncate(len(data))
    print(f"{os.path.basename(path)}, part {at // unit} of {units}: {way}")


main()
