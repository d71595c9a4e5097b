/* IP addresses as Go's net/netip reads them, without zones: the one reader of them. inet_pton(3) takes the same texts.
 */
#ifndef GO_IP_H
#define GO_IP_H

#include "base/str.h"

struct go_ip {
	uint8_t n; /* 4 or 16 */
	uint8_t b[16];
};

/* What is wrong with a text, in netip's words, and from where on; {NULL, 0}: with the whole. */
struct go_ip_flaw {
	const char *text;
	str at;
};

/* False: *why, which may be NULL, says why. *ret is written either way. */
CHECKED bool go_ip_parse(str s, struct go_ip *ret, struct go_ip_flaw *why);
/* As net.ParseIP: an IPv4 address within IPv6 is the IPv4 address. */
CHECKED bool go_ip_parse_unmapped(str s, struct go_ip *ret);
/* What stands behind the slash of a network: at most three digits, whatever the family can have. */
CHECKED bool go_ip_parse_bits(str s, unsigned *ret);

bool go_ip_equal(const struct go_ip *a, const struct go_ip *b);
/* An IPv6 address that stands for an IPv4 one: ::ffff:1.2.3.4. */
bool go_ip_is_mapped(const struct go_ip *ip);
/* Turns a mapped address into the IPv4 address. */
void go_ip_unmap(struct go_ip *ip);
/* @ip with all behind its first @bits zero. */
struct go_ip go_ip_masked(struct go_ip ip, unsigned bits);
/* Whether the first @bits of both are the same; those of different families are not. */
bool go_ip_in_net(const struct go_ip *ip, const struct go_ip *net, unsigned bits);

#endif
