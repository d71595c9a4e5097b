/* Refuses what Kubernetes refuses although it has a type.   cel-go cel/validator.go, ext/formatting.go */
#include "cel/cel_check.h"

#include "cel/cel_format.h"
#include "cel/cel_time.h"
#include "go/duration.h"
#include "text/re2.h"

#include <errno.h>

static void type_text(const struct cel_type *t, struct buf *b)
{
	cel_type_format(t, b);
}

static void mixed(struct cel_issues *is, uint32_t at, const struct cel_type *expected, const struct cel_type *found)
{
	CLEANUP(buf_done) struct buf e = BUF_INIT(400), f = BUF_INIT(400);

	type_text(expected, &e);
	type_text(found, &f);
	cel_issue_add(is, at, "expected type '%s' but found '%s'", buf_str(&e).p, buf_str(&f).p);
}

static const struct cel_type *element_type(const struct cel_ast *n, const struct cel_ast *e, uint32_t mark)
{
	if (n->optional && n->optional[mark] && cel_type_is_optional(e->type))
		return e->type->params[0];
	return e->type;
}

/* Check that elements @from, @from + @step, … have one type. */
static void same_types(const struct cel_ast *n, uint32_t from, uint32_t step, struct cel_issues *is)
{
	const struct cel_type *first = NULL;

	for (uint32_t i = from; i < n->n_args; i += step) {
		bool value = step == 1 || from == 1;
		const struct cel_type *t = value ? element_type(n, n->args[i], i / step) : n->args[i]->type;

		if (!first) {
			first = t;
		} else if (!cel_type_equal(first, t)) {
			mixed(is, n->args[i]->at, first, t);
			return;
		}
	}
}

static void check_literal(const struct cel_ast *n, struct cel_issues *is)
{
	const struct cel_ast *arg = n->n_args ? n->args[n->n_args - 1] : NULL;
	struct limits lim = LIMITS_DEFAULT;
	struct re2 *re = NULL;
	struct err err;
	int64_t t = 0;
	cv time;

	if (!arg || arg->kind != AST_LITERAL)
		return;
	if (str_eq(n->name, STR("duration"))) {
		if (arg->value.kind != CV_STRING || !go_duration_parse(cv_str(arg->value), &t, NULL))
			cel_issue_add(is, arg->at, "invalid duration argument");
	} else if (str_eq(n->name, STR("timestamp")) && n->n_args == 1) {
		bool good = true;

		if (arg->value.kind == CV_STRING)
			t = (good = cel_timestamp_parse(cv_str(arg->value), &time)) ? time.i : 0;
		else if (arg->value.kind == CV_INT)
			t = arg->value.i;
		else
			good = false;
		if (!good || t < CEL_TIMESTAMP_MIN || t > CEL_TIMESTAMP_MAX)
			cel_issue_add(is, arg->at, "invalid timestamp argument");
	} else if (str_eq(n->name, STR("matches")) && arg->value.kind == CV_STRING) {
		int r = re2_compile(cv_str(arg->value), &lim, &re, NULL, &err);

		if (r == -ENOMEM)
			is->no_memory = true;
		else if (r < 0)
			cel_issue_add(is, arg->at, "invalid matches argument");
		re2_free(re);
	}
}

static void validate(struct cel_ast *n, struct cel_issues *is, bool exempt)
{
	if (!n || n->validated)
		return;
	n->validated = true;
	if (n->kind == AST_CALL) {
		if (str_eq(n->name, STR("format"))) {
			exempt = true;
			cel_format_check(n, is);
		}
		check_literal(n, is);
	}
	if (n->kind == AST_LIST && !exempt)
		same_types(n, 0, 1, is);
	if (n->kind == AST_MAP && !exempt) {
		same_types(n, 0, 2, is);
		same_types(n, 1, 2, is);
	}
	validate(n->target, is, exempt);
	for (uint32_t i = 0; i < n->n_args; i++)
		validate(n->args[i], is, exempt);
	if (n->fold) {
		validate(n->fold->range, is, exempt);
		validate(n->fold->init, is, exempt);
		validate(n->fold->condition, is, exempt);
		validate(n->fold->step, is, exempt);
		validate(n->fold->result, is, exempt);
	}
}

void cel_validate(struct cel_ast *root, const struct cel_env *env, struct cel_issues *is)
{
	(void)env;
	validate(root, is, false);
}
