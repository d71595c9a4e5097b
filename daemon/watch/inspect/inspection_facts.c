/* Builds the inventory that inspection rules read. */
#include "daemon/watch/inspect/inspection_facts.h"

#include "base/assert.h"
#include "mask/mask.h"
#include "rules/event_review.h"

struct builder {
	struct key_table *keys;
	struct arena *arena;
	struct member members[16];
	size_t n;
	bool ok;
};

static void add(struct builder *b, const char *name, val v)
{
	const struct key *key = key_make(b->keys, b->arena, str_from(name));

	b->ok &= key != NULL && val_exists(v) && b->n < ARRAY_LEN(b->members);
	if (b->ok)
		b->members[b->n++] = (struct member){ key, v };
}

static void add_text(struct builder *b, const char *name, str text)
{
	add(b, name, val_string(text));
}

static void add_text_or_null(struct builder *b, const char *name, str text)
{
	add(b, name, text.n ? val_string(text) : val_null());
}

static val map_of(struct builder *b)
{
	return b->ok ? val_map(b->arena, b->members, b->n) : (val){ 0 };
}

static val value_of(const struct inspection_facts *f, const struct change *c, struct arena *a, val v)
{
	if (!val_exists(v))
		return val_null();
	if (!c->sensitive)
		return v;
	return f->unmasked && mask_mark_all(a, &v) ? v : val_string(STR("***"));
}

static val change_of(const struct inspection_facts *f, const struct change *c, struct builder b)
{
	add_text(&b, "type", str_from(change_kind_name(c->kind)));
	add_text(&b, "path", c->path_text);
	add(&b, "expected", value_of(f, c, b.arena, c->expected));
	add(&b, "actual", value_of(f, c, b.arena, c->actual));
	return map_of(&b);
}

static val changes_of(const struct inspection_facts *f, const struct changes *changes, const struct builder *b)
{
	val *items = arena_array(b->arena, changes->n, sizeof(*items));

	for (size_t i = 0; items && i < changes->n; i++) {
		items[i] = change_of(f, &changes->p[i], *b);
		if (!val_exists(items[i]))
			return items[i];
	}
	return items ? (val){ .kind = VAL_LIST, .n = (uint32_t)changes->n, .items = items } : (val){ 0 };
}

static val event_of(const struct verdict *v, const struct event *e, struct builder b)
{
	const struct event_rule *rule = v->outcome->rules[e->rule];
	str path = event_leaf_text(e->about, v->mask, b.arena);

	b.ok &= path.p != NULL;
	add_text(&b, "type", str_from(event_type_name(rule->type)));
	add_text(&b, "rule_path", rule->path.text);
	add_text(&b, "change_type", str_from(event_change_name(e->change)));
	add_text(&b, "path", path);
	add_text(&b, "message", rule->message);
	return map_of(&b);
}

static val events_of(const struct verdict *v, const struct builder *b)
{
	struct events events = { 0 };
	struct err err;
	val *items;

	if (v->outcome && event_outcome_events(v->outcome, b->arena, &events, &err) < 0)
		return (val){ 0 };
	items = arena_array(b->arena, events.n, sizeof(*items));
	for (size_t i = 0; items && i < events.n; i++) {
		items[i] = event_of(v, &events.p[i], *b);
		if (!val_exists(items[i]))
			return items[i];
	}
	return items ? (val){ .kind = VAL_LIST, .n = (uint32_t)events.n, .items = items } : (val){ 0 };
}

static void add_verdict(const struct inspection_facts *f, struct builder *b)
{
	const struct builder empty = { .keys = b->keys, .arena = b->arena, .ok = true };

	add(b, "drifted", val_bool(f->verdict->state == VERDICT_DRIFTED));
	add(b, "changes", changes_of(f, &f->verdict->changes, &empty));
	add(b, "events", events_of(f->verdict, &empty));
}

int inspection_facts(const struct inspection_facts *f, struct key_table *keys, struct arena *a, val *ret,
		     struct err *err)
{
	static const char *const events[] = { "synced", "added", "modified", "deleted" };
	const struct finding_subject *s = f->subject;
	struct builder b = { .keys = keys, .arena = a, .ok = true };

	_Static_assert(ARRAY_LEN(events) == OBJECT_EVENTS, "ORDER object_event");
	add_text(&b, "cluster", s->cluster);
	ASSERT(f->event < OBJECT_EVENTS);
	add_text(&b, "event", str_from(events[f->event]));
	add_text(&b, "api_version", s->api_version);
	add_text(&b, "kind", s->kind);
	add_text_or_null(&b, "namespace", s->namespace);
	add_text(&b, "name", s->name);
	add_text(&b, "uid", s->uid);
	add(&b, "raw", f->raw);
	add(&b, "previous", val_exists(f->previous) ? f->previous : val_null());
	add_text_or_null(&b, "reference", s->reference);
	add_text_or_null(&b, "template", s->template_path);
	if (f->verdict)
		add_verdict(f, &b);
	*ret = map_of(&b);
	return val_exists(*ret) ? 0 : arena_error(a, err);
}
