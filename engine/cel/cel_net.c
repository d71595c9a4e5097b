/* Addresses and networks as text. */
#include "cel/cel_net.h"

#include <errno.h>
#include <stdio.h>

/* " (at \"…\")" */
static const char *place_of(const struct go_ip_flaw *f, char *out, size_t size)
{
	if (f->at.p)
		(void)snprintf(out, size, " (at \"%.*s\")", STR_ARG(f->at));
	return out;
}

int cel_ip_parse(str s, bool mapped, struct go_ip *ret, struct err *err)
{
	ptrdiff_t zone = str_find_byte(s, '%'), colon = str_find_byte(s, ':');
	char where[160] = "";
	struct go_ip_flaw why;
	struct go_ip ip;

	if (zone >= 0 && colon >= 0 && colon < zone && zone + 1 < (ptrdiff_t)s.n &&
	    go_ip_parse(str_sub(s, 0, (size_t)zone), &ip, NULL))
		return err_set(err, EBADMSG, "IP Address with zone value is not allowed");
	if (!go_ip_parse(s, &ip, &why))
		return err_set(
			err, EBADMSG,
			"IP Address \"%.*s\" parse error during conversion from string: ParseAddr(\"%.*s\"): %s%s",
			STR_ARG(s), STR_ARG(s), why.text, place_of(&why, where, sizeof(where)));
	if (go_ip_is_mapped(&ip) && !mapped)
		return err_set(err, EBADMSG, "IPv4-mapped IPv6 address is not allowed");
	go_ip_unmap(&ip);
	*ret = ip;
	return 0;
}

int cel_cidr_parse(str s, struct cel_cidr *ret, struct err *err)
{
	static const char what[] = "network address parse error during conversion from string: "
				   "network address parse error during conversion from string";
	ptrdiff_t slash = str_rfind(s, STR("/"));
	char where[160] = "";
	struct go_ip_flaw why;
	struct cel_cidr c = { .bits = 0 };
	str bits;

	if (slash < 0)
		return err_set(err, EBADMSG, "%s: netip.ParsePrefix(\"%.*s\"): no '/'", what, STR_ARG(s));
	if (str_find_byte(str_sub(s, 0, (size_t)slash), '%') >= 0)
		return err_set(err, EBADMSG, "CIDR with zone value is not allowed");
	if (!go_ip_parse(str_sub(s, 0, (size_t)slash), &c.ip, &why))
		return err_set(err, EBADMSG, "%s: netip.ParsePrefix(\"%.*s\"): ParseAddr(\"%.*s\"): %s%s", what,
			       STR_ARG(s), STR_ARG(str_sub(s, 0, (size_t)slash)), why.text,
			       place_of(&why, where, sizeof(where)));
	if (go_ip_is_mapped(&c.ip))
		return err_set(err, EBADMSG, "IPv4-mapped IPv6 address is not allowed");
	bits = str_sub(s, (size_t)slash + 1, s.n);
	if (!go_ip_parse_bits(bits, &c.bits) || (bits.n > 1 && bits.p[0] == '0'))
		return err_set(err, EBADMSG, "%s: netip.ParsePrefix(\"%.*s\"): bad bits after slash: \"%.*s\"", what,
			       STR_ARG(s), STR_ARG(bits));
	if (c.bits > c.ip.n * 8u)
		return err_set(err, EBADMSG, "%s: netip.ParsePrefix(\"%.*s\"): prefix length out of range", what,
			       STR_ARG(s));
	*ret = c;
	return 0;
}

static unsigned group(const struct go_ip *ip, unsigned i)
{
	return (unsigned)ip->b[2 * i] << 8 | ip->b[2 * i + 1];
}

/* RFC 5952: the longest run of zero groups, of at least two, is "::". */
void cel_ip_format(const struct go_ip *ip, struct buf *out)
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
	buf_printf(out, "/%u", c->bits);
}

struct cel_cidr cel_cidr_masked(const struct cel_cidr *c)
{
	return (struct cel_cidr){ go_ip_masked(c->ip, c->bits), c->bits };
}

bool cel_cidr_contains(const struct cel_cidr *c, const struct go_ip *ip)
{
	return go_ip_in_net(ip, &c->ip, c->bits);
}
