/* Finds the type of a plain scalar by its text. */
#include "value/yaml_resolve.h"

#include "base/ascii.h"
#include "base/number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

static const char *const tag_names[] = {
	[YAML_TAG_STR] = "!!str",       [YAML_TAG_BOOL] = "!!bool",   [YAML_TAG_INT] = "!!int",
	[YAML_TAG_FLOAT] = "!!float",   [YAML_TAG_NULL] = "!!null",   [YAML_TAG_TIMESTAMP] = "!!timestamp",
	[YAML_TAG_BINARY] = "!!binary", [YAML_TAG_MERGE] = "!!merge",
};

/* YAML_TAG_NONE and YAML_TAG_OTHER have no name. */
_Static_assert(ARRAY_LEN(tag_names) == YAML_TAG_OTHER, "ORDER yaml_tag");

/* ---- words ---- */

#define WORD(word, tag, ...)                                                                                           \
	{                                                                                                              \
		{ word, sizeof(word) - 1 }, tag, __VA_ARGS__                                                           \
	}
#define TRUE_WORD(word) WORD(word, YAML_TAG_BOOL, { .kind = VAL_BOOL, .b = true })
#define FALSE_WORD(word) WORD(word, YAML_TAG_BOOL, { .kind = VAL_BOOL, .b = false })
#define NULL_WORD(word) WORD(word, YAML_TAG_NULL, { .kind = VAL_NULL })
#define FLOAT_WORD(word, value) WORD(word, YAML_TAG_FLOAT, { .kind = VAL_DOUBLE, .d = (double)(value) })

/* The words that are not text, by length. Each is known in three spellings: this is not a comparison without regard
 * to case. */
static const struct {
	str text;
	enum yaml_tag tag;
	val value;
} words[] = {
	NULL_WORD(""),
	TRUE_WORD("y"),
	TRUE_WORD("Y"),
	FALSE_WORD("n"),
	FALSE_WORD("N"),
	NULL_WORD("~"),
	TRUE_WORD("on"),
	TRUE_WORD("On"),
	TRUE_WORD("ON"),
	FALSE_WORD("no"),
	FALSE_WORD("No"),
	FALSE_WORD("NO"),
	TRUE_WORD("yes"),
	TRUE_WORD("Yes"),
	TRUE_WORD("YES"),
	FALSE_WORD("off"),
	FALSE_WORD("Off"),
	FALSE_WORD("OFF"),
	TRUE_WORD("true"),
	TRUE_WORD("True"),
	TRUE_WORD("TRUE"),
	NULL_WORD("null"),
	NULL_WORD("Null"),
	NULL_WORD("NULL"),
	FLOAT_WORD(".nan", NAN),
	FLOAT_WORD(".NaN", NAN),
	FLOAT_WORD(".NAN", NAN),
	FLOAT_WORD(".inf", INFINITY),
	FLOAT_WORD(".Inf", INFINITY),
	FLOAT_WORD(".INF", INFINITY),
	FALSE_WORD("false"),
	FALSE_WORD("False"),
	FALSE_WORD("FALSE"),
	FLOAT_WORD("+.inf", INFINITY),
	FLOAT_WORD("+.Inf", INFINITY),
	FLOAT_WORD("+.INF", INFINITY),
	FLOAT_WORD("-.inf", -INFINITY),
	FLOAT_WORD("-.Inf", -INFINITY),
	FLOAT_WORD("-.INF", -INFINITY),
};

/* How long a scalar that is not text can be at most, by its first character. ORDER resolve_plain */
const uint8_t yaml_longest_other[256] = {
	['y'] = 3, ['Y'] = 3,         ['n'] = 4,         ['N'] = 4,         ['t'] = 4,
	['T'] = 4, ['f'] = 5,         ['F'] = 5,         ['o'] = 3,         ['O'] = 3,
	['~'] = 1, ['.'] = UINT8_MAX, ['+'] = UINT8_MAX, ['-'] = UINT8_MAX, ['0' ... '9'] = UINT8_MAX,
};

static enum yaml_tag resolve_word(str s, val *ret)
{
	/* The index at which the words of each length begin, and the end. */
	static const uint8_t first[] = { 0, 1, 6, 12, 18, 30, ARRAY_LEN(words) };

	for (size_t i = first[s.n < 6 ? s.n : 6]; i < ARRAY_LEN(words) && words[i].text.n == s.n; i++) {
		/* Few texts begin like a word: the others need no call. */
		if ((s.n == 0 || words[i].text.p[0] == s.p[0]) && str_eq(words[i].text, s)) {
			*ret = words[i].value;
			return words[i].tag;
		}
	}
	return YAML_TAG_STR;
}

/* ---- timestamps ---- */

/* Read one or two digits; exactly two when @fixed. */
static bool take_number(str *s, bool fixed, int *ret)
{
	if (s->n == 0 || !ascii_is_digit(s->p[0]))
		return false;
	*ret = s->p[0] - '0';
	if (s->n > 1 && ascii_is_digit(s->p[1])) {
		*ret = *ret * 10 + (s->p[1] - '0');
		*s = str_sub(*s, 2, s->n);
		return true;
	}
	*s = str_sub(*s, 1, s->n);
	return !fixed;
}

