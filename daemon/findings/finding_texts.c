/* The texts of findings: none is stored twice. Most of a subject is in the finding's key, common texts are shared, and
 * the whole finding is one piece of a slab. */
#include "daemon/findings/findings_internal.h"

#define TEXT_AT(field) offsetof(struct finding, field)

/* The texts that many findings have alike, which are stored once. */
static const size_t shared[] = {
	TEXT_AT(subject.reference_hash),
	TEXT_AT(subject.part),
	TEXT_AT(subject.component),
	TEXT_AT(subject.template_path),
	TEXT_AT(subject.resource),
	TEXT_AT(subject.rule),
	TEXT_AT(subject.rule_source),
	TEXT_AT(subject.reason),
	TEXT_AT(subject.owner),
	TEXT_AT(subject.until),
	TEXT_AT(subject.phase),
	TEXT_AT(subject.shard),
	TEXT_AT(manager),
	TEXT_AT(actions),
	TEXT_AT(removals),
};
/* The texts that findings do not share; most of a subject is in the key as it stands. */
static const size_t own[] = {
	TEXT_AT(subject.cluster),
	TEXT_AT(subject.reference),
	TEXT_AT(subject.api_version),
	TEXT_AT(subject.kind),
	TEXT_AT(subject.namespace),
	TEXT_AT(subject.name),
	TEXT_AT(subject.uid),
	TEXT_AT(subject.resource_version),
	TEXT_AT(subject.rule_path),
	TEXT_AT(subject.acceptance),
	TEXT_AT(summary),
	TEXT_AT(paths),
	TEXT_AT(places),
};
_Static_assert(ARRAY_LEN(shared) + ARRAY_LEN(own) == sizeof(struct finding_subject) / sizeof(str) + 6,
	       "each text is one or the other");

static str *text_at(struct finding *x, size_t at)
{
	return (str *)(void *)((char *)x + at);
}

/* Drop the first @n of the shared texts. */
static void drop_shared(struct finding *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		shared_text_drop(*text_at(x, shared[i]));
}

/* Take the shared texts of the finding. False without memory: then it has none of them. */
static bool take_shared(struct finding *x, struct shared_texts *from)
{
	for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
		str *text = text_at(x, shared[i]);
		str taken = shared_text_take(from, *text);

		if (!taken.p) {
			drop_shared(x, i);
			return false;
		}
		*text = taken;
	}
	return true;
}

/* Where @text is in the key; negative: it is not there. An empty text is anywhere. */
static ptrdiff_t place_in(str key, str text)
{
	return text.n ? str_find(key, text) : 0;
}

static size_t own_bytes(const struct finding *from, str key)
{
	size_t n = key.n + 1;

	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		const str *text = (const str *)(const void *)((const char *)from + own[i]);

		if (place_in(key, *text) < 0)
			n += text->n + 1;
	}
	return n;
}

static str add_text(char **to, str text)
{
	str copy = { *to, text.n };

	memcpy(*to, text.p, text.n);
	(*to)[text.n] = '\0';
	*to += text.n + 1;
	return copy;
}

static void take_own(struct finding *x, str key)
{
	char *to = x->texts;

	x->key = add_text(&to, key);
	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		str *text = text_at(x, own[i]);
		ptrdiff_t at = place_in(x->key, *text);

		*text = at < 0 ? add_text(&to, *text) : str_sub(x->key, (size_t)at, (size_t)at + text->n);
	}
}

static void give_back(struct finding *x)
{
	if (x->alone)
		free(x);
	else
		slab_give(x);
}

/* A copy of @from with its texts; NULL without memory. */
struct finding *finding_copy(struct findings *f, const struct finding *from)
{
	str key = findings_subject_key(f, from->kind, &from->subject);
	size_t n = key.p ? sizeof(struct finding) + own_bytes(from, key) : 0;
	bool alone = n > SLAB_PIECE_MAX;
	struct finding *x = !n ? NULL : alone ? malloc(n) : slab_take(f->slabs, n);

	if (!x)
		return NULL;
	*x = *from;
	x->alone = alone;
	if (!take_shared(x, f->texts)) {
		give_back(x);
		return NULL;
	}
	take_own(x, key);
	return x;
}

void finding_free(struct finding *x)
{
	drop_shared(x, ARRAY_LEN(shared));
	give_back(x);
}
