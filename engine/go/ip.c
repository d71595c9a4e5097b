/* Reads IP addresses as Go does. */
#include "go/ip.h"

#include "base/ascii.h"

static bool wrong(struct go_ip_flaw *f, const char *text, str at)
{
	if (f)
		*f = (struct go_ip_flaw){ text, at };
	return false;
}

static const str nowhere = { NULL, 0 };

static bool parse_v4(str s, uint8_t out[4], struct go_ip_flaw *why)
{
	unsigned field = 0, value = 0, digits = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (ascii_is_digit(c)) {
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

/* Read one group of hexadecimal digits. Returns its length, 0 when there is none or it is too large. */
static size_t parse_group(str s, unsigned *value, struct go_ip_flaw *why)
{
	size_t n = 0;

	*value = 0;
	for (; n < s.n; n++) {
		char c = s.p[n];
		int d = ascii_hex_value(c);

		if (d < 0)
			break;
		*value = *value * 16 + (unsigned)d;
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
static bool parse_v6(str s, uint8_t out[16], struct go_ip_flaw *why)
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

bool go_ip_is_mapped(const struct go_ip *ip)
{
	static const uint8_t prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };

	return ip->n == 16 && memcmp(ip->b, prefix, sizeof(prefix)) == 0;
}

void go_ip_unmap(struct go_ip *ip)
{
	if (!go_ip_is_mapped(ip))
		return;
	memmove(ip->b, ip->b + 12, 4);
	memset(ip->b + 4, 0, 12);
	ip->n = 4;
}

bool go_ip_parse(str s, struct go_ip *ret, struct go_ip_flaw *why)
{
	ptrdiff_t colon = str_find_byte(s, ':'), dot = str_find_byte(s, '.'), zone = str_find_byte(s, '%');

	memset(ret, 0, sizeof(*ret));
	if (zone >= 0 && (colon < 0 || zone < colon) && (dot < 0 || zone < dot))
		return wrong(why, "missing IPv6 address", nowhere);
	if (colon < 0 && dot < 0)
		return wrong(why, "unable to parse IP", nowhere);
	if (colon < 0 || (dot >= 0 && dot < colon)) {
		ret->n = 4;
		return parse_v4(s, ret->b, why);
	}
	if (zone >= 0 && zone + 1 == (ptrdiff_t)s.n)
		return wrong(why, "zone must be a non-empty string", nowhere);
	ret->n = 16;
	return parse_v6(s, ret->b, why);
}

bool go_ip_parse_unmapped(str s, struct go_ip *ret)
{
	bool ok = go_ip_parse(s, ret, NULL);

	go_ip_unmap(ret);
	return ok;
}

bool go_ip_parse_bits(str s, unsigned *ret)
{
	unsigned bits = 0;

	if (s.n == 0 || s.n > 3)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		bits = bits * 10 + (unsigned)(s.p[i] - '0');
	}
	*ret = bits;
	return true;
}

bool go_ip_equal(const struct go_ip *a, const struct go_ip *b)
{
	return a->n == b->n && memcmp(a->b, b->b, a->n) == 0;
}

struct go_ip go_ip_masked(struct go_ip ip, unsigned bits)
{
	for (unsigned i = 0; i < ip.n; i++) {
		unsigned before = i * 8;

		if (bits <= before)
			ip.b[i] = 0;
		else if (bits - before < 8)
			ip.b[i] &= (uint8_t)(0xFF00 >> (bits - before));
	}
	return ip;
}

bool go_ip_in_net(const struct go_ip *ip, const struct go_ip *net, unsigned bits)
{
	struct go_ip x = go_ip_masked(*ip, bits), y = go_ip_masked(*net, bits);

	return go_ip_equal(&x, &y);
}
