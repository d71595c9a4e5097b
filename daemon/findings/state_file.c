/* Reading and writing state.json. */
#include "daemon/findings/state_file.h"

#include "base/file.h"
#include "value/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define VERSION 1
#define NAME "state.json"

/* The texts of a subject by the names that they have in the file. */
static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{ "cluster", offsetof(struct finding, subject.cluster) },
	{ "reference", offsetof(struct finding, subject.reference) },
	{ "part", offsetof(struct finding, subject.part) },
	{ "component", offsetof(struct finding, subject.component) },
	{ "template", offsetof(struct finding, subject.template_path) },
	{ "apiVersion", offsetof(struct finding, subject.api_version) },
	{ "kind", offsetof(struct finding, subject.kind) },
	{ "namespace", offsetof(struct finding, subject.namespace) },
	{ "name", offsetof(struct finding, subject.name) },
	{ "uid", offsetof(struct finding, subject.uid) },
	{ "resource", offsetof(struct finding, subject.resource) },
	{ "rule", offsetof(struct finding, subject.rule) },
	{ "rulePath", offsetof(struct finding, subject.rule_path) },
	{ "ruleSource", offsetof(struct finding, subject.rule_source) },
	{ "reason", offsetof(struct finding, subject.reason) },
	{ "paths", offsetof(struct finding, paths) },
};

/* ---- writing ---- */

static void add_finding(struct buf *out, const struct finding *x)
{
	buf_printf(out,
		   "{\"finding\":%d,\"severity\":%d,\"id\":\"%s\",\"state\":\"%s\",\"firstSeenUsec\":%" PRId64
		   ",\"announced\":%s",
		   (int)x->kind, (int)x->severity, x->id, x->state_hash, x->first_seen_usec,
		   x->announced ? "true" : "false");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const str *s = (const str *)((const char *)x + texts[i].offset);

		if (!s->n)
			continue;
		buf_printf(out, ",\"%s\":", texts[i].name);
		json_encode_string(*s, JSON_PLAIN, out);
	}
	buf_add_byte(out, '}');
}

static void add_state(struct buf *out, const struct findings *f)
{
	const struct finding *x;
	size_t at = 0, n = 0;

	buf_printf(out, "{\"version\":%d,\"findings\":[", VERSION);
	while ((x = findings_each(f, &at))) {
		if (n++ > 0)
			buf_add_byte(out, ',');
		add_finding(out, x);
	}
	buf_add_cstr(out, "]}");
}

int state_file_text(const struct findings *f, struct buf *out, struct err *err)
{
	add_state(out, f);
	return buf_error(out, "the state", err);
}

int state_file_write(const char *dir, str text, struct err *err)
{
	CLEANUP(freep) char *path = NULL, *temporary = NULL;
	int fd, r;

	if (asprintf(&path, "%s/" NAME, dir) < 0 || asprintf(&temporary, "%s/" NAME ".new", dir) < 0)
		return err_nomem(err);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, errno, "create '%s': %s", temporary, strerror(errno));
	r = file_write_all(fd, text);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	return r < 0 ? err_set(err, -r, "write '%s': %s", path, strerror(-r)) : 0;
}

int state_file_save(const char *dir, const struct findings *f, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(STATE_FILE_BYTES_MAX);
	int r = state_file_text(f, &text, err);

	return r < 0 ? r : state_file_write(dir, buf_str(&text), err);
}

/* ---- reading ---- */

static bool copy_hex(val v, const char *name, char out[FINDING_ID_SIZE])
{
	str text = val_str(val_get(v, str_from(name)));

	if (text.n != FINDING_ID_SIZE - 1)
		return false;
	memcpy(out, text.p, text.n);
	out[text.n] = '\0';
	return true;
}

static int64_t integer(val v, const char *name)
{
	val i = val_get(v, str_from(name));

	return i.kind == VAL_INT ? i.i : -1;
}

static bool finding_from_json(val v, struct finding *x)
{
	int64_t kind = integer(v, "finding"), severity = integer(v, "severity");
	val announced = VAL_GET(v, "announced");

	*x = (struct finding){ .kind = (enum finding_kind)kind, .severity = (enum severity)severity };
	if (kind < 0 || kind >= FINDING_KINDS || severity < SEVERITY_CRITICAL || severity > SEVERITY_INFO ||
	    !copy_hex(v, "id", x->id) || !copy_hex(v, "state", x->state_hash))
		return false;
	x->first_seen_usec = integer(v, "firstSeenUsec");
	if (x->first_seen_usec < 0) /* the difference of two times after 1970 cannot overflow */
		return false;
	x->announced = announced.kind == VAL_BOOL && announced.b;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*(str *)((char *)x + texts[i].offset) = val_str(val_get(v, str_from(texts[i].name)));
	return true;
}

static int restore_all(val root, struct findings *f, struct err *err)
{
	val list = VAL_GET(root, "findings");
	struct finding x;

	if (integer(root, "version") != VERSION || !val_is_list(list))
		return err_set(err, EBADMSG, "it is no state of version %d", VERSION);
	for (uint32_t i = 0; i < list.n; i++) { /* all or none: a state that is set aside leaves nothing behind */
		if (!finding_from_json(list.items[i], &x))
			return err_set(err, EBADMSG, "finding %u is malformed", i);
	}
	for (uint32_t i = 0; i < list.n; i++) {
		if (finding_from_json(list.items[i], &x) && findings_restore(f, &x, err) < 0)
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

int state_file_load(const char *dir, struct findings *f, struct err *err)
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
	if (r < 0)
		return r;
	limits.object_bytes = STATE_FILE_BYTES_MAX;
	limits.arena_bytes = 0;
	limits.document_nodes = SIZE_MAX;
	r = json_decode((str){ text, len }, &o, &doc, err);
	if (r == 0)
		r = restore_all(doc->root, f, err);
	return r == -EBADMSG ? set_aside(path, err) : r;
}
