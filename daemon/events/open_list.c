/* Folds records into the list of open findings. */
#include "daemon/events/open_list.h"

#include "base/hex.h"
#include "base/number.h"
#include "base/pattern.h"
#include "base/strmap.h"
#include "base/utf8.h"
#include "daemon/findings/finding.h"
#include "daemon/findings/finding_record.h"
#include "value/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define ITEM_BYTES_MAX ((size_t)1 << 20)
#define NOTES_BYTES_MAX ((size_t)4 << 20)

/* The finding with one id. */
struct open_item {
	bool over, wanted, begun; /* @begun: its begin was seen, or it needs none */
	enum severity severity;
	int64_t since_usec;
	char *json; /* NULL: the finding has ended, or is not wanted */
	const char *id;
};

/* One driftd on one host. */
struct reporter {
	int64_t stopped_usec; /* 0: it runs, as far as the records say */
	int64_t deferred;     /* records that it has not sent yet */
};

struct open_list {
	struct open_filter filter;
	struct strmap items;     /* id -> struct open_item */
	struct strmap reporters; /* host, blank, unit -> struct reporter */
	int64_t first_usec, last_usec;
};

struct open_list *open_list_new(const struct open_filter *filter)
{
	struct open_list *l = calloc(1, sizeof(*l));

	if (l)
		l->filter = *filter;
	return l;
}

void open_list_free(struct open_list *l)
{
	const struct strmap_entry *e;

	if (!l)
		return;
	for (size_t at = 0; (e = strmap_each(&l->items, &at));) {
		free(((struct open_item *)e->value)->json);
		free(e->value);
	}
	for (size_t at = 0; (e = strmap_each(&l->reporters, &at));)
		free(e->value);
	strmap_done(&l->items);
	strmap_done(&l->reporters);
	free(l);
}

/* ---- one finding ---- */

static bool is_wanted(const char *wanted, const struct event *e, const char *name)
{
	return !wanted || str_eq(str_from(wanted), event_get(e, name));
}

static bool is_like(const char *pattern, const struct event *e, const char *name)
{
	return !pattern || pattern_matches(str_from(pattern), event_get(e, name));
}

static bool has_field(const struct event *e, const char *field)
{
	for (size_t i = 0; i < e->fields.n; i++) {
		if (str_eq(e->fields.p[i].name, STR("DRIFTD_PATH")) &&
		    finding_path_is_in(e->fields.p[i].value, str_from(field)))
			return true;
	}
	return false;
}

static bool has_action(const struct event *e, const char *action)
{
	for (size_t i = 0; i < e->fields.n; i++) {
		if (str_eq(e->fields.p[i].name, STR("DRIFTD_ACTION")) && str_eq(e->fields.p[i].value, str_from(action)))
			return true;
	}
	return false;
}

static bool passes(const struct open_filter *f, const struct event *e, enum finding_kind kind)
{
	return (!f->types || f->types & 1u << kind) && (!f->worst || event_severity(e) <= f->worst) &&
	       is_wanted(f->cluster, e, "DRIFTD_CLUSTER") && is_wanted(f->namespace, e, "DRIFTD_NAMESPACE") &&
	       is_like(f->name, e, "DRIFTD_NAME") && is_like(f->manager, e, "DRIFTD_MANAGER") &&
	       is_wanted(f->reference, e, "DRIFTD_REFERENCE") && is_wanted(f->component, e, "DRIFTD_COMPONENT") &&
	       (!f->action || has_action(e, f->action)) && (!f->field || has_field(e, f->field)) &&
	       (!f->kind ||
		kind_words_mean(str_from(f->kind), event_get(e, "DRIFTD_KIND"), event_get(e, "DRIFTD_RESOURCE")));
}

static void add_text(const char *name, str value, struct buf *out)
{
	if (!value.n)
		return;
	buf_printf(out, ",\"%s\":", name);
	json_encode_string(value, JSON_PLAIN, out);
}

