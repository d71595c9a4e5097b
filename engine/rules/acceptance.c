/* Acceptances: reads which changes are accepted, and matches changes against them. */
#include "rules/acceptance.h"

#include "base/hex.h"
#include "base/pattern.h"

#include "go/layout.h"
#include "value/identity.h"
#include "value/json.h"

#include <errno.h>
#include <openssl/sha.h>

#define DAY_SECONDS (24 * INT64_C(3600))
#define DEPTH_MAX 100 /* levels of a value */

_Static_assert(sizeof(struct acceptance) == 14 * sizeof(str), "an acceptance is an array of texts");

#define TEXT(name, member, help)                                                                                       \
	{                                                                                                              \
		name, help, offsetof(struct acceptance, member)                                                        \
	}

/* The texts that say what an acceptance is about come first (TEXTS_ABOUT). */
const struct acceptance_text acceptance_texts[ACCEPTANCE_TEXTS] = {
	TEXT("cluster", cluster, "of which clusters, a pattern with '*'"),
	TEXT("reference", reference, "from which references, a pattern"),
	TEXT("apiVersion", api_version, "of the objects, a pattern"),
	TEXT("kind", kind, "of the objects: Deployment, deployments.apps, or a pattern"),
	TEXT("namespace", namespace, "of the objects, a pattern"),
	TEXT("name", name, "of the objects, a pattern"),
	TEXT("component", component,
	     "PART/COMPONENT, a pattern: what it misses or should not have; with objects: these, which it should not "
	     "have"),
	TEXT("template", template_path, "which templates of the component, a pattern"),
	TEXT("path", path, "the field, as records print it, with all below it; '*' is any segment"),
	TEXT("value", value, "what the field has then, a text or JSON: any other value is drift again"),
	TEXT("rule", rule, "the validation rule that they violate, a pattern: it is about violations, not drift"),
	TEXT("reason", reason, "why it is accepted; required"),
	TEXT("owner", owner, "who answers for it"),
	TEXT("until", until, "the last day, such as 2027-01-31, or a time of RFC 3339"),
};

#define TEXTS_ABOUT 11 /* texts before "reason" */

static str *text_of(struct acceptance *a, size_t i)
{
	return (str *)((char *)a + acceptance_texts[i].offset);
}

static str text_in(const struct acceptance *a, size_t i)
{
	return *(const str *)((const char *)a + acceptance_texts[i].offset);
}

/* ---- what it says ---- */

bool acceptance_until(str text, int64_t *ret_usec)
{
	struct go_stamp t = { 0 };

	if (!text.n) {
		*ret_usec = INT64_MAX;
		return true;
	}
	if (go_stamp_parse(STR("2006-01-02"), text, &t, NULL))
		t.sec += DAY_SECONDS;
	else if (!go_rfc3339_parse(text, &t, NULL))
		return false;
	*ret_usec = t.sec * 1000000 + t.nsec / 1000;
	return true;
}

bool acceptance_path_valid(str path)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct path p;

	return path_parse(path, &a, &p);
}

static int check_about(const struct acceptance *a, struct err *err)
{
	if (a->component.n && (a->path.n || a->value.p || a->rule.n))
		return err_set(err, EINVAL, "a component has no path, no value and no rule");
	if (a->component.n && str_find_byte(a->component, '/') <= 0)
		return err_set(err, EINVAL, "'%.*s' is not a component: PART/COMPONENT is expected",
			       STR_ARG(a->component));
	if (a->component.n && (a->kind.n || a->name.n || a->namespace.n || a->api_version.n))
		return a->kind.n && a->name.n
			       ? 0
			       : err_set(err, EINVAL, "it names not both kind and name of the component's objects");
	if (a->component.n)
		return 0;
	if (!a->kind.n || !a->name.n)
		return err_set(err, EINVAL, "it names neither kind and name of objects nor a component");
	if (a->template_path.n)
		return err_set(err, EINVAL, "a template without a component");
	if (a->rule.n && a->reference.n)
		return err_set(err, EINVAL, "a rule is of no reference");
	if (a->value.p && !a->path.n)
		return err_set(err, EINVAL, "a value without a path");
	return 0;
}

static bool has_control(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return true;
	}
	return false;
}

