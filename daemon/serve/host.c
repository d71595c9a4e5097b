/* What stands before the port. */
#include "daemon/serve/host.h"

#include <arpa/inet.h>

static str without_port(str host)
{
	ptrdiff_t end = host.n && host.p[0] == '[' ? str_find_byte(host, ']') : str_rfind(host, STR(":"));

	if (host.n && host.p[0] == '[')
		return end < 0 ? host : str_sub(host, 1, (size_t)end);
	return end < 0 ? host : str_sub(host, 0, (size_t)end);
}

static bool is_address(str name)
{
	unsigned char parsed[sizeof(struct in6_addr)];
	char text[INET6_ADDRSTRLEN];

	if (name.n >= sizeof(text) || memchr(name.p, '\0', name.n))
		return false;
	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	return inet_pton(AF_INET, text, parsed) == 1 || inet_pton(AF_INET6, text, parsed) == 1;
}

bool host_is_ours(str host, const str *names, size_t n)
{
	str name = without_port(host);

	if (is_address(name) || str_eq_nocase(name, STR("localhost")))
		return true;
	for (size_t i = 0; i < n; i++) {
		if (str_eq_nocase(name, names[i]))
			return true;
	}
	return false;
}
