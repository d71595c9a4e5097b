/* Any text as a file of event rules, or, before "=== ", as a single path and behind it a change. Either there are rules
 * or there are mistakes. What loads holds only rules that may match something: their paths are valid, match what they
 * name and what is below that unless they end it, and nothing above; read again from their own text they are the same;
 * and a name means the same in quotes. Selectors say yes or no to any object. */
#include "base/buf.h"
#include "rules/event_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct limits limits = LIMITS_DEFAULT;

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* ---- paths ---- */

static struct event_path read_path(str text, struct arena *a)
{
	struct event_path p;
	struct err err;

	must(event_path_read(text, a, &p, &err) == 0);
	return p;
}

static bool is_valid(const struct event_path *p)
{
	struct err err = { 0 };
	bool valid = event_path_check(p, &err) == 0;

	must(valid == (err.code == 0) && valid == !err.msg[0]);
	return valid;
}

static bool same_segments(const struct event_path *p, const struct event_path *q)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct event_segment *s = &p->segments[i], *t = &q->segments[i];

		if (s->anchor != t->anchor || s->wildcard != t->wildcard)
			return false;
		if (!s->wildcard && s->n_options != t->n_options)
			return false;
		for (size_t k = 0; !s->wildcard && k < s->n_options; k++) {
			if (!str_eq(s->options[k], t->options[k]))
				return false;
		}
	}
	return true;
}

static void check_read_again(const struct event_path *p, struct arena *a)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(limits.file_bytes);
	struct event_path again;

	buf_add_str(&text, p->text);
	buf_add_cstr(&text, p->exact ? "!" : "");
	again = read_path(buf_str(&text), a);
	must(str_eq(p->text, again.text) && p->n == again.n && p->exact == again.exact);
	must(p->wildcards == again.wildcards && p->anchored == again.anchored && same_segments(p, &again));
}

/* Each option in quotes, whatever it holds. */
static void check_quoted(const struct event_path *p, struct arena *a)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(limits.file_bytes);
	struct event_path quoted;

	for (size_t i = 0; i < p->n; i++) {
		const struct event_segment *s = &p->segments[i];

		buf_printf(&text, "%s%s%s", i ? "." : "", s->anchor ? "@" : "", s->wildcard ? "*" : "{");
		for (size_t k = 0; !s->wildcard && k < s->n_options; k++) {
			buf_add_cstr(&text, k ? "," : "");
			buf_add_byte(&text, '"');
			for (size_t b = 0; b < s->options[k].n; b++) {
				if (s->options[k].p[b] == '"' || s->options[k].p[b] == '\\')
					buf_add_byte(&text, '\\');
				buf_add_byte(&text, s->options[k].p[b]);
			}
			buf_add_byte(&text, '"');
		}
		buf_add_cstr(&text, s->wildcard ? "" : "}");
	}
	buf_add_cstr(&text, p->exact ? "!" : "");
	quoted = read_path(buf_str(&text), a);
	must(is_valid(&quoted) && quoted.n == p->n && quoted.exact == p->exact && same_segments(p, &quoted));
}

static void check_matches(const struct event_path *p, struct arena *a)
{
	str *segments = arena_array(a, p->n + 1, sizeof(*segments));
	size_t anchor;

	must(segments);
	for (size_t i = 0; i < p->n; i++)
		segments[i] =
			p->segments[i].wildcard ? STR("any") : p->segments[i].options[p->segments[i].n_options - 1];
	segments[p->n] = STR("below");
	must(event_path_matches(p, segments, p->n));
	must(event_path_matches(p, segments, p->n + 1) == !p->exact);
	must(!event_path_matches(p, segments, p->n - 1));
	anchor = event_path_anchor(p, segments, p->n + 1);
	must(p->anchored ? anchor >= 1 && anchor <= p->n && p->segments[anchor - 1].anchor : anchor == p->n + 1);
}

static void check_path(const struct event_path *p, struct arena *a)
{
	must(p->n > 0 && p->text.n > 0);
	check_read_again(p, a);
	check_quoted(p, a);
	check_matches(p, a);
}

/* Matching takes any path, valid or not. */
static void hold_against(const struct event_path *p, str change, struct arena *a)
{
	struct event_segments s = event_segments(change, a);
	size_t anchor;

	must(s.p && s.n > 0);
	anchor = event_path_anchor(p, s.p, s.n);
	must(anchor >= 1 && anchor <= s.n);
	if (event_path_matches(p, s.p, s.n))
		must(s.n >= p->n && (!p->exact || s.n == p->n));
}

static void one_path(str text, str change)
{
	CLEANUP(arena_done) struct arena a;
	struct event_path p;

	arena_init(&a, 0, limits.arena_bytes);
	p = read_path(text, &a);
	hold_against(&p, change, &a);
	if (is_valid(&p))
		check_path(&p, &a);
}

/* ---- files ---- */

static void check_selector(const struct event_selector *s, str template)
{
	const struct identity id = { STR("apps/v1"), STR("Deployment"), STR("shop"), STR("web") };
	bool object = event_selector_matches(s, &id, template, (val){ 0 });

	if (!s->kinds.n && !s->namespaces.n && !s->names.n && !s->templates.n && !s->labels.n)
		must(object);
	must(event_selector_matches_manager(s, template) || s->managers.n);
}

static void check_rule(const struct event_set_rule *x, struct arena *a)
{
	must(is_valid(&x->rule.path));
	check_path(&x->rule.path, a);
	must(x->typed || x->equal);
	must(x->rule.any_change || (x->rule.change > EVENT_NONE && x->rule.change < EVENT_CHANGES));
	must(x->hold_ns >= -1);
	must(x->severity == 0 || (x->severity >= SEVERITY_CRITICAL && x->severity <= SEVERITY_INFO));
	check_selector(&x->selector, x->rule.message);
}

static void one_file(str text)
{
	CLEANUP(event_set_freep) struct event_set *set = NULL;
	CLEANUP(problems_done) struct problems problems = { 0 };
	CLEANUP(arena_done) struct arena a;
	struct err err;
	int r = event_set_parse(text, "rules", &limits, &set, &problems, &err);

	must((r == 0) == (set != NULL) && (r == 0) != problems_any(&problems));
	arena_init(&a, 0, limits.arena_bytes);
	must(!set || (set->n > 0 && set->n <= EVENT_SET_RULES_MAX));
	for (size_t i = 0; set && i < set->n; i++) {
		arena_reset(&a);
		check_rule(&set->rules[i], &a);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = { (const char *)data, size };
	ptrdiff_t mark = str_find(text, STR("=== "));

	if (mark >= 0)
		one_path(str_sub(text, 0, (size_t)mark), str_sub(text, (size_t)mark + 4, text.n));
	else
		one_file(text);
	return 0;
}
