/* Times, printed events and what is open by examples: tests/data/events/triples. */
#include "support/triples.h"

#include "base/number.h"
#include "daemon/events/event_print.h"
#include "daemon/events/event_time.h"
#include "daemon/events/open_list.h"
#include "go/layout.h"
#include "value/json.h"

#include <time.h>

/* The program is a text, the input is what time it is. */
static int run_times(const struct triple *t, struct arena *a, struct buf *out)
{
	struct go_stamp now;
	struct err err;
	int64_t usec;
	int r;

	(void)a;
	if (!go_rfc3339_parse(str_trim(t->input), &now, out))
		return -1;
	r = event_time_parse(t->program, now.sec * 1000000 + now.nsec / 1000, &usec, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	go_rfc3339_format(usec / 1000000, (int32_t)(usec % 1000000 * 1000), 0, out);
	return 0;
}

/* The program is how it is printed: the form, and what else there is of "colour", "host" and "utc". The input is the
 * fields, a line each: "NAME=value" with \n and so on; the one without a name is the time in usec. */
static int run_print(const struct triple *t, struct arena *a, struct buf *out)
{
	struct event_style style = { .colour = str_find(t->program, STR(" colour")) >= 0,
				     .host = str_find(t->program, STR(" host")) >= 0,
				     .utc = str_find(t->program, STR(" utc")) >= 0 };
	ptrdiff_t blank = str_find_byte(t->program, ' ');
	str form = str_sub(t->program, 0, blank < 0 ? t->program.n : (size_t)blank), rest = t->input, line;
	struct event e;

	if (!option_word_find(event_form_words, arena_str(a, form).p, &style.form))
		return -1;
	event_init(&e);
	e.usec = INT64_C(1772463906789000);
	while (str_next_part(&rest, '\n', &line)) {
		if (!triple_unescape(line, a, &line))
			return -1;
		event_add(&e, line);
	}
	event_print(&e, &style, out);
	event_done(&e);
	return out->error;
}

static str next_word(str *rest)
{
	str word = STR("");

	(void)!(rest->p && str_next_part(rest, ' ', &word));
	return word;
}

static void add_field(struct event *e, struct arena *a, const char *name, str value)
{
	event_add(e, arena_printf(a, "%s=%.*s", name, STR_ARG(value)));
}

static str event_word(str message)
{
	str part = str_sub(message, (size_t)(str_find_byte(message, '-') + 1), message.n);

	return str_eq(message, STR("accepted-begin")) ? STR("accepted") : part;
}

/* "SECONDS HOST MESSAGE ID FIELD=VALUE…": the digit of an ID stands 32 times, "-" is none; "@" of a message is a blank.
 */
static void make_event(str line, struct arena *a, struct event *e)
{
	str seconds = next_word(&line), host = next_word(&line), message = next_word(&line), id = next_word(&line),
	    field;
	int64_t n = 0;

	event_clear(e);
	(void)!int64_parse(seconds, &n);
	e->usec = n * 1000000;
	add_field(e, a, "_HOSTNAME", host);
	for (int m = 0; m < MESSAGES; m++) {
		if (str_eq(message, str_from(message_name((enum message)m))))
			add_field(e, a, "MESSAGE_ID", str_from(message_id((enum message)m)));
	}
	add_field(e, a, "DRIFTD_EVENT", event_word(message));
	if (!str_eq(id, STR("-"))) {
		char text[FINDING_ID_SIZE - 1];

		memset(text, id.n ? id.p[0] : '0', sizeof(text));
		add_field(e, a, "DRIFTD_DRIFT_ID", (str){ text, sizeof(text) });
	}
	while ((field = next_word(&line)).n) {
		char *copy = arena_alloc(a, field.n);

		for (size_t i = 0; i < field.n; i++)
			copy[i] = field.p[i] == '@' && str_has_prefix(field, STR("MESSAGE=")) ? ' ' : field.p[i];
		event_add(e, (str){ copy, field.n });
	}
}

static void print_open(val d, struct buf *out)
{
	val items = VAL_GET(d, "items"), complete = VAL_GET(d, "complete"), notes = VAL_GET(d, "notes");

	for (uint32_t i = 0; i < items.n; i++)
		buf_printf(out, "%.1s %.*s %.*s %.*s\n", val_str(VAL_GET(items.items[i], "id")).p,
			   STR_ARG(val_str(VAL_GET(items.items[i], "severity"))),
			   STR_ARG(val_str(VAL_GET(items.items[i], "host"))),
			   STR_ARG(val_str(VAL_GET(items.items[i], "name"))));
	buf_add_cstr(out, complete.b ? "complete\n" : "incomplete\n");
	for (uint32_t i = 0; i + 1 < notes.n; i++) /* the last one is when the journal begins and ends */
		buf_printf(out, "%.*s\n", STR_ARG(val_str(notes.items[i])));
}

/* The program is the filter: words such as "type=WORD" and "name=WORD"; behind "json" all of the document is printed.
 */
static void parse_filter(str program, struct arena *a, struct open_filter *f)
{
	const struct {
		const char *name;
		const char **to;
	} texts[] = { { "name", &f->name },           { "kind", &f->kind },       { "cluster", &f->cluster },
		      { "namespace", &f->namespace }, { "manager", &f->manager }, { "reference", &f->reference },
		      { "component", &f->component }, { "action", &f->action },   { "field", &f->field } };
	str word;

	while ((word = next_word(&program)).n) {
		ptrdiff_t eq = str_find_byte(word, '=');
		str name = str_sub(word, 0, (size_t)eq), value = arena_str(a, str_sub(word, (size_t)eq + 1, word.n));
		enum finding_kind kind;

		if (str_eq(name, STR("type")) && finding_type_parse(value, &kind))
			f->types |= 1u << kind;
		if (str_eq(name, STR("severity")))
			(void)!severity_parse(value, &f->worst);
		for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
			if (str_eq(name, str_from(texts[i].name)))
				*texts[i].to = value.p;
		}
	}
}

static int run_open(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(TRIPLES_OUT_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct open_filter filter = { 0 };
	CLEANUP(open_list_freep) struct open_list *l = NULL;
	str rest = t->input, line, program = t->program;
	bool whole = str_eq(next_word(&program), STR("json"));
	struct event e;
	struct err err;
	int r = 0;

	parse_filter(whole ? program : str_eq(t->program, STR("all")) ? STR("") : t->program, a, &filter);
	l = open_list_new(&filter);
	event_init(&e);
	while (r == 0 && str_next_part(&rest, '\n', &line)) {
		make_event(line, a, &e);
		r = line.n ? open_list_see(l, &e, &err) : 0;
	}
	event_done(&e);
	if (r == 0)
		r = open_list_json(l, &json, &err);
	if (r == 0)
		r = json_decode(buf_str(&json), &o, &d, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	if (whole) {
		r = json_encode(d->root, JSON_PLAIN, "  ", out, &err);
		buf_add_byte(out, '\n');
		return r;
	}
	print_open(d->root, out);
	return out->error;
}

int main(void)
{
	static const struct triple_file files[] = {
		{ "times", run_times },
		{ "print", run_print },
		{ "open", run_open },
	};

	(void)setenv("TZ", "Europe/Berlin", 1);
	tzset();
	return triples_main(TEST_DATA "/events/triples", files, ARRAY_LEN(files));
}
