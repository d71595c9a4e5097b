/* Lists the kinds that the command line names, each once. */
#include "daemon/compare/applied_live.h"

#include "daemon/compare/live.h"

#include <errno.h>

struct loader {
	struct live *live;
	str namespace;
	struct compare_input *in;
	size_t n_listed;
};

/* ---- which kind is meant ---- */

/* Whether @rest, the text after the dot behind the kind, is the group, or the version and the group. */
static bool is_meant(const struct kc_resource *r, str rest)
{
	str group = str_from(r->group), version = str_from(r->version);

	if (str_eq(rest, group))
		return true;
	if (!str_has_prefix(rest, version))
		return false;
	rest = str_sub(rest, version.n, rest.n);
	return group.n ? str_has_prefix(rest, STR(".")) && str_eq(str_sub(rest, 1, rest.n), group) : !rest.n;
}

/* The kind that @name means; NULL: the cluster has none. */
static const struct kc_resource *find(const struct loader *l, str name)
{
	const struct kc_resource *r, *best = NULL;
	str kind, rest = name;
	size_t at = 0;

	(void)str_next_part(&rest, '.', &kind);
	while ((r = kc_listable(live_client(l->live), &at))) {
		if (str_eq(str_from(r->kind), kind) && is_meant(r, rest) && (!best || r->rank < best->rank))
			best = r;
	}
	return best;
}

/* Whether @rest, the text after the dot behind the kind, can name a kind of @group. */
static bool may_be_of(str rest, str group)
{
	if (!group.n)
		return str_find_byte(rest, '.') < 0;
	return str_eq(rest, group) || (str_has_suffix(rest, group) && rest.p[rest.n - group.n - 1] == '.');
}

/* Why it is unknown whether the cluster has the kind @name; NULL: it has none. */
static const char *why_unknown(const struct loader *l, str name)
{
	str kind, rest = name, api_version;
	const char *why;
	size_t at = 0;

	(void)str_next_part(&rest, '.', &kind);
	while ((why = kc_why_unknown(live_client(l->live), &at, &api_version))) {
		if (may_be_of(rest, group_version_of(api_version).group))
			return why;
	}
	return NULL;
}

/* ---- listing ---- */

static int note(struct loader *l, str name, const char *what, const char *why, struct err *err)
{
	problems_add(&l->in->problems, "%s%.*s%s%s", what, STR_ARG(name), *why ? ": " : "", why);
	return compare_input_mark(l->in, name, err);
}

static int list(struct loader *l, str name, const struct kc_resource *found, struct err *err)
{
	CLEANUP(buf_done) struct buf version = BUF_INIT(4096), kind = BUF_INIT(4096);
	struct live_collection what = { .namespace = found->namespaced ? l->namespace : STR("") };
	int r;

	buf_printf(&version, "%s%s%s", found->group, *found->group ? "/" : "", found->version);
	buf_add_cstr(&kind, found->kind); /* @found is invalid once the loop runs */
	if (version.error || kind.error)
		return err_nomem(err);
	what.api_version = buf_str(&version);
	what.kind = buf_str(&kind);
	r = compare_live_list(l->live, &what, l->in, err);
	if (compare_live_is_over(l->live, r))
		return r;
	l->n_listed += r == 0;
	r = r < 0 ? note(l, name, "list ", err->msg, err) : compare_input_mark(l->in, name, err);
	return r < 0 ? r : compare_live_define_kind(l->live, what.kind, l->in, err);
}

static int load_kind(struct loader *l, str name, struct err *err)
{
	const struct kc_resource *found = find(l, name);
	const char *why;

	if (found)
		return list(l, name, found, err);
	why = why_unknown(l, name);
	if (why)
		return note(l, name, "whether the cluster has the kind is not known: ", why, err);
	return note(l, name, "the cluster has no kind ", "it is written as KIND.GROUP, such as Deployment.apps", err);
}

int applied_live_load(struct live *live, const struct string_list *kinds, str namespace, struct compare_input *in,
		      struct err *err)
{
	struct loader l = { .live = live, .namespace = namespace, .in = in };
	int r = compare_live_begin(in, err);

	for (size_t i = 0; i < kinds->v.n && r == 0; i++)
		r = load_kind(&l, str_from(kinds->v.p[i]), err);
	if (r == 0 && !l.n_listed && problems_any(&in->problems))
		return compare_input_refuse(in, COMPARE_UNREAD, &in->problems, err);
	return r;
}