static bool take_char(str *s, char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = str_sub(*s, 1, s->n);
	return true;
}

static bool is_day_of_month(int year, int month, int day)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

/* Read a time such as 15:4:5, with any number of digits behind "." or ",". */
static bool take_time(str *s)
{
	int hour, minute, second;

	if (!take_number(s, false, &hour) || hour > 23 || !take_char(s, ':') || !take_number(s, false, &minute) ||
	    minute > 59 || !take_char(s, ':') || !take_number(s, false, &second) || second > 59)
		return false;
	if (s->n >= 2 && (s->p[0] == '.' || s->p[0] == ',') && ascii_is_digit(s->p[1])) {
		size_t n = 1;

		while (n < s->n && ascii_is_digit(s->p[n]))
			n++;
		*s = str_sub(*s, n, s->n);
	}
	return true;
}

/* Read a zone, "Z" or such as +07:00. */
static bool take_zone(str *s)
{
	int hours, minutes;

	if (take_char(s, 'Z'))
		return true;
	return (take_char(s, '+') || take_char(s, '-')) && take_number(s, true, &hours) && hours <= 24 &&
	       take_char(s, ':') && take_number(s, true, &minutes) && minutes <= 60;
}

/* Whether @s has one of the four layouts that go-yaml passes to time.Parse: a date, alone or with a time behind "T",
 * "t" (zone required) or spaces (no zone). */
static bool is_timestamp(str s)
{
	int year = 0, month, day;

	if (s.n < 5 || s.p[4] != '-')
		return false;
	for (size_t i = 0; i < 4; i++) {
		if (!ascii_is_digit(s.p[i]))
			return false;
		year = year * 10 + (s.p[i] - '0');
	}
	s = str_sub(s, 5, s.n);
	if (!take_number(&s, false, &month) || !take_char(&s, '-') || !take_number(&s, false, &day) ||
	    !is_day_of_month(year, month, day))
		return false;
	if (s.n == 0)
		return true;
	if (take_char(&s, 'T') || take_char(&s, 't'))
		return take_time(&s) && take_zone(&s) && s.n == 0;
	if (s.p[0] != ' ')
		return false;
	while (take_char(&s, ' '))
		;
	return take_time(&s) && s.n == 0;
}

/* ---- numbers ---- */

static int digit_value(char c)
{
	if (ascii_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

static bool parse_unsigned(str s, int base, uint64_t *ret)
{
	uint64_t v = 0;

	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		int digit = digit_value(s.p[i]);

		if (digit >= base || __builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)digit, &v))
			return false;
	}
	*ret = v;
	return true;
}

/* Read a number whose prefix 0x, 0o, 0b or 0 chooses a base, as in Go. */
static bool parse_any_base(str s, uint64_t *ret)
{
	char kind = s.n >= 3 && s.p[0] == '0' ? (char)(s.p[1] | 0x20) : 0;

	if (kind == 'x' || kind == 'o' || kind == 'b')
		return parse_unsigned(str_sub(s, 2, s.n), kind == 'x' ? 16 : kind == 'o' ? 8 : 2, ret);
	if (s.n >= 2 && s.p[0] == '0')
		return parse_unsigned(str_sub(s, 1, s.n), 8, ret);
	return parse_unsigned(s, 10, ret);
}

/* Read an integer. @base 0: the prefix decides. A number above int64 may have no sign. */
static bool parse_integer(str s, int base, val *ret)
{
	bool negative = s.n > 0 && s.p[0] == '-', sign = negative || (s.n > 0 && s.p[0] == '+');
	str digits = str_sub(s, sign ? 1 : 0, s.n);
	uint64_t v;

	if (!(base ? parse_unsigned(digits, base, &v) : parse_any_base(digits, &v)))
		return false;
	if (negative && v > (uint64_t)INT64_MAX + 1)
		return false;
	if (sign && !negative && v > INT64_MAX)
		return false;
	*ret = negative ? val_int((int64_t)(0 - v)) : val_uint(v);
	return true;
}

static size_t count_digits(str s, size_t from)
{
	size_t i = from;

	while (i < s.n && ascii_is_digit(s.p[i]))
		i++;
	return i - from;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool looks_like_float(str s)
{
	size_t i = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0, whole = count_digits(s, i), n;

	i += whole;
	if (i < s.n && s.p[i] == '.') {
		n = count_digits(s, ++i);
		if (whole + n == 0)
			return false;
		i += n;
	} else if (whole == 0) {
		return false;
	}
	if (i < s.n && (s.p[i] | 0x20) == 'e') {
		i++;
		if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
			i++;
		n = count_digits(s, i);
		if (n == 0)
			return false;
		i += n;
	}
	return i == s.n;
}

static bool parse_float(str s, val *ret)
{
	double d;

	if (!looks_like_float(s) || !double_parse(s, &d) || !isfinite(d))
		return false;
	*ret = val_double(d);
	return true;
}

/* Copy @text without "_"; *heap must be freed. False without memory. */
static bool strip_underscores(str text, char *small, size_t small_size, str *ret, char **heap)
{
	char *to = small;

	*ret = text;
	if (!text.n || !memchr(text.p, '_', text.n))
		return true;
	if (text.n > small_size)
		to = *heap = malloc(text.n);
	if (!to)
		return false;
	*ret = (str){ to, 0 };
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] != '_')
			to[ret->n++] = text.p[i];
	}
	return true;
}

