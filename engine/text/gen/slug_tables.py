#!/usr/bin/env python3
"""Write engine/text/slug_tables.c: what characters become in a slug.

usage: slug_tables.py TABLE > ../slug_tables.c

TABLE has a line 0x00e4: "a" for each character: what the library under the original's slugs writes for it (table.txt in Debian's package
golang-github-rainycape-unidecode-dev). Only the letters, digits and "_" of a text matter: everything else in it is "-". Hangul is
computed by slug.c, and ASCII stands for itself.
"""
import ast
import re
import sys


def reduced(text):
    return re.sub("-+", "-", re.sub(r"[^a-z0-9_]", "-", text.lower()))


def is_listed(c):
    return 0x80 <= c < 0xAC00 or 0xD7A4 <= c <= 0xFFFF


def read(path):
    out = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            m = re.match(r'0x([0-9a-f]+): (".*")\s*$', line)
            if m and is_listed(int(m.group(1), 16)):
                out[int(m.group(1), 16)] = reduced(ast.literal_eval(m.group(2)))
    return out


def pool(texts):
    """Each text once, with a zero behind it; the empty one is at 0."""
    offsets, at = {}, 0
    for text in sorted(set(texts) | {""}):
        offsets[text] = at
        at += len(text) + 1
    assert at < 0x10000
    return offsets


def rows(items, per_line):
    for i in range(0, len(items), per_line):
        print("\t" + " ".join(items[i:i + per_line]))


def main():
    table = read(sys.argv[1])
    offsets = pool(table.values())
    blocks = sorted({c >> 8 for c in table if table[c]})
    print("/* Written by gen/slug_tables.py; do not edit. */")
    print('#include "text/slug_tables.h"\n')
    print("const char slug_texts[] = {")
    rows(['"%s\\0"' % text for text in offsets], 8)
    print("};\n")
    print("const uint8_t slug_block_of[256] = {")
    rows(["%d," % (blocks.index(b) + 1 if b in blocks else 0) for b in range(256)], 32)
    print("};\n")
    print("const uint16_t slug_blocks[][256] = {")
    for b in blocks:
        print("\t{")
        rows(["%d," % offsets[table.get(b << 8 | i, "")] for i in range(256)], 16)
        print("\t},")
    print("};")


main()
