/* Kubernetes' ip and cidr libraries.   apiserver/pkg/cel/library/ip.go, cidr.go */
#include "cel/cel_func.h"

#include "cel/cel_net.h"

static cv ip_value(struct cel_ctx *c, const struct go_ip *ip)
{
	struct go_ip *copy = arena_alloc(c->arena, sizeof(*copy));

	if (!copy)
		return cel_nomem(c);
	*copy = *ip;
	return (cv){ .kind = CV_IP, .ip = copy };
}

static cv cidr_value(struct cel_ctx *c, const struct cel_cidr *cidr)
{
	struct cel_cidr *copy = arena_alloc(c->arena, sizeof(*copy));

	if (!copy)
		return cel_nomem(c);
	*copy = *cidr;
	return (cv){ .kind = CV_CIDR, .cidr = copy };
}

/* Read an address. Outside Kubernetes the network extension also reads mapped addresses in hexadecimal. */
static bool read_ip(const struct cel_ctx *c, str s, struct go_ip *ip, struct err *err)
{
	return cel_ip_parse(s, !c->kubernetes && str_find_byte(s, '.') < 0, ip, err) == 0;
}

static cv ip(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct go_ip parsed;
	struct err err;

	(void)n;
	return read_ip(c, cv_str(a[0]), &parsed, &err) ? ip_value(c, &parsed) : cel_fail(c, "%s", err.msg);
}

static cv is_ip(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct go_ip parsed;
	struct err err;

	(void)n;
	return cv_bool(read_ip(c, cv_str(a[0]), &parsed, &err));
}

static cv is_canonical(struct cel_ctx *c, const cv *a, uint32_t n)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(64);
	struct go_ip parsed;
	struct err err;

	(void)n;
	if (!read_ip(c, cv_str(a[0]), &parsed, &err))
		return cel_fail(c, "%s", err.msg);
	cel_ip_format(&parsed, &b);
	return cv_bool(str_eq(buf_str(&b), cv_str(a[0])));
}

static cv family(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_int(a[0].ip->n == 4 ? 4 : 6);
}

static bool all_zero(const uint8_t *b, size_t n)
{
	while (n && b[n - 1] == 0)
		n--;
	return n == 0;
}

static cv is_unspecified(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(all_zero(a[0].ip->b, a[0].ip->n));
}

static bool loopback(const struct go_ip *ip)
{
	return ip->n == 4 ? ip->b[0] == 127 : all_zero(ip->b, 15) && ip->b[15] == 1;
}

static bool link_local_unicast(const struct go_ip *ip)
{
	return ip->n == 4 ? ip->b[0] == 169 && ip->b[1] == 254 : ip->b[0] == 0xFE && (ip->b[1] & 0xC0) == 0x80;
}

static cv is_loopback(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(loopback(a[0].ip));
}

static cv is_link_local_multicast(struct cel_ctx *c, const cv *a, uint32_t n)
{
	const struct go_ip *x = a[0].ip;

	(void)c;
	(void)n;
	return cv_bool(x->n == 4 ? x->b[0] == 224 && x->b[1] == 0 && x->b[2] == 0
				 : x->b[0] == 0xFF && (x->b[1] & 0x0F) == 0x02);
}

static cv is_link_local_unicast(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(link_local_unicast(a[0].ip));
}

static cv is_global_unicast(struct cel_ctx *c, const cv *a, uint32_t n)
{
	static const uint8_t broadcast[4] = { 255, 255, 255, 255 };
	const struct go_ip *x = a[0].ip;
	bool multicast = x->n == 4 ? (x->b[0] & 0xF0) == 0xE0 : x->b[0] == 0xFF;

	(void)c;
	(void)n;
	return cv_bool(!multicast && !all_zero(x->b, x->n) && !loopback(x) && !link_local_unicast(x) &&
		       !(x->n == 4 && memcmp(x->b, broadcast, 4) == 0));
}

static cv cidr(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct cel_cidr parsed;
	struct err err;

	(void)n;
	return cel_cidr_parse(cv_str(a[0]), &parsed, &err) == 0 ? cidr_value(c, &parsed) : cel_fail(c, "%s", err.msg);
}

static cv is_cidr(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct cel_cidr parsed;
	struct err err;

	(void)c;
	(void)n;
	return cv_bool(cel_cidr_parse(cv_str(a[0]), &parsed, &err) == 0);
}

