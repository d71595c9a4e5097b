/* Reads, compares and prints versions. */
#include "text/semver.h"

#include "text/semver_internal.h"

#include <errno.h>
#include <inttypes.h>

size_t semver_idents(str s)
{
	size_t n = 0;

	for (;;) {
		size_t start = n;

		while (n < s.n && semver_is_ident(s.p[n]))
			n++;
		if (n == start)
			return start > 0 ? start - 1 : 0;
		if (n == s.n || s.p[n] != '.')
			return n;
		n++;
	}
}

bool semver_number(str s, uint64_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_digit(s.p[i]) || __builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(s.p[i] - '0'), &n))
			return false;
	}
	*ret = n;
	return s.n > 0;
}

static size_t count_digits(str s)
{
	size_t n = 0;

	while (n < s.n && ascii_is_digit(s.p[n]))
		n++;
	return n;
}

/* Split off "-pre" and "+metadata"; false unless they take all of @rest. */
static bool split_extra(str rest, struct semver *v)
{
	size_t n;

	if (rest.n > 0 && rest.p[0] == '-') {
		n = semver_idents(str_sub(rest, 1, rest.n));
		v->pre = str_sub(rest, 1, 1 + n);
		if (n == 0)
			return false;
		rest = str_sub(rest, 1 + n, rest.n);
	}
	if (rest.n > 0 && rest.p[0] == '+') {
		n = semver_idents(str_sub(rest, 1, rest.n));
		v->metadata = str_sub(rest, 1, 1 + n);
		if (n == 0)
			return false;
		rest = str_sub(rest, 1 + n, rest.n);
	}
	return rest.n == 0;
}

static bool has_leading_zero(str part)
{
	return part.n > 1 && part.p[0] == '0' && count_digits(part) == part.n;
}

static bool any_leading_zero(str idents)
{
	str part;

	while (str_next_part(&idents, '.', &part)) {
		if (has_leading_zero(part))
			return true;
	}
	return false;
}

int semver_parse(str s, struct semver *ret, struct err *err)
{
	struct semver v = { .pre = STR(""), .metadata = STR(""), .original = s };
	uint64_t *numbers[] = { &v.major, &v.minor, &v.patch };
	str parts[3] = { { NULL, 0 } };
	str rest = s.n > 0 && s.p[0] == 'v' ? str_sub(s, 1, s.n) : s;
	size_t n_parts = 0;

	while (n_parts < 3) {
		bool dot = n_parts > 0;
		size_t digits;

		if (dot && (rest.n == 0 || rest.p[0] != '.'))
			break;
		digits = count_digits(str_sub(rest, dot, rest.n));
		if (digits == 0)
			return err_set(err, EBADMSG, "Invalid Semantic Version");
		parts[n_parts++] = str_sub(rest, dot, dot + digits);
		rest = str_sub(rest, dot + digits, rest.n);
	}
	if (!split_extra(rest, &v))
		return err_set(err, EBADMSG, "Invalid Semantic Version");
	for (size_t i = 0; i < n_parts; i++) {
		if (!semver_number(parts[i], numbers[i]))
			return err_set(err, EBADMSG,
				       "Error parsing version segment: strconv.ParseUint: parsing \"%.*s\": value out "
				       "of range",
				       STR_ARG(parts[i]));
	}
	if (any_leading_zero(v.pre))
		return err_set(err, EBADMSG, "Version segment starts with 0");
	*ret = v;
	return 0;
}

/* ---- strict ---- */

static int strict_number(str part, const char *what, uint64_t *ret, struct err *err)
{
	if (part.n == 0)
		return err_set(err, EBADMSG, "strconv.ParseUint: parsing \"\": invalid syntax");
	if (count_digits(part) != part.n)
		return err_set(err, EBADMSG, "Invalid character(s) found in %s number \"%.*s\"", what, STR_ARG(part));
	if (has_leading_zero(part))
		return err_set(err, EBADMSG, "%c%s number must not contain leading zeroes \"%.*s\"", what[0] - 32,
			       what + 1, STR_ARG(part));
	if (!semver_number(part, ret))
		return err_set(err, EBADMSG, "strconv.ParseUint: parsing \"%.*s\": value out of range", STR_ARG(part));
	return 0;
}

static int strict_idents(str idents, bool pre, struct err *err)
{
	str part;

	while (str_next_part(&idents, '.', &part)) {
		uint64_t n;

		if (part.n == 0)
			return err_set(err, EBADMSG, pre ? "Prerelease is empty" : "Build meta data is empty");
		for (size_t i = 0; i < part.n; i++) {
			if (!semver_is_ident(part.p[i]))
				return err_set(err, EBADMSG, "Invalid character(s) found in %s \"%.*s\"",
					       pre ? "prerelease" : "build meta data", STR_ARG(part));
		}
		if (pre && has_leading_zero(part))
			return err_set(err, EBADMSG,
				       "Numeric PreRelease version must not contain leading zeroes \"%.*s\"",
				       STR_ARG(part));
		if (pre && count_digits(part) == part.n && !semver_number(part, &n))
			return err_set(err, EBADMSG, "strconv.ParseUint: parsing \"%.*s\": value out of range",
				       STR_ARG(part));
	}
	return 0;
}

