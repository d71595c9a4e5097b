/* Counts open findings, bucket by bucket of time. */
#include "daemon/history/timeline.h"

#include "daemon/history/timeline_map.h"

#include <errno.h>
#include <stdlib.h>

#define NAME_MAX_BYTES 256 /* bytes of a cluster's name */

/* The counts of a cluster while rows are added. They are true for "now", the time of the last row. */
struct counting {
	size_t now[TIMELINE_SEVERITIES];
	size_t bucket[TIMELINE_SEVERITIES]; /* the bucket up to which most[] is filled */
	/* findings of which only a later row said that they were open in all buckets up to this one */
	int32_t *before[TIMELINE_SEVERITIES];
};

struct timeline_map {
	struct finding_map known;
	struct counting counting[TIMELINE_CLUSTERS_MAX];
};

/* ---- times ---- */

int64_t timeline_bucket_usec(const struct timeline *t, size_t bucket)
{
	return t->since_usec +
	       (int64_t)((double)(t->until_usec - t->since_usec) * (double)bucket / (double)t->n_buckets);
}

static size_t bucket_of(const struct timeline *t, int64_t usec)
{
	size_t b;

	if (usec <= t->since_usec)
		return 0;
	if (usec >= t->until_usec)
		return t->n_buckets - 1;
	b = (size_t)((double)(usec - t->since_usec) * (double)t->n_buckets / (double)(t->until_usec - t->since_usec));
	return b < t->n_buckets ? b : t->n_buckets - 1;
}

/* ---- life ---- */

int timeline_init(struct timeline *t, int64_t since_usec, int64_t until_usec, size_t n_buckets, struct err *err)
{
	*t = (struct timeline){
		.since_usec = since_usec, .until_usec = until_usec, .n_buckets = n_buckets, .names = ARENA_INIT(0)
	};
	if (since_usec >= until_usec || !n_buckets || n_buckets > TIMELINE_BUCKETS_MAX)
		return err_set(err, EINVAL, "a range of time with 1 to %d parts is expected", TIMELINE_BUCKETS_MAX);
	t->map = calloc(1, sizeof(*t->map));
	t->clusters = calloc(TIMELINE_CLUSTERS_MAX, sizeof(*t->clusters));
	return t->map && t->clusters ? 0 : err_nomem(err);
}

static void free_map(struct timeline *t)
{
	for (size_t i = 0; t->map && i < t->n_clusters; i++) {
		for (int s = 0; s < TIMELINE_SEVERITIES; s++)
			free(t->map->counting[i].before[s]);
	}
	if (t->map)
		finding_map_done(&t->map->known);
	free(t->map);
	t->map = NULL;
}

void timeline_done(struct timeline *t)
{
	free_map(t);
	for (size_t i = 0; i < t->n_clusters; i++) {
		for (int s = 0; s < TIMELINE_SEVERITIES; s++)
			free(t->clusters[i].most[s]);
		free(t->clusters[i].spans);
	}
	free(t->clusters);
	arena_done(&t->names);
	*t = (struct timeline){ 0 };
}

/* The index of the cluster @name, which is added when it is new. Negative: E2BIG, ENOMEM. */
static int cluster_of(struct timeline *t, str name, struct err *err)
{
	struct timeline_cluster *c;

	name = str_sub(name, 0, name.n < NAME_MAX_BYTES ? name.n : NAME_MAX_BYTES);
	for (size_t i = 0; i < t->n_clusters; i++) {
		if (str_eq(t->clusters[i].name, name))
			return (int)i;
	}
	if (t->n_clusters == TIMELINE_CLUSTERS_MAX)
		return err_set(err, E2BIG, "more than %d clusters: ask for one", TIMELINE_CLUSTERS_MAX);
	c = &t->clusters[t->n_clusters];
	c->name = arena_str(&t->names, name);
	if (!c->name.p)
		return err_nomem(err);
	return (int)t->n_clusters++;
}

static bool make_counts(struct timeline *t, size_t cluster, enum severity s)
{
	uint32_t **most = &t->clusters[cluster].most[s];
	int32_t **before = &t->map->counting[cluster].before[s];

	if (!*most)
		*most = calloc(t->n_buckets, sizeof(**most));
	if (!*before)
		*before = calloc(t->n_buckets, sizeof(**before));
	return *most && *before;
}

