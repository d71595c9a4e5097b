#!/usr/bin/env python3
"""Write engine/text/slug_tables.c: what characters become in a slug.

usage: slug_tables.py UCD_DIR > ../slug_tables.c

UCD_DIR holds UnicodeData.txt, DerivedAge.txt and Unihan_Readings.txt.bz2 (Debian: package unicode-data, /usr/share/unicode). The
romanisation follows from Unicode's own data where it can: decompositions, the Mandarin readings of Unihan, and the names of
syllables and letters; alphabets that have a convention of their own are spelled out below. Only the letters and digits of a result
matter: everything else in it is "-". Hangul is computed by slug.c.
"""
import bz2
import os
import re
import sys
import unicodedata

# Blocks of 256 characters for which there is a table; characters of others vanish.
BLOCKS = (list(range(0x00, 0x08)) + list(range(0x09, 0x19)) + list(range(0x1E, 0x29)) + [0x2E, 0x2F] + list(range(0x30, 0x34)) +
          list(range(0x4E, 0xA5)) + list(range(0xAC, 0xD8)) + list(range(0xF9, 0x100)))
NEWEST = (3, 2)  # of the characters that have a spelling

SPELLED = {
    # Latin-1 signs
    "§": "ss", "®": "r", "©": "c", "£": "ps", "¥": "y-", "¤": "-", "¢": "c-", "°": "deg", "±": "-", "µ": "u", "×": "x", "¶": "p",
    "€": "eu", "‰": "-0", "Ð": "d", "ð": "d", "Þ": "th", "þ": "th", "ß": "ss", "Æ": "ae", "æ": "ae", "Ø": "o", "ø": "o", "ı": "i",
    "ĸ": "k", "ŉ": "-n", "Ŋ": "ng", "ŋ": "ng", "Œ": "oe", "œ": "oe", "ſ": "s", "Ə": "-", "ə": "-", "Ʃ": "sh", "ʃ": "s", "Ʒ": "zh", "ʒ": "z",
    "Ɔ": "o", "ɔ": "o", "Ǝ": "e", "ǝ": "e", "Ɛ": "e", "ɛ": "e", "Ɣ": "g", "ɣ": "g", "Ɩ": "i", "ɩ": "i", "Ʊ": "u", "ʊ": "u",
    "Ʋ": "v", "ʋ": "v", "ɐ": "a", "ɑ": "a", "ɒ": "a", "ɥ": "y", "ɯ": "w", "ɲ": "n", "ɴ": "n", "ɵ": "o", "ɶ": "oe", "ɸ": "f",
    "ɹ": "r", "ʁ": "r", "ʇ": "t", "ʌ": "v", "ʍ": "w", "ʎ": "y", "ʔ": "", "ʕ": "", "\u00ad": "", "ǀ": "-", "Ȝ": "y", "ȝ": "y",
    # Yiddish, Arabic and others that are no letters of their own
    "א": "", "ע": "", "ء": "", "ع": "",
}
ALPHABETS = {
    "GREEK": ("αβγδεζηθικλμνξοπρςστυφχψω",
              "a b g d e z e th i k l m n x o p r s s t u ph kh ps o"),
    "CYRILLIC": ("абвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїјљњћќѝўџ",
                 "a b v g d e zh z i i k l m n o p r s t u f kh ts ch sh shch - y - e iu ia ie io dj gj ie dz i yi j lj nj tsh kj "
                 "i u dzh"),
    "ARMENIAN": ("աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև",
                 "a b g d e z e e t- zh i l kh ts k h dz gh ch m y n sh o ch- p j rh s v t r ts- w p- k- o f ew"),
    "HEBREW": ("בגדהוזחטיךכלםמןנסףפץצקרשת", "b g d h v z kh t y k k l m m n n s p p ts ts q r sh t"),
    "ARABIC": ("اآأإؤئبتةثجحخدذرزسشصضطظغفقكلمنهويىپچژگ",
               "a a - - - - b t h th j h kh d dh r z s sh s d t z gh f q k l m n h w y - p ch j g"),
    "THAI": ("กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลฦวศษสหฬอฮะาำเแโใไ",
             "k kh kh kh kh kh ng cch ch ch ch ch y d t th th th n d t th th th n b p ph f ph f ph m y r r l l w s s s h l - h a a "
             "am e ae o ai ai"),
    "GEORGIAN": ("აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
                 "a b g d e v z t- i k l m n o p zh r s t u p- k- gh q sh ch- ts- dz ts ch kh j h"),
}
KANA = {"si": "shi", "ti": "chi", "tu": "tsu", "n": "n"}
SYLLABIC = ("CANADIAN SYLLABICS ", "ETHIOPIC SYLLABLE ", "YI SYLLABLE ", "CHEROKEE LETTER ", "RUNIC LETTER ", "OGHAM LETTER ",
            "MONGOLIAN LETTER ", "HIRAGANA LETTER ", "KATAKANA LETTER ", "BOPOMOFO LETTER ", "THAANA LETTER ")
INDIC = ("DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "LAO",
         "TIBETAN", "MYANMAR", "KHMER")


def ages(path):
    out = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.split("#")[0].strip()
            if not line:
                continue
            codes, age = [p.strip() for p in line.split(";")]
            lo, _, hi = codes.partition("..")
            for c in range(int(lo, 16), int(hi or lo, 16) + 1):
                out[c] = tuple(int(n) for n in age.split("."))
    return out


