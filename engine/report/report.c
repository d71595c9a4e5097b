/* Writes a report in the form that the caller chooses. */
#include "report/report.h"

static bool is_superseded(const struct component_verdict *list, size_t n_list, size_t i)
{
	const struct component_verdict *v = &list[i];

	for (size_t k = i + 1; k < n_list; k++) {
		const struct component_verdict *later = &list[k];

		if (str_eq(later->part->name, v->part->name) &&
		    (later->part != v->part || str_eq(later->component->name, v->component->name)))
			return true;
	}
	return false;
}

static int by_names(const void *a, const void *b)
{
	const struct component_verdict *x = *(const struct component_verdict *const *)a;
	const struct component_verdict *y = *(const struct component_verdict *const *)b;
	int order = str_cmp(x->part->name, y->part->name);

	return order ? order : str_cmp(x->component->name, y->component->name);
}

size_t report_sort_issues(const struct component_verdict *list, size_t n_list, const struct component_verdict **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < n_list; i++) {
		if (!is_superseded(list, n_list, i))
			ret[n++] = &list[i];
	}
	if (n)
		qsort(ret, n, sizeof(*ret), by_names);
	return n;
}

static bool is_described(enum ref_group g)
{
	return g == REF_V1_REQUIRED || g == REF_V1_OPTIONAL || g == REF_ALL_OF;
}

str report_description(const struct component_verdict *issue, str path)
{
	size_t i = is_described(issue->component->group) ? issue->n_templates : 0;

	while (i-- > 0) {
		const struct ref_template *t = issue->templates[i];

		if (t->description.n && str_eq(t->path, path))
			return t->description;
	}
	return STR("");
}

void report_why_accepted(const struct report_accepted *a, struct buf *out)
{
	buf_printf(out, "%.*s%s%.*s%s%.*s", STR_ARG(a->reason), a->owner.n ? ", by " : "", STR_ARG(a->owner),
		   a->until.n ? ", until " : "", STR_ARG(a->until));
}