/* ---- how many are open ---- */

/* Fill all buckets up to @bucket with the present count. */
static void go_on_to(struct timeline *t, size_t cluster, enum severity s, size_t bucket)
{
	struct counting *n = &t->map->counting[cluster];
	uint32_t *most = t->clusters[cluster].most[s];

	while (n->bucket[s] < bucket)
		most[++n->bucket[s]] = (uint32_t)n->now[s];
}

static void one_more(struct timeline *t, size_t cluster, enum severity s, int64_t usec)
{
	struct counting *n = &t->map->counting[cluster];
	uint32_t *most = t->clusters[cluster].most[s];
	size_t b = bucket_of(t, usec);

	go_on_to(t, cluster, s, b);
	n->now[s]++;
	if (most[n->bucket[s]] < n->now[s])
		most[n->bucket[s]] = (uint32_t)n->now[s];
}

static void one_less(struct timeline *t, size_t cluster, enum severity s, int64_t usec)
{
	struct counting *n = &t->map->counting[cluster];

	go_on_to(t, cluster, s, bucket_of(t, usec));
	if (n->now[s])
		n->now[s]--;
}

/* Count a finding that was open since the beginning, but is only met at @usec. It counts in all buckets before that
 * time, and raises the maximum of the present one. */
static void one_all_along(struct timeline *t, size_t cluster, enum severity s, int64_t usec)
{
	struct counting *n = &t->map->counting[cluster];
	size_t b = bucket_of(t, usec);

	go_on_to(t, cluster, s, b);
	if (n->bucket[s])
		n->before[s][n->bucket[s] - 1]++;
	t->clusters[cluster].most[s][n->bucket[s]]++;
	n->now[s]++;
}

/* ---- blindness ---- */

static int compare_spans(const void *a, const void *b)
{
	const struct timeline_span *x = a, *y = b;

	if (x->away != y->away)
		return x->away ? 1 : -1;
	return x->from_usec < y->from_usec ? -1 : x->from_usec > y->from_usec;
}

/* Join the spans that overlap or touch. */
static void unite(struct timeline_cluster *c)
{
	size_t n = 0;

	if (!c->n_spans)
		return;
	qsort(c->spans, c->n_spans, sizeof(*c->spans), compare_spans);
	for (size_t i = 0; i < c->n_spans; i++) {
		struct timeline_span *last = n ? &c->spans[n - 1] : NULL, *x = &c->spans[i];

		if (last && last->away == x->away && x->from_usec <= last->to_usec)
			last->to_usec = x->to_usec > last->to_usec ? x->to_usec : last->to_usec;
		else
			c->spans[n++] = *x;
	}
	c->n_spans = n;
}

static int make_room(struct timeline_cluster *c, struct err *err)
{
	size_t size = c->spans_size ? 2 * c->spans_size : 16;
	struct timeline_span *more;

	if (c->n_spans < c->spans_size)
		return 0;
	unite(c);
	if (c->n_spans < c->spans_size / 2)
		return 0;
	if (size > 2 * TIMELINE_SPANS_MAX)
		return err_set(err, E2BIG, "more than %d gaps: ask for a shorter time", TIMELINE_SPANS_MAX);
	more = realloc(c->spans, size * sizeof(*more));
	if (!more)
		return err_nomem(err);
	c->spans = more;
	c->spans_size = size;
	return 0;
}

static int add_span(struct timeline *t, size_t cluster, int64_t from, int64_t to, bool away, struct err *err)
{
	struct timeline_cluster *c = &t->clusters[cluster];
	int r;

	from = from > t->since_usec ? from : t->since_usec;
	to = to < t->until_usec ? to : t->until_usec;
	if (from >= to)
		return 0;
	r = make_room(c, err);
	if (r == 0)
		c->spans[c->n_spans++] = (struct timeline_span){ from, to, away };
	return r;
}

static int compare_begins(const void *a, const void *b)
{
	const struct timeline_span *x = a, *y = b;

	return x->from_usec < y->from_usec ? -1 : x->from_usec > y->from_usec;
}

