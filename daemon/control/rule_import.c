/* Reads a file of rules. */
#include "daemon/control/control_internal.h"

#include "base/file.h"
#include "base/limits.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)64 << 20)

/* Decode the file as JSON, or if it is none, as YAML: JSON may contain what YAML reads differently (tabs, a long
 * key). */
static int decode(str text, struct doc **ret, struct err *err)
{
	struct limits limits = LIMITS_DEFAULT;
	const struct json_options json = { .limits = &limits };
	const struct yaml_options yaml = { .limits = &limits, .strict = true };
	int r;

	limits.object_bytes = limits.file_bytes = FILE_BYTES_MAX;
	r = json_decode(text, &json, ret, err);
	return r < 0 && r != -ENOMEM ? yaml_decode(text, &yaml, ret, err) : r;
}

/* Turn a single rule into a list. */
static int make_list(struct doc *d, struct err *err)
{
	if (val_is_list(d->root))
		return 0;
	if (!val_is_map(d->root))
		return err_set(err, EINVAL, "a rule, or a list of rules, is expected");
	d->root = val_list(&d->arena, &d->root, 1);
	return val_exists(d->root) ? 0 : err_nomem(err);
}

int rule_import_read(const char *path, struct doc **ret, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	struct doc *d = NULL;
	size_t n;
	int r = file_read(strcmp(path, "-") == 0 ? "/dev/stdin" : path, FILE_BYTES_MAX, &text, &n, err);

	if (r < 0)
		return r;
	r = decode((str){ text, n }, &d, err);
	if (r == 0)
		r = make_list(d, err);
	if (r < 0) {
		doc_unref(d);
		return r == -ENOMEM ? r : err_wrap(err, "%s", path);
	}
	*ret = d;
	return 0;
}

static int send_one(val rule, int (*send)(void *ctx, str json, struct err *err), void *ctx, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(FILE_BYTES_MAX);
	int r = json_encode(rule, JSON_TYPED, NULL, &json, err);

	if (r == 0)
		r = buf_error(&json, "a rule", err);
	return r < 0 ? r : send(ctx, buf_str(&json), err);
}

int rule_import_each(val rules, int (*send)(void *ctx, str json, struct err *err), void *ctx, size_t *n,
		     struct err *err)
{
	for (*n = 0; *n < val_count(rules); ++*n) {
		val rule = val_at(rules, (uint32_t)*n);
		str uuid = val_str(VAL_GET(rule, "uuid"));

		if (send_one(rule, send, ctx, err) < 0)
			return err_wrap(err, "rule %zu%s%.*s%s", *n + 1, uuid.n ? " (" : "", STR_ARG(uuid),
					uuid.n ? ")" : "");
	}
	return 0;
}
