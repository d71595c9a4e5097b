/* Reads the state.json of older versions. */
#include "daemon/store/database/database_internal.h"

#include "base/file.h"
#include "daemon/findings/finding_json.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>

#define VERSION 1
#define NAME "state.json"

static int import_all(val root, finding_fn *each, void *ctx, struct err *err)
{
	val list = VAL_GET(root, "findings"), version = VAL_GET(root, "version");
	struct finding x;

	if (version.kind != VAL_INT || version.i != VERSION || !val_is_list(list))
		return err_set(err, EBADMSG, "it is not a state of version %d", VERSION);
	for (uint32_t i = 0; i < list.n; i++) { /* all or none: a file that is set aside must leave nothing behind */
		if (!finding_from_json(list.items[i], &x))
			return err_set(err, EBADMSG, "finding %u is malformed", i);
	}
	for (uint32_t i = 0; i < list.n; i++) {
		if (finding_from_json(list.items[i], &x) && each(ctx, &x, err) < 0)
			return -err->code;
	}
	return 0;
}

static int set_aside(const char *path, struct err *err)
{
	CLEANUP(freep) char *bad = NULL;

	if (asprintf(&bad, "%s.bad", path) >= 0 && rename(path, bad) == 0)
		return err_wrap(err, "state '%s' is set aside as '%s'", path, bad);
	return err_wrap(err, "state '%s'", path);
}

int state_json_read(const char *dir, finding_fn *each, void *ctx, struct err *err)
{
	CLEANUP(freep) char *path = NULL, *text = NULL;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	size_t len;
	int r;

	if (asprintf(&path, "%s/" NAME, dir) < 0)
		return err_nomem(err);
	r = file_read(path, STATE_FILE_BYTES_MAX, &text, &len, err);
	if (r == -ENOENT)
		return 0;
	limits.object_bytes = STATE_FILE_BYTES_MAX;
	limits.arena_bytes = 0;
	limits.document_nodes = SIZE_MAX;
	if (r == 0)
		r = json_decode((str){ text, len }, &o, &doc, err);
	if (r == 0)
		r = import_all(doc->root, each, ctx, err);
	return r == -EBADMSG || r == -E2BIG ? set_aside(path, err) : r;
}

void state_json_done(const char *dir)
{
	CLEANUP(freep) char *path = NULL, *imported = NULL;

	if (asprintf(&path, "%s/" NAME, dir) >= 0 && asprintf(&imported, "%s/" NAME ".imported", dir) >= 0)
		(void)rename(path, imported);
}