int semver_parse_strict(str s, struct semver *ret, struct err *err)
{
	struct semver v = { .pre = STR(""), .metadata = STR(""), .original = s };
	str rest, major, minor, patch;
	ptrdiff_t plus, minus;
	int r;

	if (s.n == 0)
		return err_set(err, EBADMSG, "Version string empty");
	rest = s;
	if (!str_next_part(&rest, '.', &major) || !rest.p || !str_next_part(&rest, '.', &minor) || !rest.p)
		return err_set(err, EBADMSG, "No Major.Minor.Patch elements found");
	patch = rest;
	plus = str_find_byte(patch, '+');
	if (plus >= 0) {
		v.metadata = str_sub(patch, (size_t)plus + 1, patch.n);
		patch = str_sub(patch, 0, (size_t)plus);
	}
	minus = str_find_byte(patch, '-');
	if (minus >= 0) {
		v.pre = str_sub(patch, (size_t)minus + 1, patch.n);
		patch = str_sub(patch, 0, (size_t)minus);
	}
	r = strict_number(major, "major", &v.major, err);
	if (r == 0)
		r = strict_number(minor, "minor", &v.minor, err);
	if (r == 0)
		r = strict_number(patch, "patch", &v.patch, err);
	if (r == 0 && minus >= 0)
		r = strict_idents(v.pre, true, err);
	if (r == 0 && plus >= 0)
		r = strict_idents(v.metadata, false, err);
	if (r < 0)
		return r;
	*ret = v;
	return 0;
}

static void write_without_zeros(str part, struct buf *out)
{
	size_t zeros = 0;

	while (part.n > 1 && zeros < part.n && part.p[zeros] == '0')
		zeros++;
	if (part.n > 1 && (zeros == part.n || !ascii_is_digit(part.p[zeros])))
		buf_add_byte(out, '0');
	buf_add_str(out, str_sub(part, zeros, part.n));
}

int semver_normalize(str s, struct buf *out, struct err *err)
{
	str parts[3] = { { NULL, 0 } }, last;
	size_t n = 0;

	if (s.n > 0 && s.p[0] == 'v')
		s = str_sub(s, 1, s.n);
	while (n < 3) {
		ptrdiff_t dot = n < 2 ? str_find_byte(s, '.') : -1;

		parts[n++] = dot < 0 ? s : str_sub(s, 0, (size_t)dot);
		if (dot < 0)
			break;
		s = str_sub(s, (size_t)dot + 1, s.n);
	}
	last = parts[n - 1]; /* n is at least 1 */
	if (n < 3 && (str_find_byte(last, '+') >= 0 || str_find_byte(last, '-') >= 0))
		return err_set(err, EBADMSG, "short version cannot contain PreRelease/Build meta data");
	for (size_t i = 0; i < 3; i++) {
		if (i > 0)
			buf_add_byte(out, '.');
		write_without_zeros(i < n ? parts[i] : STR("0"), out);
	}
	return buf_error(out, "version", err);
}

/* ---- order ---- */

static int compare_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_part(str a, str b)
{
	uint64_t na, nb;
	bool a_number, b_number;

	if (str_eq(a, b))
		return 0;
	if (a.n == 0 || b.n == 0)
		return a.n == 0 ? -1 : 1;
	a_number = semver_number(a, &na);
	b_number = semver_number(b, &nb);
	if (!a_number && !b_number)
		return str_cmp(a, b) > 0 ? 1 : -1;
	if (!a_number || !b_number)
		return b_number ? 1 : -1;
	return na > nb ? 1 : -1;
}

int semver_compare_pre(str a, str b)
{
	bool more_a = true, more_b = true;

	while (more_a || more_b) {
		str part_a = STR(""), part_b = STR("");
		int r;

		more_a = more_a && str_next_part(&a, '.', &part_a);
		more_b = more_b && str_next_part(&b, '.', &part_b);
		r = compare_part(more_a ? part_a : STR(""), more_b ? part_b : STR(""));
		if (r)
			return r;
	}
	return 0;
}

int semver_compare(const struct semver *a, const struct semver *b)
{
	int r = compare_number(a->major, b->major);

	if (r == 0)
		r = compare_number(a->minor, b->minor);
	if (r == 0)
		r = compare_number(a->patch, b->patch);
	if (r)
		return r;
	if (a->pre.n == 0 || b->pre.n == 0)
		return (a->pre.n == 0) - (b->pre.n == 0);
	return semver_compare_pre(a->pre, b->pre);
}

/* ---- writing and next versions ---- */

void semver_write(const struct semver *v, struct buf *out)
{
	buf_printf(out, "%" PRIu64 ".%" PRIu64 ".%" PRIu64, v->major, v->minor, v->patch);
	if (v->pre.n > 0) {
		buf_add_byte(out, '-');
		buf_add_str(out, v->pre);
	}
	if (v->metadata.n > 0) {
		buf_add_byte(out, '+');
		buf_add_str(out, v->metadata);
	}
}

/* The numbers of @v, without pre-release and metadata; it has no original text. */
static struct semver release(const struct semver *v)
{
	return (struct semver){ .major = v->major,
				.minor = v->minor,
				.patch = v->patch,
				.pre = STR(""),
				.metadata = STR(""),
				.original = STR("") };
}

struct semver semver_inc_major(const struct semver *v)
{
	struct semver next = release(v);

	next.major++;
	next.minor = next.patch = 0;
	return next;
}

struct semver semver_inc_minor(const struct semver *v)
{
	struct semver next = release(v);

	next.minor++;
	next.patch = 0;
	return next;
}

struct semver semver_inc_patch(const struct semver *v)
{
	struct semver next = release(v);

	next.patch += v->pre.n == 0;
	return next;
}
