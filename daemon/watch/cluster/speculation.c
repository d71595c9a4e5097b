/* Reading, judging and packing one object, in any thread. */
#include "daemon/watch/cluster/speculation.h"

#include "compare/writers.h"
#include "daemon/findings/finding_owner.h"
#include "kubeclient/kc_identity.h"

#include <stdlib.h>

/* Sizes in bytes: the arena for the results of a batch, first and at most; the arena for parts of documents, first. */
#define RESULTS_FIRST ((size_t)64 << 10)
#define RESULTS_MAX ((size_t)64 << 20)
#define PARTIAL_FIRST ((size_t)16 << 10)

void speculation_done(struct speculation *f)
{
	for (size_t i = 0; i < f->n; i++)
		speculated_done(&f->verdicts[i], &f->speculator->read_sets);
	pack_dict_unref(f->packed.dict);
}

struct speculator *speculator_new(const struct limits *limits)
{
	struct speculator *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->limits = limits;
	h->keys = key_table_new();
	h->packer = packer_new();
	h->texts = BUF_INIT(limits->object_bytes * 2);
	h->writers = BUF_INIT(limits->object_bytes);
	arena_init(&h->results, RESULTS_FIRST, RESULTS_MAX);
	arena_init(&h->partial, PARTIAL_FIRST, limits->arena_bytes);
	if (h->keys && h->packer)
		return h;
	speculator_free(h);
	return NULL;
}

void speculator_free(struct speculator *h)
{
	if (!h)
		return;
	arena_done(&h->results);
	arena_done(&h->partial);
	read_sets_drop(&h->read_sets, &h->usual);
	read_sets_done(&h->read_sets);
	key_table_free(h->keys);
	packer_free(h->packer);
	buf_done(&h->texts);
	buf_done(&h->writers);
	free(h);
}

void speculator_begin(struct speculator *h)
{
	arena_done(&h->results);
	arena_init(&h->results, RESULTS_FIRST, RESULTS_MAX);
}

/* ---- judging ---- */

/* Whether an inspection of the object would find nothing, as far as that is known. */
static bool passes_inspection(const struct speculator *h, val object, size_t n_text)
{
	uint64_t seen = h->inspects ? watch_inspector_seen(h->inspects, &h->type, object, n_text) : 0;

	return !h->inspects || (seen && recent_hashes_has(&h->inspects->nothing, seen));
}

static bool judge(struct speculator *h, const struct kc_identity *id, val object, size_t n_text, struct speculation *f)
{
	const struct speculate what = { .id = { h->type.api_version, h->type.kind, id->namespace, id->name },
					.object = object,
					.n_text = n_text,
					.limits = h->limits,
					.keys = h->keys,
					.read_sets = &h->read_sets,
					.inspects = h->inspects,
					.lent = &h->lent };

	while (f->n < h->n_judges && reference_judge_speculate(&h->judges[f->n], &what, &f->verdicts[f->n]))
		f->n++;
	return f->n == h->n_judges && passes_inspection(h, object, n_text) &&
	       (!h->rules || rules_in_force_pass(h->rules, object, h->limits, &h->partial, &f->passed));
}

/* Judge with the crash marker set: if judging ends the process, the next process knows the object. */
static bool judge_crash_marker(struct speculator *h, const struct kc_identity *id, val object, size_t n_text,
			       struct speculation *f)
{
	const struct finding_subject s = { .cluster = h->cluster,
					   .api_version = h->type.api_version,
					   .kind = h->type.kind,
					   .namespace = id->namespace,
					   .name = id->name,
					   .uid = id->uid,
					   .resource_version = id->resource_version };
	bool all;

	crash_marker_set_at(h->place, &s);
	all = judge(h, id, object, n_text, f);
	crash_marker_unset_at(h->place);
	return all;
}

/* ---- storing the object ---- */

static bool copy(struct speculator *h, str *s)
{
	*s = arena_str(&h->results, *s);
	return s->p;
}

/* Pack the texts of the object. The result belongs to the speculator. {NULL, 0}: the object is stored plain. */
static str pack(struct speculator *h, str text, str managed, struct packed_object *ret)
{
	struct err err;
	str packed = { 0 };

	if (!h->dict)
		return packed;
	buf_clear(&h->texts);
	stored_object_cut(text, managed, &h->texts);
	ret->n_object = h->texts.n;
	if (h->writers_known)
		buf_add_str(&h->texts, buf_str(&h->writers));
	else
		writers_write(managed, &h->texts);
	ret->n_managed = h->texts.n - ret->n_object;
	if (h->texts.error || packer_pack(h->packer, h->dict, buf_str(&h->texts), &packed, &err) < 0)
		return (str){ 0 };
	return packed;
}

