/* Limits and drops clients. A dropped client is off the list, but lives until its connection is closed. */
#include "daemon/serve/http_clients.h"

#include "base/assert.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

struct http_client {
	struct http_client *before, *after;
	int fd;
	bool dropped, answered;
	uint64_t until_ms;
};

static void append(struct http_clients *all, struct http_client *c)
{
	c->before = all->last;
	if (all->last)
		all->last->after = c;
	else
		all->first = c;
	all->last = c;
	all->n++;
}

static void take_off(struct http_clients *all, struct http_client *c)
{
	ASSERT(all->n > 0);
	if (c->before)
		c->before->after = c->after;
	else
		all->first = c->after;
	if (c->after)
		c->after->before = c->before;
	else
		all->last = c->before;
	ASSERT(all->n > 0);
	all->n--;
}

static void drop(struct http_clients *all, struct http_client *c)
{
	take_off(all, c);
	c->dropped = true;
	(void)shutdown(c->fd, SHUT_RDWR);
}

struct http_client *http_clients_add(struct http_clients *all, int fd, uint64_t now_ms)
{
	struct http_client *c = calloc(1, sizeof(*c));

	if (!c) {
		(void)shutdown(fd, SHUT_RDWR);
		return NULL;
	}
	c->fd = fd;
	c->until_ms = now_ms + HTTP_REQUEST_MS;
	if (all->n == HTTP_CLIENTS_MAX)
		drop(all, all->first);
	append(all, c);
	return c;
}

void http_clients_renew(struct http_client *c, uint64_t now_ms)
{
	c->until_ms = now_ms + HTTP_REQUEST_MS;
	c->answered = true;
}

void http_clients_refuse(struct http_client *c, uint64_t now_ms)
{
	if (c->until_ms > now_ms + HTTP_REFUSED_MS)
		c->until_ms = now_ms + HTTP_REFUSED_MS;
}

bool http_client_is_dropped(const struct http_client *c)
{
	return c->dropped;
}

bool http_client_is_new(const struct http_client *c)
{
	return !c->answered;
}

void http_clients_expire(struct http_clients *all, uint64_t now_ms)
{
	for (struct http_client *c = all->first, *after; c; c = after) {
		after = c->after;
		if (now_ms >= c->until_ms)
			drop(all, c);
	}
}

void http_clients_remove(struct http_clients *all, struct http_client *c)
{
	if (!c->dropped)
		take_off(all, c);
	free(c);
}
