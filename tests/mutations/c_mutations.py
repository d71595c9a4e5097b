"""The small changes that scripts/mutate makes: where a source in C, in the style of this tree, can be changed by one of them.

Only what stands in the body of a function is changed; no declaration there, no assertion, and nothing in comments, literals and lines of
the preprocessor. A function begins with a "{" in the first column and ends with a "}" there.
"""
import bisect
import collections
import hashlib
import os
import re

TOKEN = re.compile(r"""
    (?P<space>\s+ | /\*.*?\*/ | //[^\n]*)
  | (?P<line>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<text>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w.]) | \.?\d[\w.]*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)\Z")

TYPES = set("""const static struct enum union unsigned signed int char bool void long short float double volatile register extern typedef
    CLEANUP""".split())
NO_CALL = set("if for while switch do else return goto break continue case default sizeof va_start va_end va_copy".split())
ASSERTIONS = {"ASSERT", "STATIC_ASSERT", "_Static_assert", "static_assert"}
FAILURES = {"err_set", "err_vset", "err_wrap", "err_nomem"}
COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SWAPPED = {"==": "!=", "!=": "==", "&&": "||", "||": "&&"}

Token = collections.namedtuple("Token", "kind text start end")


class Mutation:
    """One change of @source at [start, end) into @text; @before and @after are the lines that it is in, @kind says what it is."""

    def __init__(self, source, function, kind, start, end, text):
        first, last = source.text.rfind("\n", 0, start) + 1, source.text.find("\n", end)
        self.source, self.function, self.kind, self.start, self.end, self.text = source, function, kind, start, end, text
        self.line = bisect.bisect_right(source.lines, start)
        self.before = " ".join(source.text[first:last].split())
        self.after = " ".join((source.text[first:start] + text + source.text[end:last]).split())
        told = f"{source.name}\0{source.digest}\0{start}\0{end}\0{text}"
        self.id = hashlib.sha256(told.encode()).hexdigest()[:16]

    @property
    def place(self):
        return f"{self.source.name}:{self.line}"

    def applied(self):
        return self.source.text[:self.start] + self.text + self.source.text[self.end:]


class Source:
    """The text of a file and where it can be changed."""

    def __init__(self, name, text):
        self.name, self.room, self.text = name, os.path.dirname(name), text
        self.digest = hashlib.sha256(text.encode()).hexdigest()
        self.lines = [0] + [m.end() for m in re.finditer("\n", text)]
        found = [Token(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(text)]
        self.tokens = [t for t in found if t.kind not in ("space", "line")]

    def mutations(self):
        """All, in the order of the file; of two that are the same change, one."""
        found = {}
        for begin, end in self.bodies():
            for m in Body(self, begin, end).mutations():
                found.setdefault((m.start, m.end, m.text), m)
        return [found[key] for key in sorted(found)]

    def bodies(self):
        """The tokens between the braces of each function."""
        begin = None
        for i, t in enumerate(self.tokens):
            at_left = t.start == 0 or self.text[t.start - 1] == "\n"
            if at_left and t.text == "{" and i and self.tokens[i - 1].text == ")":
                begin = i + 1
            elif at_left and t.text == "}" and begin is not None:
                yield begin, i
                begin = None


class Body:
    """What stands in a function."""

    def __init__(self, source, begin, end):
        self.source, self.tokens, self.begin, self.end = source, source.tokens, begin, end
        self.closing = self.pairs()
        opening = max(i for i in range(begin) if self.tokens[i].text == "(" and self.closing_before(i, begin))
        self.function = self.tokens[opening - 1].text
        self.type = self.type_before(opening - 1)
        self.starts = self.statements()
        self.left_out = self.unchangeable()

    def pairs(self):
        """{opening: closing} of parentheses, brackets and braces."""
        found, open_ = {}, []
        for i in range(self.begin, self.end):
            if self.tokens[i].text in ("(", "[", "{"):
                open_.append(i)
            elif self.tokens[i].text in (")", "]", "}") and open_:
                found[open_.pop()] = i
        return found

    def closing_before(self, opening, begin):
        """Whether the parameters from @opening on end right before the body."""
        depth = 0
        for i in range(opening, begin - 1):
            depth += {"(": 1, ")": -1}.get(self.tokens[i].text, 0)
            if depth == 0:
                return i == begin - 2
        return False

    def type_before(self, name):
        """The words before the name of the function that say what it returns."""
        words = []
        for t in reversed(self.tokens[max(0, name - 8):name]):
            if t.text in (";", "}", ")"):
                break
            words.insert(0, t.text)
        return [w for w in words if w not in ("static", "inline", "CHECKED", "extern")]

    def statements(self):
        """Where one can begin."""
        found, control = {self.begin}, {}
        for i in range(self.begin, self.end):
            text = self.tokens[i].text
            if text in ("{", "}", ";", "else", "do"):
                found.add(i + 1)
            elif text in ("if", "for", "while", "switch") and i + 1 in self.closing:
                control[self.closing[i + 1]] = True
                if text == "for":
                    found.add(i + 2)
            elif text == ":" and self.is_label(i):
                found.add(i + 1)
            if i in control:
                found.add(i + 1)
        return sorted(found)

    def is_label(self, colon):
        """The ":" after "case X", "default" and the name of a label; not that of "a ? b : c"."""
        for i in range(colon - 1, self.begin - 1, -1):
            text = self.tokens[i].text
            if text in ("case", "default"):
                return True
            if text in ("?", ";", "{", "}", "(", ")"):
                return text in (";", "{", "}") and colon - i == 2
        return False

    def end_of(self, start):
        """The ";" that ends the statement or the part of the head of a loop from @start on."""
        i = start
        while i < self.end and self.tokens[i].text != ";":
            i = self.closing.get(i, i) + 1
        return i

    def is_declaration(self, start):
        first, second, third = (self.tokens[min(start + n, self.end)] for n in range(3))
        if first.text in TYPES:
            return True
        if first.kind != "word" or first.text in NO_CALL:
            return False
        if second.kind == "word":
            return True
        i = start + 1
        while self.tokens[i].text == "*":
            i += 1
        return second.text == "*" and self.tokens[i].kind == "word" and self.tokens[i + 1].text in ("=", ";", ",", "[") and third.text != "("

    def unchangeable(self):
        """The tokens of declarations and assertions."""
        found = set()
        for start in self.starts:
            if start < self.end and (self.is_declaration(start) or self.tokens[start].text in ASSERTIONS):
                found.update(range(start, self.end_of(start)))
        for i in range(self.begin, self.end):
            if self.tokens[i].text in ASSERTIONS and i + 1 in self.closing:
                found.update(range(i, self.closing[i + 1] + 1))
        return found

    # ---- the changes ----

    def mutations(self):
        for i in range(self.begin, self.end):
            if i not in self.left_out:
                yield from self.operator(i)
                yield from self.constant(i)
                yield from self.jump(i)
                yield from self.condition(i)
                yield from self.returned(i)
        for start in self.starts:
            if start < self.end and start not in self.left_out:
                yield from self.call(start)

    def change(self, kind, first, last, text):
        """Of the tokens from @first to @last."""
        return Mutation(self.source, self.function, kind, self.tokens[first].start, self.tokens[last].end, text)

    def operator(self, i):
        text = self.tokens[i].text
        if text in COMPARED:
            yield self.change("bound", i, i, COMPARED[text])
        elif text in SWAPPED:
            yield self.change("condition", i, i, SWAPPED[text])
        elif text == "!" and not self.is_whole_condition(i) and not self.is_thrown_away(i):
            yield self.change("condition", i, i, "")

    def is_thrown_away(self, i):
        """Whether "!" is part of "(void)!", which says that nobody asks for the result."""
        return self.tokens[i - 1].text == ")" and self.tokens[i - 2].text == "void"

    def is_whole_condition(self, i):
        """Whether what "!" stands before is all that an "if" asks, and so is changed as its condition."""
        return self.tokens[i - 1].text == "(" and self.tokens[i - 2].text == "if" and not self.joins(i, self.closing[i - 1])

    def joins(self, first, end):
        """Whether there is "&&" or "||" among the tokens, outside of parentheses within."""
        i = first
        while i < end:
            if self.tokens[i].text in ("&&", "||"):
                return True
            i = self.closing.get(i, i) + 1
        return False

    def constant(self, i):
        """Not of a comparison, whose bound is moved already; nor what is returned; nor "{ 0 }"."""
        number = INTEGER.match(self.tokens[i].text)
        before, after = self.tokens[i - 1].text, self.tokens[i + 1].text
        if not number or {before, after} & set(COMPARED) or (before, after) in (("{", "}"), ("return", ";")) or before == "case":
            return
        value = int(number[1], 16 if number[1][:2] in ("0x", "0X") else 8 if number[1][0] == "0" else 10)
        yield self.change("constant", i, i, ("0" if value == 1 else str(value + 1)) + number[2])

    def jump(self, i):
        if self.tokens[i].text in ("break", "continue") and self.tokens[i + 1].text == ";":
            yield self.change("jump", i, i, "")

    def condition(self, i):
        """All that an "if" asks; a single comparison for equality is swapped already."""
        if self.tokens[i].text != "if" or i + 1 not in self.closing:
            return
        first, last = i + 2, self.closing[i + 1] - 1
        alone = not self.joins(first, last) and any(t.text in ("==", "!=") for t in self.tokens[first:last])
        if not alone:
            asked = self.source.text[self.tokens[first].start:self.tokens[last].end]
            yield self.change("condition", first, last, f"!({asked})")

    def returned(self, i):
        if self.tokens[i].text != "return":
            return
        last = self.end_of(i) - 1
        words = [t.text for t in self.tokens[i + 1:last + 1]]
        text = None
        if words in (["true"], ["false"]):
            text = "false" if words == ["true"] else "true"
        elif words and (words[0] in FAILURES or (words[0] == "-" and re.match(r"E[A-Z0-9]+\Z", words[-1]))):
            text = "0"
        elif self.type == ["int"] and words == ["0"]:
            text = "-EINVAL"
        elif self.type == ["int"] and len(words) == 1 and self.tokens[last].kind == "word":
            text = "0"
        elif len(words) == 1 and INTEGER.match(words[0]):
            text = "0" if words == ["1"] else str(int(words[0].rstrip("uUlL"), 0) + 1)
        if text is not None:
            yield self.change("return", i + 1, last, text)

    def call(self, start):
        """A statement that is nothing but a call, whose value nobody takes."""
        i = start
        if [t.text for t in self.tokens[i:i + 3]] == ["(", "void", ")"]:
            i += 3
        if self.tokens[i].kind != "word" or self.tokens[i].text in NO_CALL:
            return
        while self.tokens[i].kind == "word" and self.tokens[i + 1].text in ("->", "."):
            i += 2
        if self.tokens[i].kind == "word" and self.closing.get(i + 1, -2) + 1 == self.end_of(start) and self.tokens[i + 1].text == "(":
            yield self.change("call", start, self.end_of(start) - 1, "")