int acceptance_check(const struct acceptance *a, struct err *err)
{
	int64_t usec;

	for (size_t i = 0; i < ACCEPTANCE_TEXTS; i++) {
		if (text_in(a, i).n > ACCEPTANCE_TEXT_MAX)
			return err_set(err, EINVAL, "its %s has more than %d bytes", acceptance_texts[i].name,
				       ACCEPTANCE_TEXT_MAX);
		if (has_control(text_in(a, i)))
			return err_set(err, EINVAL, "its %s is more than a line of text", acceptance_texts[i].name);
	}
	if (!a->reason.n)
		return err_set(err, EINVAL, "it gives no reason");
	if (!acceptance_path_valid(a->path))
		return err_set(err, EINVAL, "'%.*s' is not a path", STR_ARG(a->path));
	if (!acceptance_until(a->until, &usec))
		return err_set(err, EINVAL, "'%.*s' is neither a day, such as 2027-01-31, nor a time of RFC 3339",
			       STR_ARG(a->until));
	return check_about(a, err);
}

bool acceptance_id(const struct acceptance *a, char ret[ACCEPTANCE_ID_SIZE])
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(2 * ACCEPTANCE_TEXTS * ACCEPTANCE_TEXT_MAX);
	unsigned char digest[SHA256_DIGEST_LENGTH];

	for (size_t i = 0; i < TEXTS_ABOUT; i++) {
		/* Earlier versions had no rules, and the id of an acceptance without one must stay what it was. */
		if (!a->rule.n && acceptance_texts[i].offset == offsetof(struct acceptance, rule))
			continue;
		buf_add_byte(&text, text_in(a, i).p ? '+' : '-'); /* an empty value counts as a value */
		buf_add_str(&text, text_in(a, i));
		buf_add_byte(&text, '\n');
	}
	if (text.error || !SHA256((const unsigned char *)text.p, text.n, digest))
		return false;
	hex_write(digest, ACCEPTANCE_ID_SIZE / 2, ret);
	return true;
}

bool acceptance_same(const struct acceptance *a, const struct acceptance *b)
{
	for (size_t i = 0; i < ACCEPTANCE_TEXTS; i++) {
		if (!str_eq(text_in(a, i), text_in(b, i)) || !text_in(a, i).p != !text_in(b, i).p)
			return false;
	}
	return true;
}

/* ---- JSON ---- */

void acceptance_to_json(const struct acceptance *a, struct buf *out)
{
	char before = '{';

	for (size_t i = 0; i < ACCEPTANCE_TEXTS; i++) {
		str text = text_in(a, i);

		if (!text.n && !(text.p && acceptance_texts[i].offset == offsetof(struct acceptance, value)))
			continue;
		buf_printf(out, "%c\"%s\":", before, acceptance_texts[i].name);
		json_encode_string(text, JSON_PLAIN, out);
		before = ',';
	}
	buf_add_byte(out, '}');
}

static int set_text(struct acceptance *a, str name, val v, struct err *err)
{
	size_t i = 0;

	while (i < ACCEPTANCE_TEXTS && !str_eq(name, str_from(acceptance_texts[i].name)))
		i++;
	if (i == ACCEPTANCE_TEXTS)
		return err_set(err, EINVAL, "'%.*s' is nothing that an acceptance has", STR_ARG(str_sub(name, 0, 64)));
	if (!val_is_string(v))
		return err_set(err, EINVAL, "its %s is not text", acceptance_texts[i].name);
	*text_of(a, i) = val_str(v);
	return 0;
}

/* Treat empty texts as not given, except for the value, which may be the empty text. */
static void forget_empty(struct acceptance *a)
{
	for (size_t i = 0; i < ACCEPTANCE_TEXTS; i++) {
		str *text = text_of(a, i);

		if (!text->n && text != &a->value)
			*text = (str){ NULL, 0 };
	}
}

int acceptance_from_json(val v, struct acceptance *ret, struct err *err)
{
	struct acceptance a = { 0 };

	if (!val_is_map(v))
		return err_set(err, EINVAL, "an acceptance is a JSON object");
	for (uint32_t i = 0; i < v.n; i++) {
		int r = set_text(&a, key_str(v.members[i].key), v.members[i].value, err);

		if (r < 0)
			return r;
	}
	forget_empty(&a);
	if (acceptance_check(&a, err) < 0)
		return -err->code;
	*ret = a;
	return 0;
}

/* ---- holding it against something ---- */

static val read_value(str text, struct arena *a)
{
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct err err;
	size_t used;
	val v;

	limits.depth = DEPTH_MAX;
	if (!text.n || json_decode_value(text, &o, a, &v, &used, &err) < 0 || used != text.n)
		return (val){ 0 };
	return v;
}

