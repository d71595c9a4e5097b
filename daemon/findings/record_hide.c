/* Each text of a record is searched; nearly always there is nothing to find, and nothing is copied. */
#include "daemon/findings/record_hide.h"

#include "mask/credentials.h"

#define TEXT_MAX ((size_t)2 << 20)

static const char *const identity[] = { "DRIFTD_CLUSTER", "DRIFTD_KIND", "DRIFTD_NAMESPACE", "DRIFTD_NAME" };

static bool is_identity(const char *name)
{
	return str_index(str_from(name), identity, ARRAY_LEN(identity)) < ARRAY_LEN(identity);
}

static bool holds_any(const struct record *r)
{
	if (credentials_in(r->text) || credentials_in(r->what) || credentials_in(r->details))
		return true;
	for (size_t i = 0; i < r->n_fields; i++) {
		if (!is_identity(r->fields[i].name) && credentials_in(r->fields[i].value))
			return true;
	}
	return false;
}

static void hide(str *text, const str names[ARRAY_LEN(identity)], struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(TEXT_MAX);

	credentials_hide(*text, names, ARRAY_LEN(identity), &out);
	*text = out.error ? STR("") : arena_str(a, buf_str(&out));
}

const struct record *record_hide(const struct record *r, struct record *space)
{
	str names[ARRAY_LEN(identity)];

	space->arena = ARENA_INIT(0);
	if (!holds_any(r))
		return r;
	*space = *r;
	space->arena = ARENA_INIT(0);
	for (size_t i = 0; i < ARRAY_LEN(identity); i++)
		names[i] = record_get(r, identity[i]);
	hide(&space->text, names, &space->arena);
	hide(&space->what, names, &space->arena);
	hide(&space->details, names, &space->arena);
	for (size_t i = 0; i < space->n_fields; i++) {
		if (!is_identity(space->fields[i].name))
			hide(&space->fields[i].value, names, &space->arena);
	}
	return space;
}
