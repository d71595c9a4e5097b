/* Puts the inspector of a cluster behind the table of functions of struct watch_inspector. */
#include "daemon/watch/inspect/inspecting.h"

#include "daemon/inspection/inspected.h"
#include "daemon/watch/inspect/inspection.h"
#include "rules/inspection/insp_builtin.h"

static bool has_rule(const struct watch_inspector *base, str uuid)
{
	return inspection_rules_has(((const struct inspector *)base)->context->rules, uuid);
}

/* ---- what an earlier process inspected ---- */

static struct inspected *earlier(const struct watch_inspector *base)
{
	return ((const struct inspector *)base)->of.earlier;
}

static bool goes_on(const struct watch_inspector *base)
{
	return earlier(base) != NULL;
}

static bool was_inspected(const struct watch_inspector *base, const struct object *o)
{
	return goes_on(base) && inspected_has(earlier(base), object_uid(o), object_version(o));
}

static void all_seen(struct watch_inspector *base)
{
	inspected_free(TAKE(((struct inspector *)base)->of.earlier));
}

static void write_earlier(const struct watch_inspector *base, struct buf *out)
{
	if (goes_on(base))
		inspected_write(earlier(base), out);
}

static void write_object(const struct object *o, struct buf *out)
{
	inspected_add(object_uid(o), object_version(o), out);
}

/* ---- the table ---- */

static int make(void *ctx, const struct watch_inspector_options *o, struct watch_inspector **ret, struct err *err)
{
	static const struct watch_inspector_ops ops = {
		.free = inspector_free,
		.has_rules = inspector_has_rules,
		.active = inspector_active,
		.has_rule = has_rule,
		.reads_dependents = inspector_reads_dependents,
		.read_set = inspector_reads,
		.tick = inspector_tick,
		.leaves = inspector_leaves,
		.comes = inspector_comes,
		.keep = inspector_keep,
		.forget = inspector_forget,
		.begin = inspection_begin,
		.goes_on = goes_on,
		.was_inspected = was_inspected,
		.count_known = inspector_count_known,
		.all_seen = all_seen,
		.write_earlier = write_earlier,
		.write = write_object,
	};
	struct inspection_context *context = ctx;
	struct inspector *i = malloc(sizeof(*i));

	if (!i) {
		inspected_free(o->earlier);
		return err_nomem(err);
	}
	*i = (struct inspector){ .base.ops = &ops,
				 .of = *o,
				 .context = context,
				 .generation = inspection_rules_generation(context->rules) };
	*ret = &i->base;
	return 0;
}

struct watch_inspector_maker inspecting_by(struct inspection_context *context)
{
	return (struct watch_inspector_maker){ make, context };
}

/* ---- rules of files ---- */

int inspecting_by_files(const struct cfg *cfg, const char *const *files, size_t n, const struct limits *limits,
			struct inspection_context *context, struct problems *problems, struct err *err)
{
	struct insp_builtins rules;
	int r = cfg_load_builtins(cfg, limits, &rules, problems, err);

	*context = (struct inspection_context){ 0 };
	if (r < 0)
		return r;
	for (size_t i = 0; i < n && r == 0; i++)
		r = cfg_add_builtins(files[i], "--inspection-rules", limits, &rules, problems, err);
	if (r == 0)
		return inspection_rules_new(&rules, &context->rules, err);
	insp_builtins_done(&rules);
	return r;
}