int acceptance_compile(const struct acceptance *from, struct arena *a, struct accepted_change *ret, struct err *err)
{
	struct accepted_change x = { .says = *from };

	for (size_t i = 0; i < ACCEPTANCE_TEXTS; i++) {
		str *text = text_of(&x.says, i);

		if (!text->p)
			continue;
		*text = arena_str(a, *text);
		if (!text->p)
			return err_nomem(err);
	}
	forget_empty(&x.says);
	if (acceptance_check(&x.says, err) < 0)
		return -err->code;
	if (!acceptance_id(&x.says, x.id) || !path_parse(x.says.path, a, &x.path) ||
	    !acceptance_until(x.says.until, &x.until_usec))
		return err_nomem(err);
	x.value = read_value(x.says.value, a);
	*ret = x;
	return 0;
}

/* The part of "deployments.apps" before the dot. */
static str before_dot(str s)
{
	ptrdiff_t dot = str_find_byte(s, '.');

	return dot < 0 ? s : str_sub(s, 0, (size_t)dot);
}

static bool is_kind(str word, const struct accepted_object *o)
{
	ptrdiff_t dot = str_find_byte(word, '.');

	if (str_find_byte(word, '*') >= 0)
		return pattern_allows(word, o->kind) || pattern_allows(word, o->resource);
	if (str_eq_nocase(word, o->kind) || str_eq_nocase(word, o->resource) ||
	    str_eq_nocase(word, before_dot(o->resource)))
		return true;
	return dot > 0 && str_eq_nocase(str_sub(word, 0, (size_t)dot), o->kind) &&
	       str_eq_nocase(str_sub(word, (size_t)dot + 1, word.n), group_version_of(o->api_version).group);
}

static bool names_object(const struct acceptance *a, const struct accepted_object *o)
{
	/* The names come first, because most acceptances already differ there in the first letter. */
	return pattern_allows(a->name, o->name) && pattern_allows(a->namespace, o->namespace) && is_kind(a->kind, o) &&
	       pattern_allows(a->api_version, o->api_version) && pattern_allows(a->cluster, o->cluster) &&
	       pattern_allows(a->reference, o->reference);
}

bool acceptance_for_object(const struct acceptance *a, const struct accepted_object *o)
{
	return !a->component.n && !a->rule.n == !o->rule.n && names_object(a, o) &&
	       pattern_allows(a->rule, str_trim(o->rule));
}

bool acceptance_for_member(const struct acceptance *a, const struct accepted_object *o)
{
	return a->kind.n && names_object(a, o);
}

bool acceptance_for_component(const struct acceptance *a, str cluster, str reference, str part, str component)
{
	ptrdiff_t slash = str_find_byte(a->component, '/');

	return slash > 0 && pattern_allows(str_sub(a->component, 0, (size_t)slash), part) &&
	       pattern_allows(str_sub(a->component, (size_t)slash + 1, a->component.n), component) &&
	       pattern_allows(a->cluster, cluster) && pattern_allows(a->reference, reference);
}

bool acceptance_for_template(const struct acceptance *a, str template_path)
{
	return pattern_allows(a->template_path, template_path);
}

static bool segment_matches(const struct path_segment *pattern, const struct path_segment *s)
{
	if (pattern->kind == PATH_KEY && str_eq(pattern->text, STR("*")))
		return true;
	/* Elements that have keys other than a name were reported by their numbers in earlier versions. */
	if (pattern->kind == PATH_INDEX)
		return (s->kind == PATH_INDEX || s->kind == PATH_KEYS) && pattern->index == s->index;
	return pattern->kind == s->kind && pattern->again == s->again && pattern_allows(pattern->text, s->text);
}

static bool value_matches(const struct accepted_change *x, val actual)
{
	return (val_is_string(actual) && str_eq(val_str(actual), x->says.value)) ||
	       (val_exists(x->value) && val_exists(actual) && val_same(x->value, actual));
}

bool acceptance_takes(const struct accepted_change *x, const struct change *change)
{
	if (x->path.n > change->path.n)
		return false;
	for (size_t i = 0; i < x->path.n; i++) {
		if (!segment_matches(&x->path.segments[i], &change->path.segments[i]))
			return false;
	}
	if (!x->says.value.p)
		return true;
	/* An accepted value belongs to the path itself, not to what lies below it. */
	return x->path.n == change->path.n && !change->sensitive && value_matches(x, change->actual);
}

int acceptance_decode(str json, struct doc **doc, struct acceptance *ret, char id[ACCEPTANCE_ID_SIZE], struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	int r = json_decode(json, JSON_DEFAULTS, &d, err);

	if (r == 0)
		r = acceptance_from_json(d->root, ret, err);
	if (r == 0 && !acceptance_id(ret, id))
		r = err_nomem(err);
	if (r == 0)
		*doc = TAKE(d);
	return r;
}
