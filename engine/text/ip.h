/* IP addresses as Go's net/netip reads them, without zones. */
#ifndef TEXT_IP_H
#define TEXT_IP_H

#include "base/str.h"

struct ip_addr {
	uint8_t n; /* 4 or 16 */
	uint8_t b[16];
};

/* What is wrong with a text, in netip's words, and from where on; {NULL, 0}: with the whole. */
struct ip_flaw {
	const char *text;
	str at;
};

/* False: *why says why. *ret is written either way. */
CHECKED bool ip_parse(str s, struct ip_addr *ret, struct ip_flaw *why);

bool ip_equal(const struct ip_addr *a, const struct ip_addr *b);
/* An IPv6 address that stands for an IPv4 one: ::ffff:1.2.3.4. */
bool ip_is_mapped(const struct ip_addr *ip);
/* @ip with all behind its first @bits zero. */
struct ip_addr ip_masked(struct ip_addr ip, unsigned bits);
/* Whether the first @bits of both are the same; those of different families are not. */
bool ip_in_net(const struct ip_addr *ip, const struct ip_addr *net, unsigned bits);

#endif
