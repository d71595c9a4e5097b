/* Reads and writes addresses and networks. */
#include "cel/cel_net.h"

#include "go/quote.h"

#include <errno.h>
#include <stdio.h>

/* The length of @s before a valid zone of IPv6. */
static size_t before_zone(str s)
{
	ptrdiff_t zone = str_find_byte(s, '%'), colon = str_find_byte(s, ':');

	return zone >= 0 && colon >= 0 && colon < zone && zone + 1 < (ptrdiff_t)s.n ? (size_t)zone : s.n;
}

/* Fail with @before "…"@after, which quotes no more of a text than a message can hold. */
static int quoting(struct err *err, const char *before, str s, const char *after)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(8192);

	go_quote(&b, str_sub(s, 0, sizeof(err->msg)));
	return err_set(err, EBADMSG, "%s%.*s%s", before, STR_ARG(buf_str(&b)), after);
}

/* Fail with @before "…"@between ParseAddr("…"): MISTAKE (at "…"). */
static int flawed(struct err *err, const char *before, str s, const char *between, str address,
		  const struct go_ip_flaw *f)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(32768);

	buf_printf(&b, "%sParseAddr(", between);
	go_quote(&b, str_sub(address, 0, sizeof(err->msg)));
	buf_printf(&b, "): %s", f->text);
	if (f->at.p) {
		buf_add_cstr(&b, " (at ");
		go_quote(&b, str_sub(f->at, 0, sizeof(err->msg)));
		buf_add_byte(&b, ')');
	}
	return quoting(err, before, s, buf_str(&b).p);
}

int cel_ip_parse(str s, bool mapped, struct go_ip *ret, struct err *err)
{
	str address = str_sub(s, 0, before_zone(s));
	struct go_ip_flaw why;
	struct go_ip ip;

	if (!go_ip_parse(address, &ip, &why))
		return flawed(err, "IP Address ", s, " parse error during conversion from string: ", s, &why);
	if (address.n < s.n)
		return quoting(err, "IP address ", s, " with zone value is not allowed");
	if (go_ip_is_mapped(&ip) && !mapped)
		return quoting(err, "IPv4-mapped IPv6 address ", s, " is not allowed");
	go_ip_unmap(&ip);
	*ret = ip;
	return 0;
}

#define CIDR_ERROR "network address parse error during conversion from string: "

int cel_cidr_parse(str s, struct cel_cidr *ret, struct err *err)
{
	static const char what[] = CIDR_ERROR CIDR_ERROR "netip.ParsePrefix(";
	ptrdiff_t slash = str_rfind(s, STR("/"));
	struct go_ip_flaw why;
	struct cel_cidr c = { .bits = 0 };
	str address, bits;

	if (slash < 0)
		return quoting(err, what, s, "): no '/'");
	address = str_sub(s, 0, (size_t)slash);
	if (!go_ip_parse(str_sub(address, 0, before_zone(address)), &c.ip, &why))
		return flawed(err, what, s, "): ", address, &why);
	if (before_zone(address) < address.n)
		return quoting(err, what, s, "): IPv6 zones cannot be present in a prefix");
	bits = str_sub(s, (size_t)slash + 1, s.n);
	if (!go_ip_parse_bits(bits, &c.bits) || (bits.n > 1 && bits.p[0] == '0')) {
		CLEANUP(buf_done) struct buf b = BUF_INIT(8192);

		buf_add_cstr(&b, "): bad bits after slash: ");
		go_quote(&b, str_sub(bits, 0, sizeof(err->msg)));
		return quoting(err, what, s, buf_str(&b).p);
	}
	if (c.bits > c.ip.n * 8u)
		return quoting(err, what, s, "): prefix length out of range");
	if (go_ip_is_mapped(&c.ip))
		return quoting(err, CIDR_ERROR "IPv4-mapped IPv6 address ", s, " is not allowed");
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
