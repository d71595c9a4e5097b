/* Remembers, per cluster name, when a cluster was watched and what was inspected. */
#include "daemon/app/remembered.h"

#include "daemon/app/app_internal.h"
#include "daemon/findings/clock.h"

#define KEEP_SEEN_NS (60 * UINT64_C(1000000000))
#define INSPECTED_BYTES_MAX ((size_t)256 << 20)

struct memory {
	char *name;
	int64_t seen_usec; /* Unix time; 0: never */
	/* Unix time since which nobody watches the cluster, as an earlier process stored it; 0: it is watched again,
	 * or new */
	int64_t away_usec;
	struct buf inspected; /* see daemon/inspection/inspected.h; without a limit nothing is known */
};

struct remembered {
	VEC(struct memory) list;
	uint64_t kept_ns; /* uv_hrtime */
};

struct remembered *remembered_new(void)
{
	return calloc(1, sizeof(struct remembered));
}

void remembered_free(struct remembered *m)
{
	for (size_t i = 0; m && i < m->list.n; i++) {
		free(m->list.p[i].name);
		buf_done(&m->list.p[i].inspected);
	}
	if (m)
		vec_done(&m->list);
	free(m);
}

/* The memory of a cluster, made if it is new; NULL without memory. */
static struct memory *memory_of(const struct app *app, str cluster)
{
	struct remembered *m = app->remembered;
	struct memory fresh = { 0 };

	for (size_t i = 0; i < m->list.n; i++) {
		if (str_eq(str_from(m->list.p[i].name), cluster))
			return &m->list.p[i];
	}
	fresh.name = str_dup(cluster);
	if (!fresh.name || !vec_push(&m->list, fresh)) {
		free(fresh.name);
		return NULL;
	}
	return &m->list.p[m->list.n - 1];
}

void remembered_rename(struct app *app, str was, str is)
{
	struct memory *x = memory_of(app, was), *taken;
	char *name;

	taken = x ? memory_of(app, is) : NULL; /* memory_of may move the list */
	x = taken ? memory_of(app, was) : NULL;
	if (!x || taken->seen_usec || taken->inspected.max)
		return;
	name = x->name;
	x->name = taken->name;
	taken->name = name;
}

/* ---- when it was watched ---- */

int remembered_restore_seen(void *ctx, str cluster, int64_t usec, struct err *err)
{
	struct memory *x = memory_of(ctx, cluster);

	if (!x)
		return err_nomem(err);
	x->seen_usec = x->away_usec = usec;
	return 0;
}

int64_t remembered_seen_usec(void *ctx, str cluster)
{
	const struct memory *x = memory_of(ctx, cluster);

	return x ? x->seen_usec : 0;
}

void remembered_note_seen(struct app *app)
{
	awake_look(&app->awake);
	for (size_t i = 0; i < app->clusters.n; i++) {
		const struct cluster *c = app->clusters.p[i];
		struct memory *x = cluster_seen(c) ? memory_of(app, cluster_name(c)) : NULL;

		if (x)
			x->seen_usec = clock_usec();
	}
}

/* Store the time in which a cluster was not watched, from the end of an earlier process until now. When the clock
 * was set back that time is unknown. */
static void note_unwatched(struct app *app)
{
	for (size_t i = 0; i < app->clusters.n; i++) {
		const struct cluster *c = app->clusters.p[i];
		struct memory *x = *cluster_waits_for(c) ? NULL : memory_of(app, cluster_name(c));
		struct time_span span = { x ? x->away_usec : 0, clock_usec() };

		if (!x || !x->away_usec)
			continue;
		x->away_usec = 0;
		if (span.not_before_usec < span.not_after_usec)
			writer_unwatched(app->writer, cluster_name(c), &span);
	}
}

void remembered_keep_seen(struct app *app)
{
	struct remembered *m = app->remembered;

	remembered_note_seen(app);
	m->kept_ns = uv_hrtime();
	for (size_t i = 0; i < m->list.n; i++) {
		if (m->list.p[i].seen_usec)
			writer_seen(app->writer, str_from(m->list.p[i].name), m->list.p[i].seen_usec);
	}
}

bool remembered_tick(struct app *app)
{
	bool due = uv_hrtime() - app->remembered->kept_ns >= KEEP_SEEN_NS;

	remembered_note_seen(app);
	note_unwatched(app);
	if (due)
		remembered_keep_seen(app);
	return due;
}

/* ---- what was inspected of it ---- */

static void forget_inspected(struct memory *x)
{
	buf_done(&x->inspected);
	x->inspected = (struct buf){ 0 };
}

/* Take over @versions as what was inspected of the cluster. Without memory effects of inspections may repeat. */
static int put_inspected(struct app *app, str cluster, struct buf *versions, struct err *err)
{
	struct memory *x = memory_of(app, cluster);

	if (!x || versions->error) {
		buf_done(versions);
		return err_nomem(err);
	}
	forget_inspected(x);
	x->inspected = *versions;
	return 0;
}

int remembered_restore_inspected(void *ctx, str cluster, str versions, struct err *err)
{
	struct buf copy = BUF_INIT(INSPECTED_BYTES_MAX);

	buf_add_str(&copy, versions);
	return put_inspected(ctx, cluster, &copy, err);
}

void remembered_note_inspected(struct app *app, const struct cluster *c)
{
	struct buf versions = BUF_INIT(INSPECTED_BYTES_MAX);
	struct err err;

	cluster_list_inspected(c, &versions);
	(void)!put_inspected(app, cluster_name(c), &versions, &err);
}

struct inspected *remembered_take_inspected(void *ctx, str cluster)
{
	struct memory *x = memory_of(ctx, cluster);
	const struct app *app = ctx;
	struct inspected *s;

	if (!x || !x->inspected.max)
		return NULL;
	s = app->inspecting->earlier(buf_str(&x->inspected));
	forget_inspected(x);
	return s;
}

void remembered_keep_inspected(struct app *app)
{
	for (size_t i = 0; i < app->remembered->list.n; i++) {
		const struct memory *x = &app->remembered->list.p[i];

		/* otherwise nobody will watch the cluster */
		if (x->inspected.max && cfg_find_cluster(app->cfg, str_from(x->name)))
			writer_keep_inspected(app->writer, str_from(x->name), buf_str(&x->inspected));
	}
}
