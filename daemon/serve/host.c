/* Checks the name in the header Host, without its port. */
#include "daemon/serve/host.h"

#include "go/ip.h"

static str without_port(str host)
{
	ptrdiff_t end = host.n && host.p[0] == '[' ? str_find_byte(host, ']') : str_rfind(host, STR(":"));

	if (host.n && host.p[0] == '[')
		return end < 0 ? host : str_sub(host, 1, (size_t)end);
	return end < 0 ? host : str_sub(host, 0, (size_t)end);
}

bool host_is_ours(str host, const str *names, size_t n)
{
	str name = without_port(host);
	struct go_ip ip;

	if (go_ip_parse(name, &ip, NULL) || str_eq_nocase(name, STR("localhost")))
		return true;
	for (size_t i = 0; i < n; i++) {
		if (str_eq_nocase(name, names[i]))
			return true;
	}
	return false;
}
