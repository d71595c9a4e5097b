/* Reads label selectors, and matches them. */
#include "value/label_selector.h"

#include "base/hash.h"

#include <ctype.h>
#include <errno.h>

#define LABELS_MAX 64
#define SHOWN_MAX 200
#define VALUES_MAX 256

struct reader {
	struct arena *arena;
	struct problems *problems;
	struct label_requirement *list;
	size_t n;
	bool no_memory;
};

static struct label_requirement *add(struct reader *r, const struct node *at, str key, enum label_op op)
{
	if (key.n == 0) {
		node_problem(at, r->problems, "this label selector has a requirement without a key");
		return NULL;
	}
	if (r->n == LABELS_MAX) {
		node_problem(at, r->problems, "more than %d requirements in a label selector", LABELS_MAX);
		return NULL;
	}
	r->list[r->n] = (struct label_requirement){ .key = key, .op = op };
	return &r->list[r->n++];
}

static void one_value(struct reader *r, struct label_requirement *l, str value)
{
	str *v = arena_array(r->arena, 1, sizeof(*v));

	r->no_memory |= !v;
	if (!v)
		return;
	*v = value;
	l->values = v;
	l->n_values = 1;
}

/* ---- as text ---- */

/* Read "(a, b)" at the start of *rest, which moves behind it. */
static bool text_values(struct reader *r, str *rest, struct label_requirement *l)
{
	ptrdiff_t end = str_find_byte(*rest, ')');
	str list, part, *values = arena_array(r->arena, VALUES_MAX, sizeof(*values));

	r->no_memory |= !values;
	if (!values || rest->n == 0 || rest->p[0] != '(' || end < 0)
		return false;
	list = str_sub(*rest, 1, (size_t)end);
	while (l->n_values < VALUES_MAX && str_next_part(&list, ',', &part))
		values[l->n_values++] = str_trim(part);
	l->values = values;
	*rest = str_trim(str_sub(*rest, (size_t)end + 1, rest->n));
	return list.n == 0; /* if anything is left, there are too many values */
}

static str take_word(str *rest)
{
	size_t n = 0;
	str word;

	while (n < rest->n && !isspace((unsigned char)rest->p[n]) && !strchr("=!,()", rest->p[n]))
		n++;
	word = str_sub(*rest, 0, n);
	*rest = str_trim(str_sub(*rest, n, rest->n));
	return word;
}

static bool text_set(struct reader *r, const struct node *at, str *rest, str key)
{
	str word = take_word(rest);
	struct label_requirement *l;

	if (!str_eq(word, STR("in")) && !str_eq(word, STR("notin")))
		return false;
	l = add(r, at, key, str_eq(word, STR("in")) ? LABEL_IN : LABEL_NOT_IN);
	return l && text_values(r, rest, l);
}

static bool text_equality(struct reader *r, const struct node *at, str *rest, str key)
{
	bool not = rest->p[0] == '!';
	struct label_requirement *l;

	*rest = str_sub(*rest, 1, rest->n);
	if (rest->n && rest->p[0] == '=')
		*rest = str_sub(*rest, 1, rest->n);
	else if (not )
		return false;
	*rest = str_trim(*rest);
	l = add(r, at, key, not ? LABEL_NOT_IN : LABEL_IN);
	if (l)
		one_value(r, l, take_word(rest));
	return l;
}

static bool text_requirement(struct reader *r, const struct node *at, str *rest)
{
	bool not = rest->n && rest->p[0] == '!';
	str key;

	if (not )
		*rest = str_trim(str_sub(*rest, 1, rest->n));
	key = take_word(rest);
	if (not || rest->n == 0 || rest->p[0] == ',')
		return add(r, at, key, not ? LABEL_ABSENT : LABEL_EXISTS);
	if (rest->p[0] == '=' || rest->p[0] == '!')
		return text_equality(r, at, rest, key);
	return text_set(r, at, rest, key);
}

static void read_text(struct reader *r, const struct node *n)
{
	str rest = str_trim(n->text);

	while (rest.n) {
		if (!text_requirement(r, n, &rest) || (rest.n && rest.p[0] != ',')) {
			node_problem(n, r->problems,
				     "'%.*s' is no label selector: expected something like a=b,c!=d,e in (f,g)",
				     STR_ARG(n->text));
			return;
		}
		rest = str_trim(str_sub(rest, 1, rest.n));
	}
}

/* ---- as a map ---- */

static void read_match_labels(struct reader *r, const struct node *n)
{
	if (n->kind != NODE_MAP) {
		node_problem(n, r->problems, "expected a map from label to value");
		return;
	}
	for (size_t i = 0; i < n->n; i++) {
		struct label_requirement *l = add(r, n->keys[i], n->keys[i]->text, LABEL_IN);

		if (l && n->values[i]->kind == NODE_SCALAR)
			one_value(r, l, n->values[i]->text);
		else
			node_problem(n->values[i], r->problems, "expected a text");
	}
}

