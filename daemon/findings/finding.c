/* The names of kinds, the key of a finding, and its parts that are stored as lines. */
#include "daemon/findings/finding.h"

#include "base/assert.h"
#include "base/pattern.h"
#include "base/utf8.h"

/* ORDER enum finding_kind */
static const char *const types[] = { "drift", "component", "error", "gap", "validation", "accepted", "inspection" };
_Static_assert(ARRAY_LEN(types) == FINDING_KINDS, "a name for each kind");

/* ORDER enum transition */
const char *const transition_names[TRANSITIONS] = { "begin", "change", "end" };

const char *finding_type(enum finding_kind kind)
{
	ASSERT(kind < FINDING_KINDS);
	return types[kind];
}

bool finding_type_parse(str s, enum finding_kind *ret)
{
	size_t i = str_index(s, types, ARRAY_LEN(types));

	if (i < ARRAY_LEN(types))
		*ret = (enum finding_kind)i;
	return i < ARRAY_LEN(types);
}

static void add_parts(struct buf *out, const str *const *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_add_byte(out, '\x1f');
		buf_add_str(out, *parts[i]);
	}
}

void finding_key(enum finding_kind kind, const struct finding_subject *s, struct buf *out)
{
	const str *component[] = { &s->cluster, &s->reference, &s->part, &s->component };
	const str *object[] = { &s->cluster, &s->reference,   &s->api_version, &s->kind, &s->namespace,
				&s->name,    &s->rule_source, &s->rule_path,   &s->rule };
	const str *inspected[] = { &s->cluster, &s->reference, &s->api_version, &s->kind, &s->namespace, &s->name };
	const str *accepted[] = { &s->acceptance };
	const str *shard[] = { &s->shard };

	_Static_assert(FINDING_KINDS <= 10, "a kind is one digit");
	buf_add_byte(out, (char)('0' + kind));
	if (kind == FINDING_ACCEPTED)
		add_parts(out, accepted, ARRAY_LEN(accepted));
	if (kind == FINDING_INSPECTION) /* an inspection ends with its first failure, whichever rule fails */
		add_parts(out, inspected, ARRAY_LEN(inspected));
	else if (finding_is_of_component(kind, s))
		add_parts(out, component, ARRAY_LEN(component));
	else
		add_parts(out, object, ARRAY_LEN(object));
	if (s->shard.n)
		add_parts(out, shard, ARRAY_LEN(shard));
}

bool finding_copy_subject(struct arena *a, const struct finding_subject *from, struct finding_subject *to)
{
	const str *src = (const str *)from;
	str *dst = (str *)to;

	_Static_assert(sizeof(*from) % sizeof(str) == 0, "a subject is an array of texts");
	for (size_t i = 0; i < sizeof(*from) / sizeof(str); i++) {
		dst[i] = arena_str(a, src[i]);
		if (!dst[i].p)
			return false;
	}
	return true;
}

void finding_report_say(struct finding_report *r, struct arena *a, str place, str summary)
{
	str what = arena_printf(a, "%.*s %.*s", STR_ARG(place), STR_ARG(summary));

	if (!summary.n)
		what = place;
	r->what = what;
	r->summary = what.p ? str_sub(what, what.n - summary.n, what.n) : what;
}

str finding_cluster_place(struct arena *a, str cluster, const char *shard)
{
	return arena_printf(a, "%.*s%s%s%s:", STR_ARG(cluster), *shard ? " (shard " : "", shard, *shard ? ")" : "");
}

void finding_add_cut(struct buf *out, str summary, size_t max)
{
	size_t room = max - (sizeof("…") - 1);

	ASSERT(max >= sizeof("…"));
	if (summary.n <= max)
		buf_add_str(out, summary);
	else
		buf_printf(out, "%.*s…%.*s", STR_ARG(utf8_cut(summary, room / 2)),
			   STR_ARG(utf8_tail(summary, room - room / 2)));
}

str finding_cut_summary(const struct finding_report *r, struct arena *a)
{
	CLEANUP(buf_done) struct buf cut = BUF_INIT(FINDING_SUMMARY_MAX + 1);

	finding_add_cut(&cut, r->summary, FINDING_SUMMARY_MAX);
	return arena_str(a, buf_str(&cut));
}

str finding_join_paths(const struct finding_report *r, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);

	for (size_t i = 0; i < r->n_paths; i++) {
		if (i > 0)
			buf_add_byte(&out, '\n');
		buf_add_str(&out, r->paths[i].path);
	}
	return arena_str(a, buf_str(&out));
}

/* Whether an earlier rule of the report has the same action. */
static bool is_known_action(const struct finding_report *r, size_t rule)
{
	for (size_t i = 0; i < rule; i++) {
		if (str_eq(r->rules[i].action, r->rules[rule].action))
			return true;
	}
	return false;
}

str finding_join_actions(const struct finding_report *r, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);

	for (size_t i = 0; i < r->n_rules; i++) {
		if (!r->rules[i].action.n || is_known_action(r, i))
			continue;
		if (out.n)
			buf_add_byte(&out, '\n');
		buf_add_str(&out, r->rules[i].action);
	}
	return arena_str(a, buf_str(&out));
}

bool finding_paths_have(str paths, str path)
{
	str one;

	while (paths.n && str_next_part(&paths, '\n', &one)) {
		if (str_eq(one, path))
			return true;
	}
	return false;
}

bool finding_path_is_in(str path, str field)
{
	bool below =
		str_has_prefix(path, field) && path.n > field.n && (path.p[field.n] == '.' || path.p[field.n] == '[');

	return below || pattern_matches(field, path);
}

static bool has_path(const struct finding_report *r, str path)
{
	for (size_t i = 0; i < r->n_paths; i++) {
		if (str_eq(path, r->paths[i].path))
			return true;
	}
	return false;
}

/* Equal paths count once, as in the journal. */
bool finding_has_paths(const struct finding *x, const struct finding_report *r)
{
	str rest = x->paths, path;

	for (size_t i = 0; i < r->n_paths; i++) {
		if (!finding_paths_have(x->paths, r->paths[i].path))
			return false;
	}
	while (rest.n && str_next_part(&rest, '\n', &path)) {
		if (!has_path(r, path))
			return false;
	}
	return true;
}

bool finding_has_action(const struct finding *x, str action)
{
	str rest = x->actions, line;

	while (rest.n && str_next_part(&rest, '\n', &line)) {
		if (str_eq(line, action))
			return true;
	}
	return false;
}

bool kind_word_means(str word, str kind, str resource)
{
	ptrdiff_t dot = str_find_byte(resource, '.');

	return str_eq_nocase(word, kind) || str_eq_nocase(word, resource) ||
	       (dot >= 0 && str_eq_nocase(word, str_sub(resource, 0, (size_t)dot)));
}

bool kind_words_mean(str words, str kind, str resource)
{
	str rest = words, word;

	while (str_next_part(&rest, ',', &word)) {
		if (kind_word_means(word, kind, resource))
			return true;
	}
	return false;
}