/* Store what the loop will keep of the object in @f. False without memory. */
static bool keep(struct speculator *h, const struct kc_identity *id, str text, str managed, struct speculation *f)
{
	f->prepared = (struct kc_prepared){ id->namespace, id->name, id->uid, id->resource_version,
					    managed.p ? managed : STR("") };
	f->packed.packed = pack(h, text, managed, &f->packed);
	if (f->packed.packed.n)
		f->packed.dict = pack_dict_ref(h->dict);
	return copy(h, &f->prepared.namespace) && copy(h, &f->prepared.name) && copy(h, &f->prepared.uid) &&
	       copy(h, &f->prepared.resource_version) && (!f->packed.packed.n || copy(h, &f->packed.packed));
}

/* ---- reading the object ---- */

/* True when the object belongs to this shard, or when a component of this shard counts it. */
static bool is_needed(const struct speculator *h, const struct kc_identity *id)
{
	const struct identity of = { h->type.api_version, h->type.kind, id->namespace, id->name };

	return object_is_own(h->shard, id->uid, id->namespace, id->name) ||
	       reference_judges_count(h->judges, h->n_judges, &of);
}

static bool is_confirmed(const struct kc_identity *id, val root)
{
	struct kc_object o = {
		.namespace = id->namespace, .name = id->name, .uid = id->uid, .resource_version = id->resource_version
	};

	return kc_object_confirmed(&o, root);
}

/* For struct json_reader: take what is kept of managedFields while reading over it. */
static const char *read_writers(void *ctx, const char *p, const char *end)
{
	struct speculator *h = ctx;

	buf_clear(&h->writers);
	p = writers_read(p, end, &h->writers);
	h->writers_known = p && !h->writers.error;
	return p;
}

/* What others than references read of an object. False: both inspections and validation rules read something. */
static bool read_besides(const struct speculator *h, const struct object_ways **ret, uint64_t *edition)
{
	*ret = h->inspects ? &h->inspects->ways : h->rules ? &h->rules->read_set : NULL;
	*edition = h->inspects ? h->inspects->edition : h->rules ? h->rules->edition : 0;
	return !h->inspects || !h->rules;
}

/* Try to decode only the part of the object that verdicts on its kind usually read. False: all of it has to be
 * decoded. */
static bool look_at_usual(struct speculator *h, str text, struct speculation *f)
{
	const struct json_reader reader = { read_writers, h };
	struct identity id = { h->type.api_version, h->type.kind, { 0 }, { 0 } };
	const struct object_ways *besides;
	const struct json_pick *pick;
	struct kc_identity who;
	uint64_t edition;
	str managed;
	struct err err;
	val root;

	if (!h->usual || !read_besides(h, &besides, &edition) || !kc_identity_glance(text, &who))
		return false;
	id.namespace = who.namespace;
	id.name = who.name;
	h->writers_known = false;
	arena_reset(&h->partial);
	pick = reference_judge_pick(&h->judges[0], &id, &h->read_sets, h->usual, besides, edition, h->limits, h->keys);
	if (!pick ||
	    object_decode_part(text, h->limits, h->keys, &h->type, pick, &reader, &h->partial, &root, &managed, &err) <
		    0 ||
	    stored_object_n_object(text, managed) > READ_SET_BYTES_MAX || !is_confirmed(&who, root))
		return false;
	if (judge_crash_marker(h, &who, root, stored_object_n_object(text, managed), f) &&
	    f->verdicts[0].read_set == h->usual && keep(h, &who, text, managed, f))
		return true;
	speculation_done(f);
	*f = (struct speculation){ .speculator = h };
	return false;
}

static bool look_at_all(struct speculator *h, str text, struct speculation *f)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct kc_identity id;
	const struct read_set *read_set;
	str managed;
	struct err err;

	h->writers_known = false;
	arena_reset(&h->partial);
	if (object_decode(text, h->limits, h->keys, &h->type, &d, &managed, &err) < 0 ||
	    kc_identity_of(d->root, &id, &err) < 0 || !is_needed(h, &id))
		return false;
	if (!judge_crash_marker(h, &id, d->root, stored_object_n_object(text, managed), f) ||
	    !keep(h, &id, text, managed, f)) {
		speculation_done(f);
		return false;
	}
	read_set = h->n_judges == 1 ? f->verdicts[0].read_set : NULL;
	if (read_set)
		(void)read_sets_take(&h->read_sets, read_set->parts, read_set->n, h->keys, &h->usual);
	return true;
}

struct speculation *speculation_look(struct speculator *h, str text)
{
	struct speculation *f;
	struct kc_identity who;

	if (h->shard.total > 1 && kc_identity_glance(text, &who) && !is_needed(h, &who))
		return NULL;
	f = arena_alloc(&h->results, sizeof(*f) + h->n_judges * sizeof(f->verdicts[0]));
	if (!f)
		return NULL;
	*f = (struct speculation){ .speculator = h };
	return look_at_usual(h, text, f) || look_at_all(h, text, f) ? f : NULL;
}
