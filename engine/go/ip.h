/* IP addresses as Go's net/netip reads them, without zones. The daemon has no other reader of them. inet_pton(3)
 * accepts the same texts. */
#ifndef GO_IP_H
#define GO_IP_H

#include "base/str.h"

struct go_ip {
	uint8_t n; /* 4 or 16 */
	uint8_t b[16];
};

/* What is wrong with a text, in netip's words, and the part of the text from which on it is wrong; {NULL, 0}: all of
 * it. */
struct go_ip_flaw {
	const char *text;
	str at;
};

/* Read an address. False: *why, which may be NULL, says why. *ret is written in both cases. */
CHECKED bool go_ip_parse(str s, struct go_ip *ret, struct go_ip_flaw *why);
/* As net.ParseIP: an IPv4 address within IPv6 becomes the IPv4 address. */
CHECKED bool go_ip_parse_unmapped(str s, struct go_ip *ret);
/* Read the number behind the slash of a network: at most three digits, whatever the family allows. */
CHECKED bool go_ip_parse_bits(str s, unsigned *ret);

bool go_ip_equal(const struct go_ip *a, const struct go_ip *b);
/* Whether @ip is an IPv6 address that represents an IPv4 one: ::ffff:1.2.3.4. */
bool go_ip_is_mapped(const struct go_ip *ip);
/* Turn an address that is mapped (go_ip_is_mapped) into the IPv4 address. */
void go_ip_unmap(struct go_ip *ip);
/* @ip with all bits behind its first @bits zero. */
struct go_ip go_ip_masked(struct go_ip ip, unsigned bits);
/* Whether the first @bits of both addresses are equal; false for addresses of different families. */
bool go_ip_in_net(const struct go_ip *ip, const struct go_ip *net, unsigned bits);

#endif
