/* Reads and writes the request to driftd-fetch as JSON. */
#include "config/source_request.h"

#include "config/source_store.h"
#include "value/json.h"
#include "value/json_out.h"

#include <errno.h>

#define REQUEST_VERSION 1

/* ---- writing ---- */

static void add_wish(const struct source_wish *w, struct buf *out)
{
	const struct source *s = &w->source;

	json_open(out, NULL, '{');
	json_text(out, "kind", str_from(source_kind_name(s->kind)));
	json_bool(out, "templates", s->wants == SOURCE_WANTS_TEMPLATES);
	json_bool(out, "insecure", s->insecure);
	json_number(out, "timeoutNs", (uint64_t)s->timeout_ns);
	for (size_t i = 0; i < SOURCE_TEXTS; i++)
		json_text(out, source_texts[i].key, *source_text_of(s, i));
	json_number(out, "wish", w->wish);
	json_text(out, "inForce", w->in_force);
	json_text(out, "inForceRevision", w->in_force_is);
	json_open(out, "kept", '[');
	for (size_t i = 0; i < w->n_kept; i++)
		json_item(out, w->kept[i]);
	buf_add_cstr(out, "]}");
}

int source_request_write(const struct source_request *r, struct buf *out, struct err *err)
{
	json_open(out, NULL, '{');
	json_number(out, "version", REQUEST_VERSION);
	json_open(out, "sources", '[');
	for (size_t i = 0; i < r->n; i++)
		add_wish(&r->wishes[i], out);
	buf_add_cstr(out, "]}\n");
	return buf_error(out, "the request for sources", err);
}

/* ---- reading ---- */

static int read_kept(val list, struct arena *a, struct source_wish *w, struct err *err)
{
	size_t n = val_is_list(list) ? val_count(list) : 0;
	str *kept;

	if (n > SOURCE_KEPT_MAX)
		return err_set(err, EINVAL, "a source of the request keeps more than %d revisions", SOURCE_KEPT_MAX);
	kept = arena_array(a, n + 1, sizeof(*kept));
	if (!kept)
		return arena_error(a, err);
	for (size_t i = 0; i < n; i++) {
		kept[i] = val_str(val_at(list, (uint32_t)i));
		if (!source_id_is_good(kept[i]))
			return err_set(err, EINVAL, "a source of the request keeps what is not a revision");
	}
	w->kept = kept;
	w->n_kept = n;
	return 0;
}

static int read_wish(val v, struct arena *a, struct source_wish *w, struct err *err)
{
	struct source *s = &w->source;

	for (size_t i = 0; i < SOURCE_TEXTS; i++)
		*(str *)((char *)s + source_texts[i].offset) = val_str(val_get(v, str_from(source_texts[i].key)));
	if (!source_name_is_good(s->name))
		return err_set(err, EINVAL, "a source of the request has no good name");
	if (!source_kind_parse(val_str(VAL_GET(v, "kind")), &s->kind) || !s->url.n)
		return err_set(err, EINVAL, "source '%.*s' of the request has no kind or no url", STR_ARG(s->name));
	s->wants = val_is_true(VAL_GET(v, "templates")) ? SOURCE_WANTS_TEMPLATES : SOURCE_WANTS_FILES;
	s->insecure = val_is_true(VAL_GET(v, "insecure"));
	s->timeout_ns = val_int_or(VAL_GET(v, "timeoutNs"), 0);
	if (s->timeout_ns <= 0)
		return err_set(err, EINVAL, "source '%.*s' of the request has no time limit", STR_ARG(s->name));
	w->in_force = val_str(VAL_GET(v, "inForce"));
	if (w->in_force.n && !source_id_is_good(w->in_force))
		return err_set(err, EINVAL, "source '%.*s' of the request is in force by what is not a revision",
			       STR_ARG(s->name));
	w->in_force_is = val_str(VAL_GET(v, "inForceRevision"));
	w->wish = (uint64_t)val_int_or(VAL_GET(v, "wish"), 0);
	return read_kept(VAL_GET(v, "kept"), a, w, err);
}

int source_request_read(str text, struct arena *a, struct source_request *ret, struct err *err)
{
	struct source_wish *wishes;
	val v, list;
	int r = json_decode_value(text, JSON_DEFAULTS, a, &v, NULL, err);

	if (r < 0)
		return r;
	list = VAL_GET(v, "sources");
	if (val_int_or(VAL_GET(v, "version"), 0) != REQUEST_VERSION || !val_is_list(list))
		return err_set(err, EINVAL, "the request for sources is of another version, or has none");
	wishes = arena_array(a, val_count(list) + 1, sizeof(*wishes));
	if (!wishes)
		return err_nomem(err);
	for (uint32_t i = 0; i < val_count(list) && r == 0; i++) {
		wishes[i] = (struct source_wish){ 0 };
		r = read_wish(val_at(list, i), a, &wishes[i], err);
	}
	if (r == 0)
		*ret = (struct source_request){ wishes, val_count(list) };
	return r;
}
