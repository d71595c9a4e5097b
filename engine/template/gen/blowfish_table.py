#!/usr/bin/env python3
"""Writes fn_bcrypt_table.c: the first 1042 words of the fraction of pi, from which Blowfish starts."""
import sys

WORDS = 18 + 4 * 256
BITS = 32 * WORDS + 64


def arctan_inverse(x):
    term = (1 << BITS) // x
    total, n, sign = term, 1, 1
    while term:
        term //= x * x
        n += 2
        sign = -sign
        total += sign * (term // n)
    return total


pi = 16 * arctan_inverse(5) - 4 * arctan_inverse(239)
fraction = (pi - (3 << BITS)) >> 64
words = [(fraction >> (32 * (WORDS - 1 - i))) & 0xFFFFFFFF for i in range(WORDS)]
out = ["/* Made by gen/blowfish_table.py: the fraction of pi in words of 32 bits. */",
       '#include "template/fn_bcrypt.h"', "",
       "const uint32_t blowfish_pi[BLOWFISH_WORDS] = {"]
for i in range(0, WORDS, 8):
    out.append("\t" + " ".join("0x%08x," % w for w in words[i:i + 8]))
out.append("};")
sys.stdout.write("\n".join(out) + "\n")
