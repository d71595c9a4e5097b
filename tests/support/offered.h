/* Objects as a client has them from a server: their texts, and the offer of one before it is decoded. */
#ifndef TESTS_OFFERED_H
#define TESTS_OFFERED_H

#include "daemon/watch/source/feed.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The text of @doc in *e, with managedFields within unless @managed is empty; it lives in @text. */
static inline void offered_text(const struct doc *doc, str managed, struct buf *text, struct kc_object *e)
{
	static const char before[] = "\"metadata\":{", name[] = "\"managedFields\":";
	CLEANUP(buf_done) struct buf plain = BUF_INIT(1u << 20);
	const char *at;
	struct err err;
	size_t from;

	assert_int_equal(json_encode(doc->root, JSON_TYPED, NULL, &plain, &err), 0);
	buf_add_byte(&plain, '\0');
	at = strstr(plain.p, before);
	assert_non_null(at);
	from = (size_t)(at - plain.p) + strlen(before);
	buf_add_str(text, (str){ plain.p, from });
	if (managed.n)
		buf_printf(text, "%s%.*s,", name, STR_ARG(managed));
	buf_add_cstr(text, plain.p + from);
	e->text = buf_str(text);
	if (managed.n)
		e->managed_fields = str_sub(e->text, from + strlen(name), from + strlen(name) + managed.n);
}

/* A client offers a change of what it knows, undecoded. True: that was all. */
static inline bool offered_unseen(struct feed_watch *w, const struct kc_object *e)
{
	struct kc_object offered = *e;

	offered.doc = NULL;
	offered.managed_fields = STR("");
	return w->handler.unseen(w->ctx, &offered);
}

#endif