static void sum_blindness(struct timeline_cluster *c)
{
	int64_t known = INT64_MIN;

	unite(c);
	if (c->n_spans)
		qsort(c->spans, c->n_spans, sizeof(*c->spans), compare_begins);
	for (size_t i = 0; i < c->n_spans; i++) {
		int64_t from = c->spans[i].from_usec > known ? c->spans[i].from_usec : known;

		if (c->spans[i].to_usec <= from)
			continue;
		c->blind_usec += c->spans[i].to_usec - from;
		known = c->spans[i].to_usec;
	}
}

/* ---- rows ---- */

bool timeline_knows(const struct timeline *t, str finding)
{
	return finding_map_find(&t->map->known, finding);
}

bool timeline_needs_before(const struct timeline *t, const struct timeline_row *row)
{
	return row->event != TRANSITION_BEGIN && !finding_map_find(&t->map->known, row->finding);
}

static struct known_finding *know(struct timeline *t, const struct timeline_row *row, struct err *err)
{
	struct known_finding *x;
	int cluster = cluster_of(t, row->cluster, err);

	if (cluster < 0)
		return NULL;
	if (!make_counts(t, (size_t)cluster, row->severity)) {
		(void)!err_nomem(err);
		return NULL;
	}
	x = finding_map_add(&t->map->known, row->finding, TIMELINE_FINDINGS_MAX, err);
	if (!x)
		return NULL;
	x->cluster = (uint16_t)cluster;
	x->severity = (uint8_t)row->severity;
	x->gap = row->gap;
	x->wanted = row->wanted;
	x->seq = row->seq;
	return x;
}

static void begins(struct timeline *t, struct known_finding *x, int64_t usec)
{
	x->open = true;
	x->from_usec = usec;
	if (x->wanted)
		one_more(t, x->cluster, (enum severity)x->severity, usec);
}

static int ends(struct timeline *t, struct known_finding *x, int64_t usec, struct err *err)
{
	x->open = false;
	if (x->wanted)
		one_less(t, x->cluster, (enum severity)x->severity, usec);
	return x->gap ? add_span(t, x->cluster, x->from_usec, usec, false, err) : 0;
}

static int changes(struct timeline *t, struct known_finding *x, const struct timeline_row *row, struct err *err)
{
	if (x->severity == row->severity)
		return 0;
	if (!make_counts(t, x->cluster, row->severity))
		return err_nomem(err);
	if (x->wanted) {
		one_less(t, x->cluster, (enum severity)x->severity, row->usec);
		one_more(t, x->cluster, row->severity, row->usec);
	}
	x->severity = (uint8_t)row->severity;
	return 0;
}

/* The finding was open since the beginning of the range: the first row about it in the range, @row, is not its
 * begin. */
static int was_open(struct timeline *t, struct known_finding *x, const struct timeline_row *row,
		    const struct timeline_before *before, struct err *err)
{
	enum severity s = before && before->is_there ? before->severity : row->severity;

	/* The clock was set back meanwhile: the finding began at a time that is later than that of @row. */
	if (before && before->is_there && before->usec >= t->since_usec) {
		begins(t, x, row->usec);
		return 0;
	}
	if (!make_counts(t, x->cluster, s))
		return err_nomem(err);
	x->severity = (uint8_t)s;
	x->open = true;
	x->from_usec = t->since_usec;
	if (x->wanted)
		one_all_along(t, x->cluster, s, row->usec);
	return 0;
}

static int follows(struct timeline *t, struct known_finding *x, const struct timeline_row *row, struct err *err)
{
	if (row->event == TRANSITION_END) {
		if (x->wanted)
			t->clusters[x->cluster].ended++;
		return ends(t, x, row->usec, err);
	}
	return changes(t, x, row, err);
}

/* Add a row of a time after the range, which only says that the finding was open during the whole range. */
static int add_behind(struct timeline *t, const struct timeline_row *row, const struct timeline_before *before,
		      struct err *err)
{
	struct known_finding *x;

	if (finding_map_find(&t->map->known, row->finding))
		return 0;
	x = know(t, row, err);
	if (!x)
		return -err->code;
	return row->event == TRANSITION_BEGIN ? 0 : was_open(t, x, row, before, err);
}

