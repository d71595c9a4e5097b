/* Finds the place of a mistake: in metadata.yaml by the bytes of the text that it is about, in a template by the
 * place in its error. */
#include "base/ascii.h"
#include "base/nearest.h"
#include "reference/ref_internal.h"
#include "value/node.h"

#include <stdio.h>

/* Levels of maps and lists on the way to a mistake. */
#define DEPTH_MAX 64

/* ---- metadata.yaml ---- */

struct search {
	const char *bytes; /* the bytes of a key or of a text in the document */
	struct path_segment way[DEPTH_MAX];
	size_t n;
};

static bool search(struct search *s, val v);

static bool search_below(struct search *s, struct path_segment step, val v, bool found)
{
	s->way[s->n++] = step;
	if (found || search(s, v))
		return true;
	s->n--;
	return false;
}

static bool search(struct search *s, val v)
{
	if (v.kind == VAL_STRING)
		return val_str(v).p == s->bytes;
	if ((v.kind != VAL_MAP && v.kind != VAL_LIST) || s->n == DEPTH_MAX)
		return false;
	for (uint32_t i = 0; i < v.n; i++) {
		struct path_segment step = { .kind = PATH_INDEX, .index = i };
		val below = v.kind == VAL_LIST ? v.items[i] : v.members[i].value;
		bool is_key = false;

		if (v.kind == VAL_MAP) {
			step = (struct path_segment){ .kind = PATH_KEY, .text = key_str(v.members[i].key) };
			is_key = step.text.p == s->bytes;
		}
		if (search_below(s, step, below, is_key))
			return true;
	}
	return false;
}

static void find_in_metadata(const struct ref_loader *l, str at, struct ref_mistake *m)
{
	struct search s = { .bytes = at.p };

	m->file = l->o->metadata_path;
	if (!at.n || !l->text.n || !search(&s, l->raw) ||
	    !node_locate(l->text, (struct path){ s.way, s.n }, &m->line, &m->column))
		m->line = m->column = 0;
}

/* ---- texts of errors ---- */

static size_t number_at(str *text)
{
	size_t n = 0, i = 0;

	for (; i < text->n && i < 9 && ascii_is_digit(text->p[i]); i++)
		n = n * 10 + (size_t)(text->p[i] - '0');
	*text = str_sub(*text, i, text->n);
	return n;
}

/* Find the line in a message such as "yaml: line 5: …". */
static void find_yaml_line(str why, struct ref_mistake *m)
{
	const str before = STR("yaml: line ");
	ptrdiff_t i = str_find(why, before);

	why = i < 0 ? STR("") : str_sub(why, (size_t)i + before.n, why.n);
	m->line = number_at(&why);
}

/* The part of @why behind "template: NAME:"; empty: there is no such part. */
static str behind_name(str why, str name)
{
	const str before = STR("template: ");
	ptrdiff_t i;

	while ((i = str_find(why, before)) >= 0) {
		why = str_sub(why, (size_t)i + before.n, why.n);
		if (str_has_prefix(why, name) && why.n > name.n && why.p[name.n] == ':')
			return str_sub(why, name.n + 1, why.n);
	}
	return STR("");
}

/* Find the place in a message of text/template such as "template: web.yaml:6:10: …". It names templates by the last
 * part of their paths. */
static void find_template_line(const struct ref_template *t, str why, struct ref_mistake *m)
{
	ptrdiff_t slash = str_rfind(t->path, STR("/"));
	str rest = behind_name(why, str_sub(t->path, (size_t)(slash + 1), t->path.n));

	m->line = number_at(&rest);
	if (m->line && str_has_prefix(rest, STR(":"))) {
		rest = str_sub(rest, 1, rest.n);
		m->column = number_at(&rest);
	}
}

/* ---- reporting ---- */

/* Report a mistake. @by_text: its place has to be found in its text. */
static void report(struct ref_loader *l, struct ref_mistake *m, const struct ref_template *t, bool by_text,
		   const char *fmt, va_list args)
{
	CLEANUP(freep) char *text = NULL;

	if (vasprintf(&text, fmt, args) < 0) {
		text = NULL;
		l->no_memory = true;
		return;
	}
	m->text = text;
	if (by_text && t)
		find_template_line(t, str_from(text), m);
	else if (by_text)
		find_yaml_line(str_from(text), m);
	if (!m->warning)
		problems_add(l->problems, "%s", text);
	if (l->o->mistake)
		l->o->mistake(l->o->ctx, m);
}

void ref_mistake(struct ref_loader *l, str at, const char *fmt, ...)
{
	struct ref_mistake m = { 0 };
	va_list args;

	find_in_metadata(l, at, &m);
	va_start(args, fmt);
	report(l, &m, NULL, false, fmt, args);
	va_end(args);
}

bool ref_path_leads_out(str path)
{
	str part;

	if (str_has_prefix(path, STR("/")))
		return true;
	while (str_next_part(&path, '/', &part)) {
		if (str_eq(part, STR("..")))
			return true;
	}
	return false;
}

void ref_mistake_at_path(struct ref_loader *l, str path, const char *fmt, ...)
{
	struct ref_mistake m = { 0 };
	va_list args;

	if (ref_path_leads_out(path))
		m.hint = "it leads out of the reference: its files lie in the folder of metadata.yaml, or below it";
	find_in_metadata(l, path, &m);
	va_start(args, fmt);
	report(l, &m, NULL, false, fmt, args);
	va_end(args);
}

void ref_mistake_in(struct ref_loader *l, const struct ref_template *t, const char *fmt, ...)
{
	struct ref_mistake m = { .file = t ? t->path : l->o->metadata_path };
	va_list args;

	va_start(args, fmt);
	report(l, &m, t, true, fmt, args);
	va_end(args);
}

void ref_warning(struct ref_loader *l, str at, const char *fmt, ...)
{
	struct ref_mistake m = { .warning = true };
	va_list args;

	find_in_metadata(l, at, &m);
	va_start(args, fmt);
	report(l, &m, NULL, false, fmt, args);
	va_end(args);
}

void ref_report_at_line(struct ref_loader *l, const struct ref_template *t, size_t line, bool warning, const char *fmt,
			...)
{
	struct ref_mistake m = { .warning = warning, .file = t->path, .line = line };
	va_list args;

	va_start(args, fmt);
	report(l, &m, t, false, fmt, args);
	va_end(args);
}

/* The member of @type whose own type has a member called @name; NULL: none. */
static const struct go_field *holder_of(const struct go_type *type, str name)
{
	for (size_t i = 0; i < type->n_fields; i++) {
		const struct go_type *below = type->fields[i].type;

		for (size_t k = 0; k < below->n_fields; k++) {
			if (str_eq(name, str_from(below->fields[k].name)))
				return &type->fields[i];
		}
	}
	return NULL;
}

void ref_unknown_field(void *ctx, str name, const struct go_type *type)
{
	const struct go_field *holder = holder_of(type, name);
	struct nearest nearest = { 0 };

	for (size_t i = 0; i < type->n_fields; i++)
		nearest_offer(&nearest, name, str_from(type->fields[i].name));
	if (holder)
		ref_warning(ctx, name, "nothing reads the key '%.*s' here; it belongs below '%s'", STR_ARG(name),
			    holder->name);
	else
		ref_warning(ctx, name, "nothing reads the key '%.*s'%s", STR_ARG(name), nearest_hint(&nearest));
}