static void add_time(const char *name, int64_t usec, struct buf *out)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	add_text(name, time_text(&a, usec), out);
}

static void add_list(const char *name, const char *field, const struct event *e, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < e->fields.n; i++) {
		if (!str_eq(e->fields.p[i].name, str_from(field)))
			continue;
		if (n++)
			buf_add_byte(out, ',');
		else
			buf_printf(out, ",\"%s\":[", name);
		json_encode_string(e->fields.p[i].value, JSON_PLAIN, out);
	}
	if (n)
		buf_add_byte(out, ']');
}

/* The end of the record's message, after cluster and object, such as "spec.replicas 3 -> 5". */
static str summary_of(const struct event *e, enum finding_kind kind, struct arena *a)
{
	str message = event_get(e, "MESSAGE"), namespace = event_get(e, "DRIFTD_NAMESPACE"), place, end;
	str resource = event_get(e, "DRIFTD_RESOURCE"), component = event_get(e, "DRIFTD_COMPONENT");
	bool of_component = kind == FINDING_COMPONENT || !event_get(e, "DRIFTD_KIND").n;
	ptrdiff_t at, to;

	if (of_component && component.n)
		place = arena_printf(a, "%.*s/%.*s: ", STR_ARG(event_get(e, "DRIFTD_PART")), STR_ARG(component));
	else if (kind == FINDING_GAP)
		place = arena_printf(a, "%s", ": ");
	else
		place = arena_printf(a, "%.*s %.*s%s%.*s", STR_ARG(resource.n ? resource : event_get(e, "DRIFTD_KIND")),
				     STR_ARG(namespace), namespace.n ? "/" : "", STR_ARG(event_get(e, "DRIFTD_NAME")));
	at = place.n ? str_find(message, place) : -1;
	if (at < 0)
		return STR("");
	message = str_trim(str_sub(message, (size_t)at + place.n, message.n));
	end = arena_printf(a, " (%.*s", STR_ARG(event_get(e, "DRIFTD_SEVERITY")));
	to = str_rfind(message, end);
	return utf8_cut(to < 0 ? message : str_sub(message, 0, (size_t)to), FINDING_SUMMARY_MAX);
}

static void add_item(const struct event *e, enum finding_kind kind, const struct open_item *x, struct buf *out)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	int64_t flaps;

	buf_printf(out, "{\"id\":\"%s\",\"type\":\"%s\",\"severity\":\"%s\"", x->id, finding_type(kind),
		   severity_name(x->severity));
	add_time("since", x->since_usec, out);
	for (size_t i = 0; i < SUBJECT_TEXTS; i++) {
		if (subject_texts[i].at != offsetof(struct finding_subject, rule_path))
			add_text(subject_texts[i].name, event_get(e, subject_texts[i].field), out);
	}
	add_text("summary", summary_of(e, kind, &a), out);
	add_text("manager", event_get(e, "DRIFTD_MANAGER"), out);
	add_text("host", event_get(e, "_HOSTNAME"), out);
	add_list("paths", "DRIFTD_PATH", e, out);
	add_list("actions", "DRIFTD_ACTION", e, out);
	if (int64_parse(event_get(e, "DRIFTD_FLAPPING_CHANGES"), &flaps) && flaps > 0 &&
	    !str_eq(event_get(e, "DRIFTD_FLAPPING"), STR("end")))
		buf_printf(out, ",\"flaps\":%" PRId64, flaps);
	buf_add_byte(out, '}');
}

/* The item with the id @id, which is made when it is new. NULL: there are too many, or no memory. */
static struct open_item *item_of(struct open_list *l, str id, struct err *err)
{
	struct open_item *x = strmap_get(&l->items, id);

	if (x)
		return x;
	if (l->items.n == OPEN_LIST_MAX) {
		(void)err_set(err, E2BIG, "the journal has more than %zu findings", OPEN_LIST_MAX);
		return NULL;
	}
	x = calloc(1, sizeof(*x));
	if (x && strmap_put(&l->items, id, x, NULL))
		return x;
	free(x);
	(void)err_nomem(err);
	return NULL;
}

