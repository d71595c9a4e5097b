#!/usr/bin/env python3
"""Write engine/base/unicode_tables.c from the Unicode Character Database.

usage: unicode_tables.py UCD_DIR > ../unicode_tables.c

UCD_DIR holds UnicodeData.txt, Scripts.txt and CaseFolding.txt of Unicode 15.0.0, the version of Go 1.24
(Debian: package unicode-data, /usr/share/unicode).
"""
import os
import sys


def lines(path):
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.split("#", 1)[0].strip()
            if line:
                yield [part.strip() for part in line.split(";")]


def joined(ranges):
    """Ranges (first, last, what) with neighbours of the same kind made one."""
    out = []
    for lo, hi, what in sorted(ranges):
        if out and out[-1][1] + 1 == lo and out[-1][2] == what:
            out[-1] = (out[-1][0], hi, what)
        else:
            out.append((lo, hi, what))
    return out


def categories(path):
    """Ranges (first, last, category) of assigned code points, in order."""
    out = []
    first = None
    for field in lines(path):
        code, name, cat = int(field[0], 16), field[1], field[2]
        if name.endswith(", First>"):
            first = code
            continue
        out.append((first if first is not None else code, code, cat))
        first = None
    return joined(out)


def scripts(path):
    out = []
    for field in lines(path):
        lo, _, hi = field[0].partition("..")
        out.append((int(lo, 16), int(hi or lo, 16), field[1]))
    return joined(out)


def cases(path, column, otherwise=None):
    """Rows (first, last, delta, step) of the simple mapping in that column of UnicodeData.txt; an empty one is that of @otherwise."""
    out = []
    for field in lines(path):
        code, to = int(field[0], 16), field[column] or (field[otherwise] if otherwise else "")
        delta = int(to, 16) - code if to else 0
        last = out[-1] if out else None
        if delta == 0:
            continue
        if last and last[3] == 1 and last[1] == code - 1 and last[2] == delta:
            last[1] = code
        elif last and last[2] == delta and last[1] == code - 2 and (last[0] == last[1] or last[3] == 2):
            last[1:] = [code, delta, 2]
        else:
            out.append([code, code, delta, 1])
    return out


def folds(path):
    """Pairs (code point, next in its orbit): the orbits of simple case folding, each in ascending order and closed."""
    orbits = {}
    for field in lines(path):
        if field[1] in ("C", "S"):
            orbits.setdefault(int(field[2], 16), set()).add(int(field[0], 16))
    out = []
    for target, members in orbits.items():
        orbit = sorted(members | {target})
        for i, code in enumerate(orbit):
            out.append((code, orbit[(i + 1) % len(orbit)]))
    return sorted(out)


def rows(items, per_line):
    for i in range(0, len(items), per_line):
        print("\t" + " ".join(items[i:i + per_line]))


def main():
    ucd = sys.argv[1]
    data = os.path.join(ucd, "UnicodeData.txt")
    cats = categories(data)
    scr = scripts(os.path.join(ucd, "Scripts.txt"))
    fold = folds(os.path.join(ucd, "CaseFolding.txt"))
    cat_names = sorted({c for _, _, c in cats})
    scr_names = sorted({s for _, _, s in scr})

    print("/* Written by gen/unicode_tables.py from the Unicode Character Database 15.0.0; do not edit. */")
    print('#include "base/unicode_tables.h"\n')
    print("const char *const unicode_category_names[] = {")
    rows([f'"{n}",' for n in cat_names], 12)
    print("};\nconst size_t unicode_n_categories = ARRAY_LEN(unicode_category_names);\n")
    print("const struct unicode_range unicode_categories[] = {")
    rows([f"{{ 0x{lo:X}, 0x{hi:X}, {cat_names.index(c)} }}," for lo, hi, c in cats], 5)
    print("};\nconst size_t unicode_n_category_ranges = ARRAY_LEN(unicode_categories);\n")
    print("const char *const unicode_script_names[] = {")
    rows([f'"{n}",' for n in scr_names], 5)
    print("};\nconst size_t unicode_n_scripts = ARRAY_LEN(unicode_script_names);\n")
    print("const struct unicode_range unicode_scripts[] = {")
    rows([f"{{ 0x{lo:X}, 0x{hi:X}, {scr_names.index(s)} }}," for lo, hi, s in scr], 5)
    print("};\nconst size_t unicode_n_script_ranges = ARRAY_LEN(unicode_scripts);\n")
    print("const struct unicode_fold unicode_folds[] = {")
    rows([f"{{ 0x{a:X}, 0x{b:X} }}," for a, b in fold], 6)
    print("};\nconst size_t unicode_n_folds = ARRAY_LEN(unicode_folds);")
    for name, column, otherwise in (("upper", 12, None), ("lower", 13, None), ("title", 14, 12)):
        print(f"\nconst struct unicode_case unicode_to_{name}_rows[] = {{")
        rows([f"{{ 0x{a:X}, 0x{b:X}, {d}, {step} }}," for a, b, d, step in cases(data, column, otherwise)], 4)
        print(f"}};\nconst size_t unicode_n_to_{name} = ARRAY_LEN(unicode_to_{name}_rows);")


main()