/* Check underscores: behind a leading "." they have to be between digits; elsewhere they may be anywhere. */
static bool underscores_between_digits(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '_' &&
		    (i == 0 || i + 1 == s.n || !ascii_is_digit(s.p[i - 1]) || !ascii_is_digit(s.p[i + 1])))
			return false;
	}
	return true;
}

static enum yaml_tag resolve_number(str text, val *ret)
{
	char small[64];
	CLEANUP(freep) char *heap = NULL;
	str plain;

	/* Most numbers are short and decimal. */
	if (text.n > 0 && text.n < 19 && text.p[0] != '0' && count_digits(text, 0) == text.n) {
		int64_t v = 0;

		for (size_t i = 0; i < text.n; i++)
			v = v * 10 + (text.p[i] - '0');
		*ret = val_int(v);
		return YAML_TAG_INT;
	}
	if (!strip_underscores(text, small, sizeof(small), &plain, &heap))
		return YAML_TAG_STR;
	if (parse_integer(plain, 0, ret))
		return YAML_TAG_INT;
	if (parse_float(plain, ret))
		return YAML_TAG_FLOAT;
	if (str_has_prefix(plain, STR("0b")) && parse_integer(str_sub(plain, 2, plain.n), 2, ret))
		return YAML_TAG_INT;
	return YAML_TAG_STR;
}

static enum yaml_tag resolve_point(str text, val *ret)
{
	char small[64];
	CLEANUP(freep) char *heap = NULL;
	enum yaml_tag tag = resolve_word(text, ret);
	str plain;

	if (tag != YAML_TAG_STR || !underscores_between_digits(text) ||
	    !strip_underscores(text, small, sizeof(small), &plain, &heap))
		return tag;
	return parse_float(plain, ret) ? YAML_TAG_FLOAT : YAML_TAG_STR;
}

/* The type that the text alone gives. *ret is set unless it is text. ORDER yaml_longest_other */
static enum yaml_tag resolve_plain(str text, bool timestamps, val *ret)
{
	enum yaml_tag tag;

	if (text.n == 0)
		return resolve_word(text, ret);
	if (yaml_is_surely_text(text))
		return YAML_TAG_STR;
	switch (text.p[0]) {
	case 'y':
	case 'Y':
	case 'n':
	case 'N':
	case 't':
	case 'T':
	case 'f':
	case 'F':
	case 'o':
	case 'O':
	case '~':
		return resolve_word(text, ret);
	case '.':
		return resolve_point(text, ret);
	case '+':
	case '-':
		tag = resolve_word(text, ret);
		return tag != YAML_TAG_STR ? tag : resolve_number(text, ret);
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		if (timestamps && is_timestamp(text))
			return YAML_TAG_TIMESTAMP;
		return resolve_number(text, ret);
	default:
		return YAML_TAG_STR;
	}
}

int yaml_resolve(enum yaml_tag tag, str text, val *ret, struct err *err)
{
	enum yaml_tag found;

	*ret = val_string(text);
	if (tag == YAML_TAG_STR || tag == YAML_TAG_BINARY || tag == YAML_TAG_MERGE || tag == YAML_TAG_OTHER)
		return 0;
	found = resolve_plain(text, tag == YAML_TAG_TIMESTAMP, ret);
	if (tag == YAML_TAG_NONE || tag == found)
		return 0;
	if (tag == YAML_TAG_FLOAT && found == YAML_TAG_INT && ret->kind == VAL_INT) {
		*ret = val_double((double)ret->i);
		return 0;
	}
	return err_set(err, EBADMSG, "yaml: cannot decode %s `%.*s` as a %s", tag_names[found], STR_ARG(text),
		       tag_names[tag]);
}

/* [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)? */
static bool is_base60(str s)
{
	size_t i = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0, parts = 0;

	if (i == s.n || !ascii_is_digit(s.p[i]))
		return false;
	while (i < s.n && (ascii_is_digit(s.p[i]) || s.p[i] == '_'))
		i++;
	while (i < s.n && s.p[i] == ':') {
		size_t n = count_digits(s, i + 1);

		if (n == 0 || n > 2 || (n == 2 && s.p[i + 1] > '5'))
			return false;
		i += 1 + n;
		parts++;
	}
	if (parts && i < s.n && s.p[i] == '.') {
		i++;
		while (i < s.n && (ascii_is_digit(s.p[i]) || s.p[i] == '_'))
			i++;
	}
	return parts && i == s.n;
}

bool yaml_reads_as_text(str text)
{
	val ignored;

	return resolve_plain(text, true, &ignored) == YAML_TAG_STR && !is_base60(text);
}