/* Add the begin of a finding within the range, perhaps a repeated one. */
static int add_begin(struct timeline *t, struct known_finding *x, const struct timeline_row *row, struct err *err)
{
	if (!x)
		x = know(t, row, err);
	if (!x)
		return -err->code;
	if (x->open)
		return changes(t, x, row, err);
	if (x->wanted)
		t->clusters[x->cluster].began++;
	if (!make_counts(t, x->cluster, row->severity))
		return err_nomem(err);
	x->severity = (uint8_t)row->severity;
	begins(t, x, row->usec);
	/* The clock was set back, and a row of the finding that was written later has been added already: it was
	 * open at this time only. */
	if (row->seq < x->seq)
		return ends(t, x, row->usec, err);
	x->seq = row->seq;
	return 0;
}

int timeline_add(struct timeline *t, const struct timeline_row *row, const struct timeline_before *before,
		 struct err *err)
{
	struct known_finding *x;
	int r = 0;

	if (row->usec >= t->until_usec)
		return add_behind(t, row, before, err);
	x = finding_map_find(&t->map->known, row->finding);
	if (row->event == TRANSITION_BEGIN)
		return add_begin(t, x, row, err);
	if (!x) {
		x = know(t, row, err);
		r = x ? was_open(t, x, row, before, err) : -err->code;
	} else if (row->seq < x->seq || !x->open) { /* the rows so far are newer */
		return 0;
	}
	if (r < 0)
		return r;
	x->seq = row->seq;
	return follows(t, x, row, err);
}

int timeline_add_open(struct timeline *t, const struct timeline_row *row, struct err *err)
{
	struct known_finding *x;

	if (row->usec >= t->until_usec || finding_map_find(&t->map->known, row->finding))
		return 0;
	x = know(t, row, err);
	if (!x)
		return -err->code;
	x->open = true;
	x->from_usec = row->usec > t->since_usec ? row->usec : t->since_usec;
	if (!x->wanted)
		return 0;
	/* The rows so far are of later times: add the finding to the counts that they gave. */
	go_on_to(t, x->cluster, row->severity, t->n_buckets - 1);
	for (size_t b = bucket_of(t, x->from_usec); b < t->n_buckets; b++)
		t->clusters[x->cluster].most[row->severity][b]++;
	t->map->counting[x->cluster].now[row->severity]++;
	return 0;
}

int timeline_add_away(struct timeline *t, str cluster, const struct time_span *span, struct err *err)
{
	int c;

	if (span->not_after_usec <= t->since_usec || span->not_before_usec >= t->until_usec)
		return 0;
	c = cluster_of(t, cluster, err);
	return c < 0 ? c : add_span(t, (size_t)c, span->not_before_usec, span->not_after_usec, true, err);
}

/* ---- the end ---- */

static void end_counts(struct timeline *t, size_t cluster, enum severity s)
{
	struct counting *n = &t->map->counting[cluster];
	struct timeline_cluster *c = &t->clusters[cluster];
	uint32_t more = 0;

	if (!c->most[s] || !n->before[s])
		return;
	go_on_to(t, cluster, s, t->n_buckets - 1);
	for (size_t b = t->n_buckets; b-- > 0;) {
		more += (uint32_t)n->before[s][b];
		c->most[s][b] += more;
	}
	c->open[s] = n->now[s];
}

static int compare_clusters(const void *a, const void *b)
{
	return str_cmp(((const struct timeline_cluster *)a)->name, ((const struct timeline_cluster *)b)->name);
}

int timeline_end(struct timeline *t, struct err *err)
{
	const struct known_finding *x;
	size_t at = 0;
	int r = 0;

	while (r == 0 && (x = finding_map_each(&t->map->known, &at))) {
		if (x->open && x->gap)
			r = add_span(t, x->cluster, x->from_usec, t->until_usec, false, err);
	}
	for (size_t i = 0; i < t->n_clusters; i++) {
		for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++)
			end_counts(t, i, (enum severity)s);
		sum_blindness(&t->clusters[i]);
	}
	free_map(t);
	qsort(t->clusters, t->n_clusters, sizeof(*t->clusters), compare_clusters);
	return r;
}
