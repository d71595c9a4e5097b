/* Compiles an expression: parse, check, validate, plan. */
#include "cel/cel.h"

#include "cel/cel_estimate.h"
#include "cel/cel_program.h"
#include "text/re2.h"

#include <errno.h>

const struct cel_library *const cel_libraries[] = {
	&cel_lib_operators, &cel_lib_convert,  &cel_lib_time,  &cel_lib_strings, &cel_lib_format,     &cel_lib_lists,
	&cel_lib_sets,      &cel_lib_optional, &cel_lib_math,  &cel_lib_regex,   &cel_lib_net,        &cel_lib_url,
	&cel_lib_quantity,  &cel_lib_semver,   &cel_lib_named, &cel_lib_encode,  &cel_lib_authorizer,
};
const size_t cel_n_libraries = ARRAY_LEN(cel_libraries);

const struct cel_overload *cel_function_at(size_t i)
{
	for (size_t l = 0; l < cel_n_libraries; l++) {
		if (i < cel_libraries[l]->n)
			return &cel_libraries[l]->overloads[i];
		i -= cel_libraries[l]->n;
	}
	return NULL;
}

void cel_signature_format(const struct cel_overload *o, struct arena *a, struct buf *out)
{
	const char *at = o->types;
	bool first = true;

	if (o->member) {
		cel_type_format(cel_type_read(a, &at), out);
		buf_add_byte(out, '.');
	}
	buf_printf(out, "%s(", o->name);
	for (; *at != ':'; first = false) {
		buf_add_cstr(out, first ? "" : ", ");
		cel_type_format(cel_type_read(a, &at), out);
	}
	at++;
	buf_add_cstr(out, ") -> ");
	cel_type_format(cel_type_read(a, &at), out);
}

void cel_program_free(struct cel_program *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->patterns.n; i++)
		re2_free(p->patterns.p[i]);
	vec_done(&p->patterns);
	arena_done(&p->arena);
	free(p);
}

const struct cel_type *cel_program_type(const struct cel_program *p)
{
	return p->type;
}

bool cel_program_uses(const struct cel_program *p, uint32_t i)
{
	return i < 64 && (p->used >> i & 1);
}

uint64_t cel_program_estimate(const struct cel_program *p)
{
	return p->estimate;
}

static int compile(str source, const struct cel_env *env, const struct limits *lim, struct cel_program *p,
		   struct cel_issues *is, struct err *err)
{
	struct cel_ast *root = cel_parse(source, env->dialect, is);
	uint32_t locals = 0;
	bool ok = root && cel_check(root, env, is, &locals);

	if (ok && env->dialect == CEL_KUBERNETES && !env->unchecked) {
		cel_validate(root, env, is);
		ok = is->n == 0;
	}
	if (ok && env->estimate && cel_estimate(root, env->estimate, &p->arena, &p->estimate) < 0)
		return err_nomem(err);
	if (ok) {
		p->kubernetes = env->dialect == CEL_KUBERNETES;
		p->n_variables = env->n_variables;
		p->n_slots = env->n_variables + locals;
		p->type = root->type;
		ok = cel_plan(p, root, env, lim, is);
	}
	if (is->no_memory)
		return err_nomem(err);
	if (!ok && is->n == 0)
		return err_nomem(err);
	return ok ? 0 : err_set(err, EBADMSG, "%.*s", STR_ARG(is->list[0].text));
}

int cel_compile(str source, const struct cel_env *env, const struct limits *lim, struct cel_program **ret,
		struct buf *issues, struct err *err)
{
	CLEANUP(cel_program_freep) struct cel_program *p = calloc(1, sizeof(*p));
	struct cel_issues *is = calloc(1, sizeof(*is));
	int r;

	if (!p || !is) {
		free(is);
		return err_nomem(err);
	}
	/* The tree lives as long as the program: types and names point into it. */
	arena_init(&p->arena, 4096, lim->arena_bytes);
	is->arena = &p->arena;
	r = compile(source, env, lim, p, is, err);
	if (r == -EBADMSG && issues)
		cel_issues_format(is, issues);
	free(is);
	if (r == 0)
		*ret = TAKE(p);
	return r;
}
