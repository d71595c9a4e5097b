/* Reading and matching selectors. */
#include "selector.h"

#include <stdlib.h>

void selector_done(struct selector *s)
{
	for (size_t i = 0; i < s->all.n; i++)
		vec_done(&s->all.p[i].values);
	vec_done(&s->all);
	free(s->text[0]);
	free(s->text[1]);
	*s = (struct selector){ 0 };
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
	       c == '.' || c == '/';
}

static str take_name(str *rest)
{
	size_t n = 0;
	str name;

	*rest = str_trim(*rest);
	while (n < rest->n && is_name_byte(rest->p[n]))
		n++;
	name = str_sub(*rest, 0, n);
	*rest = str_trim(str_sub(*rest, n, rest->n));
	return name;
}

static bool take(str *rest, str token)
{
	if (!str_has_prefix(*rest, token))
		return false;
	*rest = str_trim(str_sub(*rest, token.n, rest->n));
	return true;
}

/* "(" value { "," value } ")" */
static bool take_set(str *rest, struct requirement *r)
{
	if (!take(rest, STR("(")))
		return false;
	do {
		if (!vec_push(&r->values, take_name(rest)))
			return false;
	} while (take(rest, STR(",")));
	return take(rest, STR(")"));
}

/* key | "!" key | key ("=" | "==" | "!=" | ">" | "<") value | key ("in" | "notin") set */
static bool take_requirement(str *rest, struct requirement *r)
{
	static const struct {
		str token;
		enum selector_op op;
	} operators[] = {
		{ STR("=="), SEL_IN },     { STR("="), SEL_IN },   { STR("!="), SEL_NOT_IN },
		{ STR(">"), SEL_GREATER }, { STR("<"), SEL_LESS },
	};
	str word, before;

	if (take(rest, STR("!"))) {
		r->op = SEL_ABSENT;
		r->key = take_name(rest);
		return r->key.n > 0;
	}
	r->key = take_name(rest);
	if (r->key.n == 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
		if (!take(rest, operators[i].token))
			continue;
		r->op = operators[i].op;
		return vec_push(&r->values, take_name(rest));
	}
	before = *rest;
	word = take_name(rest);
	if (str_eq(word, STR("in")) || str_eq(word, STR("notin"))) {
		r->op = word.n == 2 ? SEL_IN : SEL_NOT_IN;
		return take_set(rest, r);
	}
	*rest = before;
	r->op = SEL_EXISTS;
	return true;
}

static int parse_labels(str rest, struct selector *s, struct refusal *refusal)
{
	str whole = rest;

	do {
		struct requirement r = { 0 };

		if (!take_requirement(&rest, &r) || (rest.n && rest.p[0] != ',') || !vec_push(&s->all, r)) {
			vec_done(&r.values);
			return refuse(refusal, 400, "BadRequest", "unable to parse requirement: \"%.*s\" at \"%.*s\"",
				      STR_ARG(whole), STR_ARG(rest));
		}
	} while (take(&rest, STR(",")));
	return 0;
}

/* The fields that selectors can name. */
static const str *field_in(const struct rev *rev, str key)
{
	if (str_eq(key, STR("metadata.name")))
		return &rev->name;
	if (str_eq(key, STR("metadata.namespace")))
		return &rev->ns;
	return str_eq(key, STR("type")) ? &rev->type : NULL;
}

/* field ("=" | "==" | "!=") value { "," … } */
static int parse_fields(str rest, struct selector *s, struct refusal *refusal)
{
	str part;

	while (str_next_part(&rest, ',', &part)) {
		struct requirement r = { .field = true };
		ptrdiff_t eq = str_find_byte(part, '=');
		bool not = eq > 0 && part.p[eq - 1] == '!';
		str value;

		if (part.n == 0)
			continue;
		if (eq <= 0)
			return refuse(refusal, 400, "BadRequest", "invalid selector: '%.*s'; can't understand '%.*s'",
				      STR_ARG(part), STR_ARG(part));
		r.op = not ? SEL_NOT_IN : SEL_IN;
		r.key = str_sub(part, 0, (size_t)eq - (not ? 1 : 0));
		value = str_sub(part, (size_t)eq + 1, part.n);
		if (value.n && value.p[0] == '=')
			value = str_sub(value, 1, value.n);
		if (!field_in(&(const struct rev){ 0 }, r.key))
			return refuse(refusal, 400, "BadRequest", "field label not supported: %.*s", STR_ARG(r.key));
		if (!vec_push(&r.values, value) || !vec_push(&s->all, r)) {
			vec_done(&r.values);
			return refuse_nomem(refusal);
		}
	}
	return 0;
}

int selector_parse(const char *labels, const char *fields, struct selector *ret, struct refusal *refusal)
{
	struct selector s = { 0 };
	int r = 0;

	s.text[0] = str_dup(str_trim(str_from(labels ? labels : "")));
	s.text[1] = str_dup(str_trim(str_from(fields ? fields : "")));
	if (!s.text[0] || !s.text[1])
		r = refuse_nomem(refusal);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): without memory r is set */
	if (r == 0 && *s.text[0])
		r = parse_labels(str_from(s.text[0]), &s, refusal);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): without memory r is set */
	if (r == 0 && *s.text[1])
		r = parse_fields(str_from(s.text[1]), &s, refusal);
	if (r < 0)
		selector_done(&s);
	else
		*ret = s;
	return r;
}

static const str *label_of(const struct rev *rev, str key)
{
	for (size_t i = 0; i < rev->n_labels; i++)
		if (str_eq(rev->labels[i].key, key))
			return &rev->labels[i].value;
	return NULL;
}

static bool one_of(const struct requirement *r, str value)
{
	for (size_t i = 0; i < r->values.n; i++)
		if (str_eq(r->values.p[i], value))
			return true;
	return false;
}

static bool satisfied(const struct requirement *r, const struct rev *rev)
{
	const str *value = label_of(rev, r->key);

	if (r->field)
		value = field_in(rev, r->key);
	switch (r->op) {
	case SEL_EXISTS:
		return value;
	case SEL_ABSENT:
		return !value;
	case SEL_IN:
		return value && one_of(r, *value);
	case SEL_NOT_IN:
		return !value || !one_of(r, *value);
	case SEL_GREATER:
		return value && strtoll(value->p, NULL, 10) > strtoll(r->values.p[0].p, NULL, 10);
	case SEL_LESS:
		return value && strtoll(value->p, NULL, 10) < strtoll(r->values.p[0].p, NULL, 10);
	}
	return false;
}

bool selector_matches(const struct selector *s, const struct rev *rev)
{
	for (size_t i = 0; i < s->all.n; i++)
		if (!satisfied(&s->all.p[i], rev))
			return false;
	return true;
}
