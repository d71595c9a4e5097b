#include "state_file.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#define VERSION 1
#define STATE_BYTES_MAX ((size_t)256 << 20)
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
	{ "paths", offsetof(struct finding, paths) },
};

/* ---- writing ---- */

static json_t *finding_to_json(const struct finding *x)
{
	json_t *j = json_pack("{s:i, s:i, s:s, s:s, s:I, s:b}", "finding", x->kind, "severity", x->severity, "id", x->id, "state",
			      x->state_hash, "firstSeenUsec", (json_int_t)x->first_seen_usec, "announced", x->announced);

	for (size_t i = 0; j && i < ARRAY_LEN(texts); i++) {
		const str *s = (const str *)((const char *)x + texts[i].offset);

		if (s->n && json_object_set_new(j, texts[i].name, json_stringn(s->p, s->n)) < 0) {
			json_decref(j);
			return NULL;
		}
	}
	return j;
}

static char *state_text(const struct findings *f)
{
	json_t *list = json_array(), *root = json_pack("{s:i, s:O}", "version", VERSION, "findings", list);
	const struct finding *x;
	char *text = NULL;
	bool ok = root != NULL;
	size_t at = 0;

	while (ok && (x = findings_each(f, &at)))
		ok = json_array_append_new(list, finding_to_json(x)) == 0;
	if (ok)
		text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	json_decref(list);
	return text;
}

static bool write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return false;
		p += w;
		n -= (size_t)w;
	}
	return true;
}

int state_file_save(const char *dir, const struct findings *f, struct err *err)
{
	CLEANUP(freep) char *text = state_text(f), *path = NULL, *temporary = NULL;
	bool ok;
	int fd;

	if (!text || asprintf(&path, "%s/" NAME, dir) < 0 || asprintf(&temporary, "%s/" NAME ".new", dir) < 0)
		return err_nomem(err);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, errno, "create '%s': %s", temporary, strerror(errno));
	ok = write_all(fd, text, strlen(text)) && fsync(fd) == 0;
	ok = close(fd) == 0 && ok;
	if (!ok || rename(temporary, path) < 0)
		return err_set(err, errno, "write '%s': %s", path, strerror(errno));
	return 0;
}

/* ---- reading ---- */

static bool copy_hex(const json_t *j, const char *name, char out[FINDING_ID_SIZE])
{
	const char *text = json_string_value(json_object_get(j, name));

	if (!text || strlen(text) != FINDING_ID_SIZE - 1)
		return false;
	memcpy(out, text, FINDING_ID_SIZE);
	return true;
}

static bool finding_from_json(const json_t *j, struct finding *x)
{
	json_int_t kind = json_integer_value(json_object_get(j, "finding"));
	json_int_t severity = json_integer_value(json_object_get(j, "severity"));

	*x = (struct finding){ .kind = (enum finding_kind)kind, .severity = (enum severity)severity };
	if (!json_is_object(j) || kind < 0 || kind >= FINDING_KINDS || severity < SEVERITY_CRITICAL || severity > SEVERITY_INFO ||
	    !copy_hex(j, "id", x->id) || !copy_hex(j, "state", x->state_hash))
		return false;
	x->first_seen_usec = json_integer_value(json_object_get(j, "firstSeenUsec"));
	x->announced = json_is_true(json_object_get(j, "announced"));
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const json_t *t = json_object_get(j, texts[i].name);

		*(str *)((char *)x + texts[i].offset) = (str){ json_is_string(t) ? json_string_value(t) : "", json_string_length(t) };
	}
	return true;
}

static int restore_all(const json_t *root, struct findings *f, struct err *err)
{
	const json_t *list = json_object_get(root, "findings"), *item;
	struct finding x;
	size_t i;

	if (json_integer_value(json_object_get(root, "version")) != VERSION || !json_is_array(list))
		return err_set(err, EBADMSG, "it is no state of version %d", VERSION);
	json_array_foreach(list, i, item) { /* all or none: a state that is set aside leaves nothing behind */
		if (!finding_from_json(item, &x))
			return err_set(err, EBADMSG, "finding %zu is malformed", i);
	}
	json_array_foreach(list, i, item) {
		if (finding_from_json(item, &x) && findings_restore(f, &x, err) < 0)
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
	json_error_t at;
	json_t *root;
	size_t len;
	int r;

	if (asprintf(&path, "%s/" NAME, dir) < 0)
		return err_nomem(err);
	r = file_read(path, STATE_BYTES_MAX, &text, &len, err);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	root = json_loadb(text, len, 0, &at);
	if (root)
		r = restore_all(root, f, err);
	else if (!at.text[0]) /* jansson has no words for it: it ran out of memory */
		r = err_nomem(err);
	else
		r = err_set(err, EBADMSG, "line %d column %d: %s", at.line, at.column, at.text);
	json_decref(root);
	return r == -EBADMSG ? set_aside(path, err) : r;
}
