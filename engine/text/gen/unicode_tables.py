#!/usr/bin/env python3
"""Write engine/text/unicode_tables.c from the Unicode Character Database.

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


def categories(path):
    """Ranges (first, last, category) of assigned code points, in order."""
    out = []
    first = None
    for field in lines(path):
        code, name, cat = int(field[0], 16), field[1], field[2]
        if name.endswith(", First>"):
            first = code
            continue
        lo = first if first is not None else code
        first = None
        if out and out[-1][1] + 1 == lo and out[-1][2] == cat:
            out[-1] = (out[-1][0], code, cat)
        else:
            out.append((lo, code, cat))
    return out


def scripts(path):
    out = []
    for field in lines(path):
        lo, _, hi = field[0].partition("..")
        out.append((int(lo, 16), int(hi or lo, 16), field[1]))
    out.sort()
    merged = []
    for lo, hi, name in out:
        if merged and merged[-1][1] + 1 == lo and merged[-1][2] == name:
            merged[-1] = (merged[-1][0], hi, name)
        else:
            merged.append((lo, hi, name))
    return merged


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
    cats = categories(os.path.join(ucd, "UnicodeData.txt"))
    scr = scripts(os.path.join(ucd, "Scripts.txt"))
    fold = folds(os.path.join(ucd, "CaseFolding.txt"))
    cat_names = sorted({c for _, _, c in cats})
    scr_names = sorted({s for _, _, s in scr})

    print("/* Written by gen/unicode_tables.py from the Unicode Character Database 15.0.0; do not edit. */")
    print('#include "text/unicode_tables.h"\n')
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


main()