static cv contains_ip(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct go_ip parsed;
	struct err err;

	(void)n;
	if (a[1].kind == CV_IP)
		return cv_bool(cel_cidr_contains(a[0].cidr, a[1].ip));
	/* The original treats a text that it cannot read like a wrong type. */
	if (!read_ip(c, cv_str(a[1]), &parsed, &err))
		return cv_no_overload();
	return cv_bool(cel_cidr_contains(a[0].cidr, &parsed));
}

static cv contains_cidr(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct cel_cidr parsed;
	struct err err;

	(void)n;
	if (a[1].kind == CV_CIDR)
		parsed = *a[1].cidr;
	else if (cel_cidr_parse(cv_str(a[1]), &parsed, &err) < 0)
		return cel_fail(c, "%s", err.msg);
	return cv_bool(parsed.bits >= a[0].cidr->bits && cel_cidr_contains(a[0].cidr, &parsed.ip));
}

static cv cidr_ip(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return ip_value(c, &a[0].cidr->ip);
}

static cv masked(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct cel_cidr m = cel_cidr_masked(a[0].cidr);

	(void)n;
	return cidr_value(c, &m);
}

static cv prefix_length(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_int(a[0].cidr->bits);
}

static cv to_string(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return cel_to_string(c, a[0]);
}

static const struct cel_overload overloads[] = {
	CEL_GLOBAL("ip", "string_to_ip", "s:I", ip, COST_K_FIRST, "an address"),
	CEL_GLOBAL("isIP", "is_ip", "s:b", is_ip, COST_K_FIRST, "is it an address?"),
	CEL_GLOBAL("ip.isCanonical", "ip_is_canonical", "s:b", is_canonical, COST_K_FIRST_TWICE,
		   "in its usual spelling?"),
	CEL_MEMBER("family", "ip_family", "I:i", family, COST_ONE, "4 or 6"),
	CEL_MEMBER("isUnspecified", "ip_is_unspecified", "I:b", is_unspecified, COST_ONE, "all zero?"),
	CEL_MEMBER("isLoopback", "ip_is_loopback", "I:b", is_loopback, COST_ONE, "of this host?"),
	CEL_MEMBER("isLinkLocalMulticast", "ip_is_link_local_multicast", "I:b", is_link_local_multicast, COST_ONE, ""),
	CEL_MEMBER("isLinkLocalUnicast", "ip_is_link_local_unicast", "I:b", is_link_local_unicast, COST_ONE, ""),
	CEL_MEMBER("isGlobalUnicast", "ip_is_global_unicast", "I:b", is_global_unicast, COST_ONE, ""),
	CEL_GLOBAL("string", "ip_to_string", "I:s", to_string, COST_ONE, "an address as text"),
	CEL_GLOBAL("cidr", "string_to_cidr", "s:C", cidr, COST_K_FIRST, "a network"),
	CEL_GLOBAL("isCIDR", "is_cidr", "s:b", is_cidr, COST_K_FIRST, "is it a network?"),
	CEL_MEMBER("containsIP", "cidr_contains_ip_string", "Cs:b", contains_ip, COST_K_CONTAINS_IP,
		   "is the address in it?"),
	CEL_MEMBER("containsIP", "cidr_contains_ip_ip", "CI:b", contains_ip, COST_K_CONTAINS_IP,
		   "is the address in it?"),
	CEL_MEMBER("containsCIDR", "cidr_contains_cidr_string", "Cs:b", contains_cidr, COST_K_CONTAINS_CIDR,
		   "is the network in it?"),
	CEL_MEMBER("containsCIDR", "cidr_contains_cidr", "CC:b", contains_cidr, COST_K_CONTAINS_CIDR,
		   "is the network in it?"),
	CEL_MEMBER("ip", "cidr_ip", "C:I", cidr_ip, COST_ONE, "its address"),
	CEL_MEMBER("prefixLength", "cidr_prefix_length", "C:i", prefix_length, COST_ONE, "number of network bits"),
	CEL_MEMBER("masked", "cidr_masked", "C:C", masked, COST_ONE, "host bits zero"),
	CEL_GLOBAL("string", "cidr_to_string", "C:s", to_string, COST_ONE, "a network as text"),
};

const struct cel_library cel_lib_net = { overloads, ARRAY_LEN(overloads) };
