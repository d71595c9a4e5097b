/* IP addresses and networks, as Go's net/netip reads and writes them and Kubernetes' CEL libraries restrict them: no
 * zones, no IPv4-mapped IPv6 addresses. */
#ifndef CEL_NET_H
#define CEL_NET_H

#include "base/buf.h"
#include "base/err.h"
#include "go/ip.h"

struct cel_cidr {
	struct go_ip ip; /* the address as it is written, not masked */
	unsigned bits;
};

/* Fails: EBADMSG with the text that the CEL function gives. @mapped: accept IPv4-mapped addresses (they
 * become IPv4). */
CHECKED int cel_ip_parse(str s, bool mapped, struct go_ip *ret, struct err *err);
CHECKED int cel_cidr_parse(str s, struct cel_cidr *ret, struct err *err);

void cel_ip_format(const struct go_ip *ip, struct buf *out);
void cel_cidr_format(const struct cel_cidr *c, struct buf *out);
struct cel_cidr cel_cidr_masked(const struct cel_cidr *c);
bool cel_cidr_contains(const struct cel_cidr *c, const struct go_ip *ip);

#endif
