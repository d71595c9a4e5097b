/* Reads and writes the status of a source as JSON. */
#include "config/source_status.h"

#include "base/assert.h"
#include "config/source_store.h"
#include "value/json.h"
#include "value/json_out.h"

#include <errno.h>
#include <limits.h>

#define STATUS_MAX ((size_t)64 << 10)

/* ORDER enum source_failure */
static const char *const failure_names[SOURCE_FAILURES] = { "unreachable",  "authentication", "missing",
							    "verification", "refused",        "local" };

const char *source_failure_name(enum source_failure f)
{
	ASSERT(f < SOURCE_FAILURES);
	return failure_names[f];
}

enum source_failure source_failure_of(int r)
{
	static const struct {
		int code;
		enum source_failure means;
	} codes[] = {
		{ EKEYREJECTED, SOURCE_VERIFICATION },
		{ EACCES, SOURCE_AUTHENTICATION },
		{ ENOKEY, SOURCE_AUTHENTICATION },
		{ ENOENT, SOURCE_MISSING },
		{ E2BIG, SOURCE_REFUSED },
		{ EINVAL, SOURCE_REFUSED },
		{ EBADMSG, SOURCE_REFUSED },
		{ ENOSPC, SOURCE_LOCAL },
		{ EDQUOT, SOURCE_LOCAL },
		{ EROFS, SOURCE_LOCAL },
		{ ENOMEM, SOURCE_LOCAL },
		{ EPERM, SOURCE_LOCAL },
		{ ENOEXEC, SOURCE_LOCAL },
	};

	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		if (codes[i].code == -r)
			return codes[i].means;
	}
	return SOURCE_UNREACHABLE;
}

/* ---- writing ---- */

int source_status_write(const struct source_status *s, struct buf *out, struct err *err)
{
	json_open(out, NULL, '{');
	json_text(out, "place", s->place);
	json_text(out, "definition", s->definition);
	json_number(out, "served", s->served);
	json_number(out, "attempted", (uint64_t)s->attempted);
	json_number(out, "succeeded", (uint64_t)s->succeeded);
	json_open(out, "failures", '{');
	for (size_t i = 0; i < SOURCE_FAILURES; i++)
		json_number(out, failure_names[i], s->failures[i]);
	buf_add_byte(out, '}');
	if (s->failed) {
		json_text(out, "failure", str_from(failure_names[s->failure]));
		json_text(out, "message", s->message);
	}
	buf_add_cstr(out, "}\n");
	return buf_error(out, "the status of a source", err);
}

/* ---- reading ---- */

static uint64_t count_of(val map, str key)
{
	int64_t n = val_int_or(val_get(map, key), 0);

	return n > 0 ? (uint64_t)n : 0;
}

int source_status_read(str text, struct arena *a, struct source_status *ret, struct err *err)
{
	struct source_status s = { 0 };
	val v, failures;
	size_t failure;
	int r = json_decode_value(text, JSON_DEFAULTS, a, &v, NULL, err);

	if (r < 0)
		return r;
	if (!val_is_map(v))
		return err_set(err, EINVAL, "the status of a source is not an object");
	s.place = val_str(VAL_GET(v, "place"));
	s.definition = val_str(VAL_GET(v, "definition"));
	s.served = count_of(v, STR("served"));
	s.attempted = (int64_t)count_of(v, STR("attempted"));
	s.succeeded = (int64_t)count_of(v, STR("succeeded"));
	failures = VAL_GET(v, "failures");
	for (size_t i = 0; i < SOURCE_FAILURES; i++)
		s.failures[i] = count_of(failures, str_from(failure_names[i]));
	failure = str_index(val_str(VAL_GET(v, "failure")), failure_names, SOURCE_FAILURES);
	s.failed = failure < SOURCE_FAILURES;
	s.failure = s.failed ? (enum source_failure)failure : SOURCE_UNREACHABLE;
	s.message = val_str(VAL_GET(v, "message"));
	*ret = s;
	return 0;
}

int source_status_load(const char *store, str name, struct arena *a, struct source_status *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_MAX);
	CLEANUP(freep) char *text = NULL;
	size_t n;
	int r;

	source_store_status(store, name, &path);
	r = source_store_read(store, &path, STATUS_MAX, &text, &n, err);
	return r < 0 ? r : source_status_read((str){ text, n }, a, ret, err);
}

bool source_status_agrees(const struct source_status *s, const struct source *source)
{
	char now[SOURCE_HASH_SIZE];

	return source_hash(source, now) && (!s->definition.n || str_eq(s->definition, str_from(now))) &&
	       !(s->failed && s->failure == SOURCE_VERIFICATION);
}
