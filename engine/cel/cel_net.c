/* Addresses and networks as text. */
#include "cel/cel_net.h"

#include <errno.h>
#include <stdio.h>

/* What is wrong with a text, and from where on; {NULL, 0}: with the whole. */
struct flaw {
	const char *text;
	str at;
};

static bool wrong(struct flaw *f, const char *text, str at)
{
	*f = (struct flaw){ text, at };
	return false;
}

static const str nowhere = { NULL, 0 };

static bool parse_v4(str s, uint8_t out[4], struct flaw *why)
{
	unsigned field = 0, value = 0, digits = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c >= '0' && c <= '9') {
			if (digits == 1 && value == 0)
				return wrong(why, "IPv4 field has octet with leading zero", nowhere);
			value = value * 10 + (unsigned)(c - '0');
			digits++;
			if (value > 255)
				return wrong(why, "IPv4 field has value >255", nowhere);
		} else if (c == '.') {
			if (i == 0 || i == s.n - 1 || s.p[i - 1] == '.')
				return wrong(why, "IPv4 field must have at least one digit", str_sub(s, i, s.n));
			if (field == 3)
				return wrong(why, "IPv4 address too long", nowhere);
			out[field++] = (uint8_t)value;
			value = digits = 0;
		} else {
			return wrong(why, "unexpected character", str_sub(s, i, s.n));
		}
	}
	if (field < 3)
		return wrong(why, "IPv4 address too short", nowhere);
	out[3] = (uint8_t)value;
	return true;
}

/* One group of hexadecimal digits; its length, 0 when there is none or it is too large. */
static size_t parse_group(str s, unsigned *value, struct flaw *why)
{
	size_t n = 0;

	*value = 0;
	for (; n < s.n; n++) {
		char c = s.p[n];
		unsigned d;

		if (c >= '0' && c <= '9')
			d = (unsigned)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			d = (unsigned)((c | 0x20) - 'a') + 10;
		else
			break;
		*value = *value * 16 + d;
		if (n > 3 || *value > 0xFFFF) {
			(void)wrong(why,
				    n > 3 ? "each group must have 4 or fewer digits" : "IPv6 field has value >=2^16",
				    s);
			return 0;
		}
	}
	if (n == 0)
		(void)wrong(why, "each colon-separated field must have at least one digit", s);
	return n;
}

/* netip.ParseAddr for IPv6, without a zone. */
static bool parse_v6(str s, uint8_t out[16], struct flaw *why)
{
	int ellipsis = -1;
	unsigned i = 0, value;
	size_t n;

	if (str_has_prefix(s, STR("::"))) {
		ellipsis = 0;
		s = str_sub(s, 2, s.n);
		if (s.n == 0) {
			memset(out, 0, 16);
			return true;
		}
	}
	while (i < 16) {
		n = parse_group(s, &value, why);
		if (n == 0)
			return false;
		if (n < s.n && s.p[n] == '.') {
			if ((ellipsis < 0 && i != 12) || i + 4 > 16)
				return wrong(why,
					     "embedded IPv4 address must replace the final 2 fields of the address", s);
			if (!parse_v4(s, out + i, why))
				return false;
			s.n = 0;
			i += 4;
			break;
		}
		out[i++] = (uint8_t)(value >> 8);
		out[i++] = (uint8_t)value;
		s = str_sub(s, n, s.n);
		if (s.n == 0)
			break;
		if (s.p[0] != ':')
			return wrong(why, "unexpected character, want colon", s);
		if (s.n == 1)
			return wrong(why, "colon must be followed by more characters", s);
		s = str_sub(s, 1, s.n);
		if (s.p[0] == ':') {
			if (ellipsis >= 0)
				return wrong(why, "multiple :: in address", s);
			ellipsis = (int)i;
			s = str_sub(s, 1, s.n);
			if (s.n == 0)
				break;
		}
	}
	if (s.n)
		return wrong(why, "trailing garbage after address", s);
	if (i == 16 && ellipsis >= 0)
		return wrong(why, "the :: must expand to at least one field of zeros", nowhere);
	if (i < 16) {
		unsigned gap = 16 - i, tail;

		if (ellipsis < 0)
			return wrong(why, "address string too short", nowhere);
		tail = i - (unsigned)ellipsis;
		memmove(out + ellipsis + gap, out + ellipsis, tail);
		memset(out + ellipsis, 0, gap);
	}
	return true;
}

static bool is_mapped(const uint8_t b[16])
{
	static const uint8_t prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };

	return memcmp(b, prefix, sizeof(prefix)) == 0;
}

static bool parse_addr(str s, struct cel_ip *ret, struct flaw *why)
{
	ptrdiff_t colon = str_find_byte(s, ':'), dot = str_find_byte(s, '.');

	memset(ret, 0, sizeof(*ret));
	if (colon < 0 && dot < 0)
		return wrong(why, "unable to parse IP", nowhere);
	if (colon < 0 || (dot >= 0 && dot < colon)) {
		ret->n = 4;
		return parse_v4(s, ret->b, why);
	}
	ret->n = 16;
	return parse_v6(s, ret->b, why);
}

/* " (at \"…\")" */
static const char *place_of(const struct flaw *f, char *out, size_t size)
{
	if (f->at.p)
		(void)snprintf(out, size, " (at \"%.*s\")", STR_ARG(f->at));
	return out;
}