static bool is_id(str s)
{
	return s.n == FINDING_ID_SIZE - 1 && hex_is(s);
}

static void end_item(struct open_item *x, const struct event *e)
{
	x->over = true;
	x->begun |= event_get(e, "DRIFTD_MERGED").n > 0; /* a merged record is the only one of its finding */
	free(TAKE(x->json));
}

/* Replace the content of the item by that of the record, which is the latest. */
static int renew_item(const struct open_list *l, struct open_item *x, const struct event *e, enum finding_kind kind,
		      struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(ITEM_BYTES_MAX);
	str id = event_get(e, "DRIFTD_DRIFT_ID");
	char text[FINDING_ID_SIZE];

	free(TAKE(x->json));
	x->wanted = passes(&l->filter, e, kind);
	if (!x->wanted)
		return 0;
	memcpy(text, id.p, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	x->id = text;
	x->severity = event_severity(e);
	if (!int64_parse(event_get(e, "DRIFTD_FIRST_SEEN_USEC"), &x->since_usec) || x->since_usec < 0)
		x->since_usec = e->usec;
	add_item(e, kind, x, &json);
	x->id = NULL;
	if (buf_error(&json, "a finding", err) < 0)
		return -err->code;
	x->json = buf_steal(&json);
	return x->json ? 0 : err_nomem(err);
}

static int see_finding(struct open_list *l, const struct event *e, enum finding_kind kind, struct err *err)
{
	str id = event_get(e, "DRIFTD_DRIFT_ID");
	enum transition t;
	struct open_item *x;

	if (!is_id(id) || !transition_parse(event_get(e, "DRIFTD_EVENT"), &t))
		return 0; /* malformed, so that the finding cannot be identified */
	x = item_of(l, id, err);
	if (!x)
		return -err->code;
	x->begun |= t == TRANSITION_BEGIN;
	if (t == TRANSITION_END)
		end_item(x, e);
	return x->over ? 0 : renew_item(l, x, e, kind, err);
}

/* ---- which host reports ---- */

static struct reporter *reporter_of(struct open_list *l, const struct event *e, struct err *err)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(ITEM_BYTES_MAX);
	struct reporter *t;

	buf_add_str(&name, event_get(e, "_HOSTNAME"));
	buf_add_byte(&name, ' ');
	buf_add_str(&name, event_get(e, "_SYSTEMD_UNIT"));
	if (buf_error(&name, "a host", err) < 0)
		return NULL;
	t = strmap_get(&l->reporters, buf_str(&name));
	if (t)
		return t;
	if (l->reporters.n == OPEN_HOSTS_MAX) {
		(void)err_set(err, E2BIG, "more than %zu hosts", OPEN_HOSTS_MAX);
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (t && strmap_put(&l->reporters, buf_str(&name), t, NULL))
		return t;
	free(t);
	(void)err_nomem(err);
	return NULL;
}

static int see_reporter(struct open_list *l, const struct event *e, enum message m, struct err *err)
{
	struct reporter *t = reporter_of(l, e, err);

	if (!t)
		return -err->code;
	if (m != MESSAGE_STORM)
		t->stopped_usec = m == MESSAGE_STOPPED ? e->usec : 0;
	else if (!str_eq(event_get(e, "DRIFTD_STORM"), STR("begin")) ||
		 !int64_parse(event_get(e, "DRIFTD_DEFERRED_COUNT"), &t->deferred))
		t->deferred = 0;
	return 0;
}

int open_list_see(struct open_list *l, const struct event *e, struct err *err)
{
	enum message m = event_message(e);
	enum finding_kind kind;

	if (!l->first_usec)
		l->first_usec = e->usec;
	l->last_usec = e->usec;
	if (m < MESSAGES && message_kind(m, &kind))
		return see_finding(l, e, kind, err);
	if (m == MESSAGE_STARTED || m == MESSAGE_STOPPED || m == MESSAGE_STORM)
		return see_reporter(l, e, m, err);
	return 0;
}

/* ---- the document ---- */

static int compare_items(const void *a, const void *b)
{
	const struct open_item *x = *(struct open_item *const *)a, *y = *(struct open_item *const *)b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? -1 : 1;
	if (x->since_usec != y->since_usec)
		return x->since_usec < y->since_usec ? -1 : 1;
	return strcmp(x->id, y->id);
}

/* Sort the open items. False without memory. */
static bool sort_items(const struct open_list *l, struct open_item ***ret, size_t *n)
{
	struct open_item **sorted = calloc(l->items.n + 1, sizeof(struct open_item *));
	const struct strmap_entry *e;

	*n = 0;
	for (size_t at = 0; sorted && (e = strmap_each(&l->items, &at));) {
		struct open_item *x = e->value;

		x->id = e->key;
		if (x->json)
			sorted[(*n)++] = x;
	}
	if (sorted && *n)
		qsort(sorted, *n, sizeof(struct open_item *), compare_items);
	*ret = sorted;
	return sorted != NULL;
}

static void add_note(struct buf *notes, const char *format, ...) PRINTF(2, 3);
static void add_note(struct buf *notes, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (notes->n)
		buf_add_byte(notes, ',');
	json_encode_string(str_from(text), JSON_PLAIN, notes);
}

/* Note each driftd that has ended or holds back records, because what it would have reported since is unknown.
 * Returns whether there is no such driftd. */
static bool note_reporters(const struct open_list *l, struct buf *notes)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct strmap_entry *e;
	bool none = true;

	for (size_t at = 0; (e = strmap_each(&l->reporters, &at));) {
		const struct reporter *t = e->value;

		if (t->stopped_usec)
			add_note(notes, "driftd of %s ended at %.*s and has not started again", e->key,
				 STR_ARG(time_text(&a, t->stopped_usec)));
		if (t->deferred)
			add_note(notes, "driftd of %s holds back some %" PRId64 " records", e->key, t->deferred);
		none &= !t->stopped_usec && !t->deferred;
	}
	return none;
}

