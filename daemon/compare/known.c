/* Two maps: one by version and kind, one by kind for templates that leave the version open. */
#include "daemon/compare/known.h"

#include "value/identity.h"

#include <errno.h>

void compare_known_init(struct compare_known *k)
{
	*k = (struct compare_known){ 0 };
	arena_init(&k->arena, 0, 0);
}

void compare_known_done(struct compare_known *k)
{
	strmap_done(&k->kinds);
	strmap_done(&k->names);
	arena_done(&k->arena);
}

static int put(struct compare_known *k, str api_version, str kind, const char *why, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(IDENTITY_BYTES_MAX);
	str copy = arena_str(&k->arena, str_from(why));

	identity_kind_key(api_version, kind, &key);
	if (!copy.p || key.error == -ENOMEM)
		return err_nomem(err);
	if (key.error)
		return 0; /* a name that is too long: nobody can ask for such a kind */
	return strmap_put(&k->kinds, buf_str(&key), (char *)(uintptr_t)copy.p, NULL) ? 0 : err_nomem(err);
}

int compare_known_add(struct compare_known *k, str api_version, str kind, struct err *err)
{
	return compare_known_has(k, api_version, kind) ? 0 : put(k, api_version, kind, "", err);
}

int compare_known_mark_unknown(struct compare_known *k, str api_version, str kind, const char *why, struct err *err)
{
	const char *before = identity_kind_get(&k->kinds, api_version, kind);
	str copy;

	if (!strmap_has(&k->names, kind)) {
		copy = arena_str(&k->arena, str_from(why));
		if (!copy.p || !strmap_put(&k->names, kind, (char *)(uintptr_t)copy.p, NULL))
			return err_nomem(err);
	}
	return before && *before ? 0 : put(k, api_version, kind, why, err);
}

bool compare_known_has(const struct compare_known *k, str api_version, str kind)
{
	return identity_kind_get(&k->kinds, api_version, kind);
}

const char *compare_known_why(const struct compare_known *k, str api_version, str kind)
{
	const char *why = identity_kind_get(&k->kinds, api_version, kind);

	if (!why)
		return "it was not asked for";
	return *why ? why : NULL;
}

const char *compare_known_template(const struct compare_known *k, const struct ref_template *t)
{
	const struct identity *id = &t->identity;

	if (!id->api_version.n)
		return strmap_get(&k->names, id->kind);
	return compare_known_why(k, id->api_version, id->kind);
}
