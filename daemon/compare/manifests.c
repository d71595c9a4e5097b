/* Reading manifests for one run, and finding out which objects they are. */
#include "daemon/compare/manifests.h"

#include "config/manifest_files.h"
#include "daemon/compare/input.h"
#include "daemon/compare/klog.h"

#include <errno.h>

static int mistaken(struct compare_manifests *m, char **mistakes, struct err *err)
{
	for (size_t i = 0; i < m->set.warnings.list.n; i++)
		klog_warning("%s", m->set.warnings.list.p[i]);
	problems_done(&m->set.warnings);
	if (!problems_any(&m->set.mistakes))
		return 0;
	*mistakes = problems_text(&m->set.mistakes);
	return err_set(err, EINVAL, "mistakes in manifests");
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

/* In @a. p: NULL without memory. */
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

int compare_manifests_load(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
			   struct compare_manifests *ret, char **mistakes, struct err *err)
{
	int r;

	*mistakes = NULL;
	*ret = (struct compare_manifests){
		.limits = limits,
		.namespace = o->namespace && *o->namespace ? str_from(o->namespace) : STR("default"),
		.unmasked = o->mask == SWITCH_OFF,
	};
	manifest_set_init(&ret->set, limits, keys);
	r = read_additions(o->additions, &ret->additions, err);
	if (r == 0)
		r = strcmp(o->manifests, "-") == 0 ? read_stdin(&ret->set, err) : read_files(o, &ret->set, err);
	if (r == 0)
		r = mistaken(ret, mistakes, err);
	if (r == 0 && !ret->set.list.n)
		r = err_set(err, ENOENT, "'%.200s' has no manifest of an object: nothing was compared", o->manifests);
	return r;
}

void compare_manifests_done(struct compare_manifests *m)
{
	if (m->limits)
		manifest_set_done(&m->set);
}

int compare_manifests_settle(struct compare_manifests *m, struct compare_input *in, char **mistakes, struct err *err)
{
	int r = manifest_set_settle(&m->set, &in->schemas, m->namespace, err);

	*mistakes = NULL;
	return r < 0 ? r : mistaken(m, mistakes, err);
}