static bool note_lost(const struct open_list *l, struct buf *notes)
{
	const struct strmap_entry *e;
	size_t lost = 0;

	for (size_t at = 0; (e = strmap_each(&l->items, &at));)
		lost += !((struct open_item *)e->value)->begun;
	if (lost)
		add_note(notes,
			 "of %zu finding%s the journal has no begin: it had more, and may have lost what is open", lost,
			 plural_s(lost));
	return lost == 0;
}

static bool add_notes(const struct open_list *l, struct buf *out)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(buf_done) struct buf notes = BUF_INIT(NOTES_BYTES_MAX);
	bool complete = note_reporters(l, &notes);

	complete &= note_lost(l, &notes);
	if (l->first_usec)
		add_note(&notes,
			 "the journal is from %.*s to %.*s: what began before and has not changed since is not in it",
			 STR_ARG(time_text(&a, l->first_usec)), STR_ARG(time_text(&a, l->last_usec)));
	else
		add_note(&notes, "the journal has no records of driftd");
	complete &= l->first_usec != 0;
	buf_printf(out, "],\"complete\":%s,\"notes\":[", complete ? "true" : "false");
	buf_add_str(out, buf_str(&notes));
	buf_add_cstr(out, "]}");
	return !notes.error;
}

int open_list_json(struct open_list *l, struct buf *out, struct err *err)
{
	CLEANUP(freep) struct open_item **sorted = NULL;
	size_t n;

	if (!sort_items(l, &sorted, &n))
		return err_nomem(err);
	buf_add_cstr(out, "{\"items\":[");
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_add_byte(out, ',');
		buf_add_cstr(out, sorted[i]->json);
	}
	if (!add_notes(l, out))
		return err_nomem(err);
	return buf_error(out, "the list", err);
}
