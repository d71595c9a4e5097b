/* Reads the inspection rules of a replay. */
#include "daemon/recording/replay_inspection.h"

#include "daemon/watch/inspect/inspecting.h"

struct replay_inspection {
	struct inspection_context context;
	struct watch_inspector_maker maker;
};

int replay_inspection_new(const struct cfg *cfg, const char *more, const struct limits *limits,
			  struct replay_inspection **ret, struct problems *problems, struct err *err)
{
	CLEANUP(replay_inspection_freep) struct replay_inspection *x = calloc(1, sizeof(*x));
	int r = x ? inspecting_by_files(cfg, &more, more != NULL, limits, &x->context, problems, err) : err_nomem(err);

	if (r < 0)
		return r;
	x->maker = inspecting_by(&x->context);
	*ret = TAKE(x);
	return 0;
}

const struct watch_inspector_maker *replay_inspection_open(struct replay_inspection *x, struct sink *sink)
{
	x->context.sink = sink;
	return &x->maker;
}

void replay_inspection_free(struct replay_inspection *x)
{
	if (!x)
		return;
	inspection_rules_free(x->context.rules);
	free(x);
}