static bool read_values(struct reader *r, const struct node *n, struct label_requirement *l)
{
	str *values = n && n->kind == NODE_LIST ? arena_array(r->arena, n->n, sizeof(*values)) : NULL;

	for (size_t i = 0; values && i < n->n; i++) {
		if (n->items[i]->kind != NODE_SCALAR)
			return false;
		values[i] = n->items[i]->text;
	}
	l->values = values;
	l->n_values = values ? n->n : 0;
	return l->n_values > 0;
}

static void read_expression(struct reader *r, const struct node *n)
{
	static const char *const ops[] = {
		[LABEL_IN] = "In", [LABEL_NOT_IN] = "NotIn", [LABEL_EXISTS] = "Exists", [LABEL_ABSENT] = "DoesNotExist"
	};
	const struct node *key = node_get(n, "key"), *op = node_get(n, "operator");
	struct label_requirement *l;
	size_t i = 0;

	_Static_assert(ARRAY_LEN(ops) == LABEL_OPS, "ORDER label_op");
	while (op && op->kind == NODE_SCALAR && i < ARRAY_LEN(ops) && !str_eq(op->text, str_from(ops[i])))
		i++;
	if (!key || key->kind != NODE_SCALAR || !op || op->kind != NODE_SCALAR || i == ARRAY_LEN(ops)) {
		node_problem(n, r->problems, "expected key and operator (In, NotIn, Exists, DoesNotExist)");
		return;
	}
	l = add(r, n, key->text, (enum label_op)i);
	if (l && i <= LABEL_NOT_IN && !read_values(r, node_get(n, "values"), l))
		node_problem(n, r->problems, "operator %s needs a list of values", ops[i]);
}

static void read_map(struct reader *r, const struct node *n)
{
	for (size_t i = 0; i < n->n; i++) {
		const struct node *v = n->values[i];

		if (str_eq(n->keys[i]->text, STR("matchLabels"))) {
			read_match_labels(r, v);
		} else if (str_eq(n->keys[i]->text, STR("matchExpressions")) && v->kind == NODE_LIST) {
			for (size_t k = 0; k < v->n; k++)
				read_expression(r, v->items[k]);
		} else {
			node_problem(n->keys[i], r->problems,
				     "expected matchLabels (a map) or matchExpressions (a list)");
		}
	}
}

bool label_selector_read(const struct node *n, struct arena *a, struct label_selector *ret, struct problems *problems)
{
	struct reader r = { .arena = a, .problems = problems, .list = arena_array(a, LABELS_MAX, sizeof(*r.list)) };

	if (!r.list)
		return false;
	if (n->kind == NODE_SCALAR)
		read_text(&r, n);
	else if (n->kind == NODE_MAP)
		read_map(&r, n);
	else
		node_problem(n, problems, "expected a label selector");
	*ret = (struct label_selector){ .requirements = r.list, .n = r.n };
	return !r.no_memory;
}

static bool has_only(str text, const char *others)
{
	for (size_t i = 0; i < text.n; i++) {
		if (!isalnum((unsigned char)text.p[i]) && (!text.p[i] || !strchr(others, text.p[i])))
			return false;
	}
	return true;
}

/* Whether any label can match. A mistyped selector must be an error, not a selector that matches nothing. */
static bool is_possible(const struct label_selector *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct label_requirement *l = &s->requirements[i];

		if (!has_only(l->key, "._/-"))
			return false;
		for (size_t k = 0; k < l->n_values; k++) {
			if (!has_only(l->values[k], "._-"))
				return false;
		}
	}
	return true;
}

int label_selector_parse(str text, struct arena *a, struct label_selector *ret, struct err *err)
{
	const struct node n = { .kind = NODE_SCALAR, .file = "", .text = text };
	struct problems problems = { 0 };
	bool ok = label_selector_read(&n, a, ret, &problems), wrong = problems_any(&problems);

	problems_done(&problems);
	if (!ok)
		return err_nomem(err);
	if (wrong || !is_possible(ret))
		return err_set(err, EINVAL, "'%.*s' is no label selector: expected something like a=b,c!=d,e in (f,g)",
			       STR_ARG(str_sub(text, 0, SHOWN_MAX)));
	return 0;
}

/* Whether a requirement matches. As for the API server, a missing label is not in any list. */
static bool matches(const struct label_requirement *l, val labels)
{
	val v = val_get(labels, l->key);
	bool in = false;

	if (l->op == LABEL_EXISTS || l->op == LABEL_ABSENT)
		return val_exists(v) == (l->op == LABEL_EXISTS);
	for (size_t i = 0; val_is_string(v) && i < l->n_values; i++)
		in |= str_eq(val_str(v), l->values[i]);
	return in == (l->op == LABEL_IN);
}

bool label_selector_matches(const struct label_selector *s, val labels)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!matches(&s->requirements[i], labels))
			return false;
	}
	return true;
}

uint64_t label_selector_hash(const struct label_selector *s, uint64_t seed)
{
	uint64_t h = s->n;

	for (size_t i = 0; i < s->n; i++) {
		const struct label_requirement *l = &s->requirements[i];

		h = hash_mix(hash_mix(h, hash_str(l->key, seed)), l->op);
		for (size_t k = 0; k < l->n_values; k++)
			h = hash_mix(h, hash_str(l->values[k], seed));
	}
	return h;
}
