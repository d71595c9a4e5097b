/* Texts with a count of those who have them. */
#include "daemon/findings/shared_text.h"

#include "base/assert.h"
#include "base/index.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct shared_texts {
	struct index texts;
	bool closed;
};

struct shared_text {
	struct shared_texts *in;
	size_t holders, n;
	char bytes[];
};

static str text_of(const void *thing)
{
	const struct shared_text *t = thing;

	return (str){ t->bytes, t->n };
}

struct shared_texts *shared_texts_new(void)
{
	struct shared_texts *s = calloc(1, sizeof(*s));

	if (s)
		s->texts = INDEX_OF(text_of);
	return s;
}

static void free_closed(struct shared_texts *s)
{
	if (!s->closed || s->texts.n)
		return;
	index_done(&s->texts);
	free(s);
}

void shared_texts_close(struct shared_texts *s)
{
	if (!s)
		return;
	ASSERT(!s->closed);
	s->closed = true;
	free_closed(s);
}

static struct shared_text *add(struct shared_texts *s, str text)
{
	struct shared_text *t = malloc(sizeof(*t) + text.n + 1);

	if (!t)
		return NULL;
	*t = (struct shared_text){ .in = s, .n = text.n };
	memcpy(t->bytes, text.p, text.n);
	t->bytes[text.n] = '\0';
	if (index_put(&s->texts, t, NULL))
		return t;
	free(t);
	return NULL;
}

str shared_text_take(struct shared_texts *s, str text)
{
	struct shared_text *t;

	if (!text.n)
		return STR("");
	ASSERT(!s->closed);
	t = index_get(&s->texts, text);
	if (!t)
		t = add(s, text);
	if (!t)
		return (str){ NULL, 0 };
	t->holders++;
	return text_of(t);
}

void shared_text_drop(str text)
{
	struct shared_text *t;

	if (!text.n)
		return;
	/* NOLINTNEXTLINE(clang-diagnostic-cast-align): it was allocated as one */
	t = (struct shared_text *)(void *)((uintptr_t)text.p - offsetof(struct shared_text, bytes));
	ASSERT(t->holders > 0);
	if (--t->holders)
		return;
	(void)index_remove(&t->in->texts, text);
	free_closed(t->in);
	free(t);
}
