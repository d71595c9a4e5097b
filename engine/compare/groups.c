/* Judges components by their templates that are matched. */
#include "compare/groups.h"

#include "base/assert.h"

const char *component_problem_text(enum component_problem p)
{
	static const char *const texts[] = {
		[COMPONENT_SATISFIED] = "",
		[COMPONENT_MISSING] = "Missing CRs",
		[COMPONENT_ONE_REQUIRED] = "One of the following is required",
		[COMPONENT_TOO_MANY] = "Should only match one but matched",
		[COMPONENT_FORBIDDEN] = "These should not have been matched",
		[COMPONENT_UNKNOWN] = "Not known",
	};

	_Static_assert(ARRAY_LEN(texts) == COMPONENT_PROBLEMS, "ORDER component_problem");
	ASSERT(p < COMPONENT_PROBLEMS);
	return texts[p];
}

/* Whether the path of @t is matched (or unknown): it is when a template with the same path is. */
static bool is_matched(const struct ref_template *t, const bool *matched)
{
	const struct ref_template *other = t;

	do {
		if (matched[other->index])
			return true;
		other = other->same_path;
	} while (other != t);
	return false;
}

/* Select those of the first @n templates of @c that are matched (or, if not @want, are not). */
static int select_templates(const struct ref_component *c, size_t n, const bool *matched, bool want, struct arena *a,
			    struct component_verdict *ret, struct err *err)
{
	ret->templates = arena_array(a, n, sizeof(*ret->templates));
	if (!ret->templates)
		return err_nomem(err);
	ret->n_templates = 0;
	for (size_t i = 0; i < n; i++) {
		if (is_matched(c->templates[i], matched) == want)
			ret->templates[ret->n_templates++] = c->templates[i];
	}
	return 0;
}

static enum component_problem judge(enum ref_group group, size_t n_matched, size_t n)
{
	bool missing = n_matched < n;

	switch (group) {
	case REF_V1_REQUIRED:
	case REF_ALL_OF:
		return missing ? COMPONENT_MISSING : COMPONENT_SATISFIED;
	case REF_V1_OPTIONAL:
	case REF_ALL_OR_NONE_OF:
		return missing && n_matched > 0 ? COMPONENT_MISSING : COMPONENT_SATISFIED;
	case REF_ONE_OF:
		if (n_matched == 0)
			return COMPONENT_ONE_REQUIRED;
		return n_matched > 1 ? COMPONENT_TOO_MANY : COMPONENT_SATISFIED;
	case REF_ANY_ONE_OF:
		return n_matched > 1 ? COMPONENT_TOO_MANY : COMPONENT_SATISFIED;
	case REF_NONE_OF:
		return n_matched > 0 ? COMPONENT_FORBIDDEN : COMPONENT_SATISFIED;
	default:
		return COMPONENT_SATISFIED;
	}
}

int component_judge(const struct ref_part *part, const struct ref_component *c, const bool *matched, struct arena *a,
		    struct component_verdict *ret, struct err *err)
{
	bool v1 = c->group == REF_V1_REQUIRED || c->group == REF_V1_OPTIONAL;
	size_t n = v1 ? c->n_required : c->n_templates;
	struct component_verdict v = { .part = part, .component = c };
	size_t n_matched = 0;
	bool about_matched;
	int r;

	for (size_t i = 0; i < n; i++)
		n_matched += is_matched(c->templates[i], matched);
	v.problem = n ? judge(c->group, n_matched, n) : COMPONENT_SATISFIED;
	if (v.problem == COMPONENT_MISSING)
		v.n_missing = n - n_matched;
	if (v.problem == COMPONENT_ONE_REQUIRED)
		v.n_missing = 1;
	about_matched = v.problem == COMPONENT_TOO_MANY || v.problem == COMPONENT_FORBIDDEN;
	r = select_templates(c, v.problem == COMPONENT_SATISFIED ? 0 : n, matched, about_matched, a, &v, err);
	if (r < 0)
		return r;
	*ret = v;
	return 0;
}

int component_why_unknown(const struct ref_part *part, const struct ref_component *c, const bool *unknown,
			  struct arena *a, struct component_verdict *ret, struct err *err)
{
	struct component_verdict v = { .part = part, .component = c, .problem = COMPONENT_UNKNOWN };
	int r = select_templates(c, c->n_templates, unknown, true, a, &v, err);

	if (r < 0 || !v.n_templates)
		return r;
	*ret = v;
	return 1;
}