int cel_ip_parse(str s, bool mapped, struct cel_ip *ret, struct err *err)
{
	ptrdiff_t zone = str_find_byte(s, '%'), colon = str_find_byte(s, ':');
	char where[160] = "";
	struct flaw why;
	struct cel_ip ip;

	if (zone >= 0 && colon >= 0 && colon < zone && zone + 1 < (ptrdiff_t)s.n &&
	    parse_addr(str_sub(s, 0, (size_t)zone), &ip, &why))
		return err_set(err, EBADMSG, "IP Address with zone value is not allowed");
	if (!parse_addr(s, &ip, &why))
		return err_set(
			err, EBADMSG,
			"IP Address \"%.*s\" parse error during conversion from string: ParseAddr(\"%.*s\"): %s%s",
			STR_ARG(s), STR_ARG(s), why.text, place_of(&why, where, sizeof(where)));
	if (ip.n == 16 && is_mapped(ip.b)) {
		if (!mapped)
			return err_set(err, EBADMSG, "IPv4-mapped IPv6 address is not allowed");
		memmove(ip.b, ip.b + 12, 4);
		memset(ip.b + 4, 0, 12);
		ip.n = 4;
	}
	*ret = ip;
	return 0;
}

int cel_cidr_parse(str s, struct cel_cidr *ret, struct err *err)
{
	static const char what[] = "network address parse error during conversion from string: "
				   "network address parse error during conversion from string";
	ptrdiff_t slash = str_rfind(s, STR("/"));
	char where[160] = "";
	struct flaw why;
	struct cel_cidr c = { .bits = 0 };
	str bits;

	if (slash < 0)
		return err_set(err, EBADMSG, "%s: netip.ParsePrefix(\"%.*s\"): no '/'", what, STR_ARG(s));
	if (str_find_byte(str_sub(s, 0, (size_t)slash), '%') >= 0)
		return err_set(err, EBADMSG, "CIDR with zone value is not allowed");
	if (!parse_addr(str_sub(s, 0, (size_t)slash), &c.ip, &why))
		return err_set(err, EBADMSG, "%s: netip.ParsePrefix(\"%.*s\"): ParseAddr(\"%.*s\"): %s%s", what,
			       STR_ARG(s), STR_ARG(str_sub(s, 0, (size_t)slash)), why.text,
			       place_of(&why, where, sizeof(where)));
	if (c.ip.n == 16 && is_mapped(c.ip.b))
		return err_set(err, EBADMSG, "IPv4-mapped IPv6 address is not allowed");
	bits = str_sub(s, (size_t)slash + 1, s.n);
	if (bits.n == 0 || bits.n > 3 || (bits.n > 1 && bits.p[0] == '0'))
		return err_set(err, EBADMSG, "%s: netip.ParsePrefix(\"%.*s\"): bad bits after slash: \"%.*s\"", what,
			       STR_ARG(s), STR_ARG(bits));
	for (size_t i = 0; i < bits.n; i++) {
		if (bits.p[i] < '0' || bits.p[i] > '9')
			return err_set(err, EBADMSG, "%s: netip.ParsePrefix(\"%.*s\"): bad bits after slash: \"%.*s\"",
				       what, STR_ARG(s), STR_ARG(bits));
		c.bits = c.bits * 10 + (bits.p[i] - '0');
	}
	if (c.bits > c.ip.n * 8)
		return err_set(err, EBADMSG, "%s: netip.ParsePrefix(\"%.*s\"): prefix length out of range", what,
			       STR_ARG(s));
	*ret = c;
	return 0;
}

bool cel_ip_equal(const struct cel_ip *a, const struct cel_ip *b)
{
	return a->n == b->n && memcmp(a->b, b->b, a->n) == 0;
}

static unsigned group(const struct cel_ip *ip, unsigned i)
{
	return (unsigned)ip->b[2 * i] << 8 | ip->b[2 * i + 1];
}

/* RFC 5952: the longest run of zero groups, of at least two, is "::". */
void cel_ip_format(const struct cel_ip *ip, struct buf *out)
{
	unsigned start = 8, length = 1;

	if (ip->n == 4) {
		buf_printf(out, "%u.%u.%u.%u", ip->b[0], ip->b[1], ip->b[2], ip->b[3]);
		return;
	}
	for (unsigned i = 0; i < 8; i++) {
		unsigned n = 0;

		while (i + n < 8 && group(ip, i + n) == 0)
			n++;
		if (n > length) {
			start = i;
			length = n;
		}
	}
	for (unsigned i = 0; i < 8; i++) {
		if (i == start) {
			buf_add_cstr(out, "::");
			i += length - 1;
			continue;
		}
		buf_printf(out, "%s%x", i && i != start + length ? ":" : "", group(ip, i));
	}
}

void cel_cidr_format(const struct cel_cidr *c, struct buf *out)
{
	cel_ip_format(&c->ip, out);
	buf_printf(out, "/%d", c->bits);
}

struct cel_cidr cel_cidr_masked(const struct cel_cidr *c)
{
	struct cel_cidr m = *c;

	for (int i = 0; i < m.ip.n; i++) {
		int keep = m.bits - i * 8;

		if (keep <= 0)
			m.ip.b[i] = 0;
		else if (keep < 8)
			m.ip.b[i] &= (uint8_t)(0xFF00 >> keep);
	}
	return m;
}

bool cel_cidr_contains(const struct cel_cidr *c, const struct cel_ip *ip)
{
	struct cel_cidr x = { *ip, c->bits }, y = *c;

	if (ip->n != c->ip.n)
		return false;
	x = cel_cidr_masked(&x);
	y = cel_cidr_masked(&y);
	return cel_ip_equal(&x.ip, &y.ip);
}
