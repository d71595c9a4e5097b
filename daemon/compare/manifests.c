/* Reads the manifests of one run, and finds out which objects they describe. */
#include "daemon/compare/manifests.h"

#include "config/manifest_files.h"
#include "daemon/compare/input.h"
#include "daemon/compare/klog.h"

#include <errno.h>

static void say_warnings(struct manifest_set *set)
{
	for (size_t i = 0; i < set->warnings.list.n; i++)
		klog_warning("%s", set->warnings.list.p[i]);
	problems_done(&set->warnings);
}

/* Fail for the mistakes of a set, when they concern the whole run. */
static int mistaken(struct manifest_set *set, char **mistakes, struct err *err)
{
	say_warnings(set);
	if (!problems_any(&set->mistakes))
		return 0;
	*mistakes = problems_text(&set->mistakes);
	return err_set(err, EINVAL, "mistakes in manifests");
}

/* Leave out one group because of its mistakes, which become problems of the input. */
static int leave_out(struct compare_group *g, struct compare_input *in, struct err *err)
{
	say_warnings(&g->set);
	if (!problems_any(&g->set.mistakes))
		return 0;
	g->left_out = true;
	for (size_t i = 0; i < g->set.mistakes.list.n; i++)
		problems_add(&in->problems, "%s", g->set.mistakes.list.p[i]);
	return compare_input_mark(in, g->name, err);
}

static int read_additions(const char *text, enum manifest_additions *ret, struct err *err)
{
	*ret = MANIFEST_DRIFT;
	if (!text || !*text || manifest_additions_parse(str_from(text), ret))
		return 0;
	return err_set(err, EINVAL, "--additions is 'drift' or 'ignore', and not '%.100s'", text);
}

static int read_stdin(struct manifest_set *to, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(to->limits->file_bytes);
	int r = compare_stdin_read(&text, err);

	return r < 0 ? r : manifest_set_add(to, STR("STDIN"), buf_str(&text), err);
}

/* The patterns as texts in @a. p: NULL without memory. */
static struct text_list patterns(const struct string_list *list, struct arena *a)
{
	str *p = arena_array(a, list->v.n, sizeof(*p));

	for (size_t i = 0; p && i < list->v.n; i++)
		p[i] = str_from(list->v.p[i]);
	return (struct text_list){ p, list->v.n };
}

static int read_files(const struct compare_options *o, struct manifest_set *to, struct err *err)
{
	struct manifest_files files = {
		.path = o->manifests,
		.include = patterns(&o->include, &to->arena),
		.exclude = patterns(&o->exclude, &to->arena),
	};
	struct manifest_files_read got;

	if (!files.include.p || !files.exclude.p)
		return err_nomem(err);
	return manifest_files_read(&files, to, &got, err);
}

int compare_manifests_init(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
			   const char *part, struct compare_manifests *ret, struct err *err)
{
	*ret = (struct compare_manifests){
		.limits = limits, .keys = keys, .part = part, .unmasked = o->mask == SWITCH_OFF
	};
	return read_additions(o->additions, &ret->additions, err);
}

struct compare_group *compare_manifests_add(struct compare_manifests *m, str name, str namespace)
{
	struct compare_group *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	manifest_set_init(&g->set, m->limits, m->keys);
	g->name = name;
	g->namespace = namespace;
	if (vec_push(&m->groups, g))
		return g;
	manifest_set_done(&g->set);
	free(g);
	return NULL;
}

void compare_manifests_done(struct compare_manifests *m)
{
	for (size_t i = 0; i < m->groups.n; i++) {
		manifest_set_done(&m->groups.p[i]->set);
		free(m->groups.p[i]);
	}
	vec_done(&m->groups);
}

int compare_manifests_load(const struct compare_options *o, struct compare_manifests *m, char **mistakes,
			   struct err *err)
{
	str namespace = o->namespace && *o->namespace ? str_from(o->namespace) : STR("default");
	struct compare_group *g = compare_manifests_add(m, STR(""), namespace);
	int r;

	*mistakes = NULL;
	if (!g)
		return err_nomem(err);
	r = strcmp(o->manifests, "-") == 0 ? read_stdin(&g->set, err) : read_files(o, &g->set, err);
	if (r == 0)
		r = mistaken(&g->set, mistakes, err);
	if (r == 0 && !g->set.list.n)
		r = err_set(err, ENOENT, "'%.200s' has no manifest of an object: nothing was compared", o->manifests);
	return r;
}

/* Tell each group about the definitions of all groups: a kind may be defined in another one than its objects. */
static int define(struct compare_manifests *m, struct compare_input *in, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < m->groups.n; i++) {
		const struct manifest_set *set = &m->groups.p[i]->set;

		for (size_t k = 0; k < set->list.n && r == 0; k++)
			r = crd_table_add(&in->schemas, set->list.p[k].object, err);
	}
	return r;
}

int compare_manifests_finish(struct compare_manifests *m, struct compare_input *in, char **mistakes, struct err *err)
{
	int r = define(m, in, err);

	*mistakes = NULL;
	for (size_t i = 0; i < m->groups.n && r == 0; i++) {
		struct compare_group *g = m->groups.p[i];

		r = manifest_set_finish(&g->set, &in->schemas, g->namespace, err);
		if (r == 0)
			r = m->apart ? leave_out(g, in, err) : mistaken(&g->set, mistakes, err);
	}
	return r;
}