def clean(text):
    """Letters and digits in lower case; runs of anything else as one dash."""
    return re.sub(r"[^a-z0-9_]+", "-", text.lower())


def alphabets():
    out = dict(SPELLED)
    for letters, spelling in ALPHABETS.values():
        sounds = spelling.split()
        assert len(sounds) == len(letters), letters
        for letter, sound in zip(letters, sounds):
            out[letter] = sound
            out[letter.upper()] = sound
    return out


def last_word(name):
    return name.split()[-1].lower()


def by_name(name):
    """What the name of a letter says of its sound, or None."""
    m = re.match(r"(?:COMBINING )?LATIN (?:CAPITAL |SMALL )?(?:LETTER|LIGATURE)(?: SMALL CAPITAL| TURNED| REVERSED| OPEN)? ([A-Z]{1,2})"
                 r"(?: WITH .*| DIGRAPH)?$", name)
    if m and (len(m.group(1)) == 1 or m.group(1) in ("DZ", "LJ", "NJ", "TS", "TC", "OE", "AE", "IJ", "OU")):
        return m.group(1).lower()
    if name.startswith(SYLLABIC):
        word = last_word(name)
        return KANA.get(word, word) if "KANA" in name else word
    m = re.match(r"(%s) (?:VOWEL SIGN|LETTER|VOWEL|INDEPENDENT VOWEL)(?: [A-Z]+)*? ?([A-Z]+)$" % "|".join(INDIC), name)
    if m:
        word = m.group(2).lower()
        if m.group(1) == "SINHALA":
            word = re.sub(r"(yanna|nna)$", "", word)
        vowel = "VOWEL" in name or not re.match(r"[^aeiou]+[ao]$", word)
        return word if vowel else word[:-1]
    m = re.match(r"(?:ARABIC|SYRIAC) LETTER ([A-Z]+)", name)
    if m:
        return m.group(1)[0].lower()
    return None


def spelling(c, spelled):
    ch = chr(c)
    name = unicodedata.name(ch, "")
    if ch in spelled:
        return spelled[ch]
    plain = unicodedata.normalize("NFKD", ch)
    if plain != ch:
        parts = [spelled.get(p, p if ord(p) < 0x80 else "" if unicodedata.combining(p) else None) for p in plain]
        if None not in parts and not name.startswith(("CIRCLED", "PARENTHESIZED")):
            return clean("".join(parts).replace("\u2044", "/"))
        if "VULGAR" in name:
            digits = plain.replace("\u2044", "/")
            return clean(digits if c < 0x100 else " " + digits + " ")
    sound = by_name(name)
    if sound is not None:
        return sound
    if unicodedata.category(ch)[0] == "M" or 0x2700 <= c <= 0x27BF:
        return ""
    if unicodedata.category(ch) == "Nd":
        return str(unicodedata.digit(ch))
    return "-"


def mandarin(path):
    out = {}
    with bz2.open(path, "rt", encoding="utf-8") as f:
        for line in f:
            field = line.rstrip("\n").split("\t")
            if len(field) == 3 and field[1] == "kMandarin":
                sound = unicodedata.normalize("NFD", field[2].split()[0].replace("ü", "u"))
                out[int(field[0][2:], 16)] = "".join(ch for ch in sound if ch.isascii() and ch.isalpha())
    return out


def rows(items, per_line):
    for i in range(0, len(items), per_line):
        print("\t" + " ".join(items[i:i + per_line]))


def main():
    ucd = sys.argv[1]
    age = ages(os.path.join(ucd, "DerivedAge.txt"))
    spelled = alphabets()
    readings = mandarin(os.path.join(ucd, "Unihan_Readings.txt.bz2"))
    letters = []
    for c in range(0xA0, 0x10000):
        if c >> 8 not in BLOCKS or 0x4E00 <= c <= 0x9FFF or 0xAC00 <= c <= 0xD7FF or age.get(c, (99,)) > NEWEST:
            continue
        text = spelling(c, spelled)
        if text != "-":
            letters.append((c, text))
    sounds = sorted({readings.get(c, "") for c in range(0x4E00, 0x9FA6)})
    assert len(sounds) < 1024
    print("/* Written by gen/slug_tables.py from the Unicode Character Database and Unihan 15.0.0; do not edit. */")
    print('#include "text/slug_tables.h"\n')
    print("const uint8_t slug_blocks[32] = {")
    rows(["0x%02X," % sum(1 << b for b in range(8) if i * 8 + b in BLOCKS) for i in range(32)], 16)
    print("};\n")
    print("const struct slug_letter slug_letters[] = {")
    rows(['{ 0x%X, "%s" },' % (c, t) for c, t in letters], 6)
    print("};\nconst size_t slug_n_letters = ARRAY_LEN(slug_letters);\n")
    print("const char slug_sounds[][SLUG_SOUND_SIZE] = {")
    rows(['"%s",' % s for s in sounds], 12)
    print("};\n")
    print("const uint16_t slug_han[SLUG_HAN_LAST - SLUG_HAN_FIRST + 1] = {")
    rows(["%d," % sounds.index(readings.get(c, "")) for c in range(0x4E00, 0x9FA6)], 24)
    print("};")


main()
