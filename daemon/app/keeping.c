/* Starts and ends the store, and reports gaps for what the store's thread cannot do. */
#include "daemon/app/keeping.h"

#include "daemon/app/accepting.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/leadership.h"
#include "daemon/app/notify.h"
#include "daemon/app/remembered.h"
#include "daemon/app/renaming.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_record.h"
#include "daemon/findings/notice.h"
#include "daemon/findings/output.h"
#include "daemon/store/database/state_key.h"
#include "daemon/store/journal/journal_lookup.h"
#include "daemon/store/journal/reconcile.h"
#include "daemon/watch/process/crash_marker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#define STOP_MS 8000 /* eight of the ten seconds that the unit allows */
#define FULL_GRACE_NS (3 * UINT64_C(1000000000))
#define DAY_USEC (86400 * INT64_C(1000000))
#define MEGABYTE INT64_C(1000000)

/* Something that the writer cannot do. */
struct store_gap {
	uint64_t since_ns; /* uv_hrtime; 0: there is no such gap */
	bool notice;
};

struct kept_state {
	struct err notice; /* the first problem with the stored state; code 0: none */
	struct store_gap steps[STORE_STEPS], not_judged;
	unsigned char key[FINDINGS_KEY_SIZE]; /* the key of the findings */
	struct writer_key *next_key;          /* the next key, while it is being stored; else NULL */
	bool key_lost;                        /* the key of the stored findings is lost */
	/* the number of times that the database was made anew, after which everything was stored again */
	uint64_t renewals;
};

/* Note a problem with the stored state. The first one counts. */
static void report(struct kept_state *k, const struct err *err)
{
	if (!k->notice.code)
		k->notice = *err;
}

static enum cfg_output output_of(const struct app *app)
{
	return app->options.has_output ? app->options.output : app->cfg->output;
}

/* Open the database. With a folder that cannot be used driftd goes on, but remembers nothing; a folder of another
 * driftd, or of a newer one, is an error. */
static int open_database(struct app *app, struct database **ret, struct err *notice, struct err *err)
{
	CLEANUP(freep) char *dir = str_dup(app->cfg->state_dir);
	int r = dir ? database_open(dir, ret, notice, err) : err_nomem(err);

	if (r == 0 || r == -EBUSY || r == -EPROTO || r == -ENOMEM)
		return r;
	*notice = *err;
	(void)!err_wrap(notice, "nothing is kept over a restart");
	return database_open_fallback(dir, notice, ret, err);
}

/* Whether @mark is that of a key that the folder has, or had. */
static bool is_known_mark(const char *dir, int64_t mark)
{
	struct state_keys keys;
	struct err ignored;

	if (state_keys_read(dir, &keys, &ignored) < 0) /* which is reported when they are added */
		return false;
	for (size_t i = 0; i < keys.n; i++) {
		if (state_key_mark(keys.of[i]) == mark)
			return true;
	}
	return false;
}

/* Compare the mark of the key. When the key of the stored findings is lost, nobody knows which of them changed
 * meanwhile. */
static void look_at_mark(struct app *app, struct database *database, const char *dir,
			 const unsigned char key[FINDINGS_KEY_SIZE])
{
	uint32_t mark = state_key_mark(key);
	int64_t kept = database_key_mark(database);
	struct err err;

	if (kept == mark)
		return;
	if (kept > 0 && !is_known_mark(dir, kept)) {
		app->keeping->key_lost = true;
		(void)!err_set(
			&err, ENOKEY,
			"hash.key in state_dir is lost or replaced: open findings stay open, and are reported as "
			"changed only where other fields or another severity show it");
		report(app->keeping, &err);
	}
	if (database_put_key_mark(database, mark, &err) < 0)
		report(app->keeping, &err);
}

/* Whether all hosts, or all shards of this one, have a key, as far as is known by now. It is then in @key. */
static bool shared_key(const struct app *app, unsigned char key[FINDINGS_KEY_SIZE])
{
	return app->leadership ? leadership_key(app, key)
			       : state_key_of_first(app->cfg->state_dir, app->options.shard, key);
}

/* Find the key, and store it. False: it does not last. */
static bool find_key(struct app *app, struct database *database, const char *dir, unsigned char key[FINDINGS_KEY_SIZE])
{
	bool shared = shared_key(app, key);
	struct err err;
	int r = -ENOENT;

	if (dir && dir[0])
		r = shared && database_folder(database) >= 0 ? state_key_keep(database_folder(database), key, &err)
							     : state_key_load(dir, key, &err);
	if (r < 0 && dir && dir[0])
		report(app->keeping, &err);
	if (r < 0 && !shared)
		state_key_random(key);
	return r >= 0;
}

static void use_key(struct app *app)
{
	findings_set_key(app->findings, app->keeping->key);
	if (app->leadership)
		leadership_use_key(app, app->keeping->key);
}

/* Set the key of the findings. Without a lasting key, open findings are reported as changed after a restart, and a
 * notice says so. */
static void set_key(struct app *app, struct database *database)
{
	CLEANUP(freep) char *dir = str_dup(app->cfg->state_dir);
	unsigned char *key = app->keeping->key;
	struct err err;

	if (find_key(app, database, dir, key)) {
		look_at_mark(app, database, dir, key);
		writer_set_key(app->writer, key);
	} else {
		int64_t mark = database_key_mark(database);

		app->keeping->key_lost = mark > 0 && mark != state_key_mark(key);
		if (database_put_key_mark(database, state_key_mark(key), &err) < 0)
			report(app->keeping, &err);
	}
	use_key(app);
}

/* Use the key that was stored, without reporting again what was reported under the former key. A key that could not
 * be stored is used nevertheless: after a restart this host has the former key again, and the other hosts or shards
 * still have the new one. */
static void use_next_key(struct app *app)
{
	struct kept_state *k = app->keeping;
	struct err err;

	if (findings_add_old_key(app->findings, k->key, &err) < 0) /* the next tick tries again */
		return;
	if (k->next_key->err.code)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_WARNING, "%s", k->next_key->err.msg);
	memcpy(k->key, k->next_key->key, sizeof(k->key));
	free(TAKE(k->next_key));
	use_key(app);
}

/* Hosts or shards may have agreed on another key since this process began. */
static void follow_shared_key(struct app *app)
{
	struct kept_state *k = app->keeping;
	unsigned char key[FINDINGS_KEY_SIZE];

	if (k->next_key && atomic_load(&k->next_key->over))
		use_next_key(app);
	if (k->next_key || !shared_key(app, key) || memcmp(k->key, key, sizeof(key)) == 0)
		return;
	k->next_key = calloc(1, sizeof(*k->next_key));
	if (!k->next_key)
		return;
	memcpy(k->next_key->key, key, sizeof(key));
	writer_change_key(app->writer, k->next_key);
}

/* Add the old keys of the state directory: findings that were imported may have ids made with them. */
static int add_old_keys(struct app *app, struct err *err)
{
	CLEANUP(freep) char *dir = str_dup(app->cfg->state_dir);
	struct state_keys keys;
	struct err notice;
	int r = 0;

	if (!dir)
		return err_nomem(err);
	if (!dir[0])
		return 0;
	if (state_keys_read(dir, &keys, &notice) < 0) {
		report(app->keeping, &notice);
		return 0;
	}
	for (size_t i = 1; r == 0 && i < keys.n; i++)
		r = findings_add_old_key(app->findings, keys.of[i], err);
	return r;
}

static int restore(void *ctx, const struct finding *x, struct err *err)
{
	struct app *app = ctx;

	return findings_restore(app->findings, x, err);
}

/* Report that @n rows were malformed. An earlier problem of the same database is part of the report. */
static void say_malformed(struct kept_state *k, size_t n, const char *what)
{
	struct err err;

	if (n == 0)
		return;
	(void)!err_set(&err, EBADMSG, "the state database was damaged");
	report(k, &err);
	(void)!err_wrap(&k->notice, "%zu %s malformed and left out", n, what);
}

/* Restore everything from the database. Each restore function knows itself whether a row is malformed. */
static int restore_all(struct app *app, struct database *d, struct err *err)
{
	size_t acceptances = 0, rules = 0, findings = 0;
	int r = database_acceptances(d, accepting_restore, app, &acceptances, err);

	if (r == 0 && app->inspecting)
		r = app->inspecting->open(app, err);
	if (r == 0 && app->inspecting)
		r = database_rules(d, app->inspecting->restore, app, &rules, err);
	if (r == 0)
		r = database_findings(d, restore, app, &findings, err);
	say_malformed(app->keeping, acceptances, "accepted deviations are");
	say_malformed(app->keeping, rules, "inspection rules are");
	say_malformed(app->keeping, findings, "findings are");
	return r;
}

/* How the last process ended, as the unit has the service manager write it. Its folder may differ from that of the
 * state. */
static enum ended how_it_ended(const struct app *app)
{
	const char *dir = getenv("STATE_DIRECTORY");
	str in = dir && *dir ? (str){ dir, strcspn(dir, ":") } : app->cfg->state_dir;
	CLEANUP(freep) char *path = NULL;

	if (asprintf(&path, "%.*s/ended", STR_ARG(in)) < 0)
		path = NULL;
	return path ? ended_take(path) : ENDED_UNKNOWN;
}

/* Open the marker of a crash. The file is beside the database, whose lock keeps other processes out. Without the
 * file driftd runs nevertheless, and the failure is reported. */
static void open_crash_marker(struct app *app)
{
	CLEANUP(freep) char *path = NULL;
	struct err err;

	if (app->cfg->state_dir.n == 0 || app->keeping->notice.code)
		return;
	if (asprintf(&path, "%.*s/in-hand", STR_ARG(app->cfg->state_dir)) < 0)
		path = NULL;
	else if (crash_marker_open(path, how_it_ended(app), &app->crash_marker, &err) < 0)
		report(app->keeping, &err);
	crash_marker_watch(app->crash_marker);
}

/* Take the inspected versions out of the database. On a full disk they cannot be removed: then driftd goes on
 * without them, and effects of inspections may repeat. */
static int take_inspected(struct app *app, struct database *database, struct err *err)
{
	int r = database_take_inspected(database, remembered_restore_inspected, app, err);

	if (r == 0 || r == -ENOMEM)
		return r;
	report(app->keeping, err);
	return 0;
}

static void say_reconciled(struct kept_state *k, const struct reconciled *n)
{
	struct err err;

	if (!n->learned && !n->ended)
		return;
	(void)!err_set(&err, ENODATA, "the state database had lost something");
	report(k, &err);
	(void)!err_wrap(&k->notice, "%zu findings are as the journal has them, and %zu are over", n->learned, n->ended);
}

/* Whether driftd has to end while it reads the journal. Signals are blocked until the loop runs. */
static bool is_ended(void *ctx)
{
	sigset_t pending;

	(void)ctx;
	notify_waiting("waits for the journal, which does not answer");
	(void)sigpending(&pending); /* fails for a bad address only */
	return sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT);
}

/* Compare the stored records with the journal, when the machine has booted since (perhaps after a power failure) or
 * the database may lack records. With leader election other hosts know the records instead. */
static int reconcile_with_journal(struct app *app, struct writer_options *w, bool rebooted, struct err *err)
{
	struct reconcile_options o = {
		.shard = app->options.shard,
		.output = output_of(app),
		.is_watched = clusters_is_configured,
		.is_ended = is_ended,
		.ctx = app->cfg,
		.all = w->doubtful || w->was_damaged,
	};
	struct reconciled n;
	int r;

	if (app->leadership || !output_form_is_the_journal(output_of(app)) || !(o.all || rebooted))
		return 0;
	r = reconcile(w->database, &o, &n, err);
	if (r == 0)
		say_reconciled(app->keeping, &n);
	if (r == 0 || r == -ENOMEM)
		return r;
	report(app->keeping, err);
	(void)!err_wrap(&app->keeping->notice, "what the journal has is not compared with what is kept");
	return 0;
}

static int look_at_boot(struct app *app, struct writer_options *o, struct err *err)
{
	char last[DATABASE_BOOT_SIZE], now[BOOT_ID_SIZE];
	int r = database_boot(o->database, last, err), damaged;

	if (r < 0)
		return r;
	damaged = database_was_damaged(o->database, err);
	if (damaged < 0)
		return damaged;
	journal_boot_id(now);
	/* A database without records and without a boot ID is new. */
	o->rebooted = strcmp(last, now) != 0;
	o->was_damaged = damaged;
	o->doubtful = database_is_doubtful(o->database);
	return reconcile_with_journal(app, o, o->rebooted && (*last || database_last_usec(o->database)), err);
}

int keeping_open(struct app *app, struct err *err)
{
	struct writer_options o = {
		.output = output_of(app),
		.shard = app->options.shard,
		.history_usec = app->cfg->history_days * DAY_USEC,
		.history_bytes = app->cfg->history_megabytes * MEGABYTE,
	};
	CLEANUP(database_closep) struct database *database = NULL;
	struct sink_taker taker = { .take = writer_take };
	int r = output_check(o.output, err);

	app->keeping = calloc(1, sizeof(*app->keeping));
	if (!app->keeping)
		return err_nomem(err);
	if (r == 0)
		r = leadership_open(app, err);
	if (r == 0)
		r = open_database(app, &database, &app->keeping->notice, err);
	o.database = database;
	if (r == 0)
		r = look_at_boot(app, &o, err);
	if (r == 0 && app->leadership)
		o.agreement = leadership_agreement(app);
	if (r == 0)
		r = writer_new(&o, &app->writer, err);
	if (r < 0)
		return r;
	database = NULL; /* the writer owns it now */
	open_crash_marker(app);
	taker.ctx = app->writer;
	if (app->leadership)
		taker = (struct sink_taker){ leadership_take_emission, app };
	app->sink = sink_new(&taker);
	r = app->sink ? findings_new(app->sink, &app->findings, err) : err_nomem(err);
	if (r == 0)
		set_key(app, o.database);
	if (r == 0)
		r = add_old_keys(app, err);
	if (r == 0)
		r = accepting_open(app, err);
	if (r == 0)
		r = restore_all(app, o.database, err);
	if (r == 0 && app->keeping->key_lost)
		findings_forget_states(app->findings);
	if (r == 0)
		findings_drop_foreign(app->findings, app->options.shard);
	if (r == 0)
		r = database_seen(o.database, remembered_restore_seen, app, err);
	if (r == 0)
		r = take_inspected(app, o.database, err);
	return r < 0 ? r : writer_start(app->writer, err);
}

void keeping_configure(struct app *app)
{
	struct err err;

	if (output_check(output_of(app), &err) < 0)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR, "%s; the output stays as it was", err.msg);
	else
		writer_set_output(app->writer, output_of(app));
}

void keeping_announce(const struct app *app)
{
	if (app->keeping->notice.code)
		record_lifecycle(app->sink, MESSAGE_STATE_UNREADABLE, MESSAGE_STATE_LOST_SEVERITY, "%s",
				 app->keeping->notice.msg);
}

bool keeping_close(struct app *app)
{
	bool ended = !app->writer || writer_stop(app->writer, STOP_MS);

	if (ended && app->writer)
		renaming_keep(app);
	app->writer = NULL;
	if (ended) {
		store_client_free(TAKE(app->store_client));
		leadership_close(app);
	}
	history_free(TAKE(app->history));
	if (app->keeping && ended)
		free(app->keeping->next_key);
	free(TAKE(app->keeping));
	crash_marker_close(TAKE(app->crash_marker));
	return ended;
}

/* ---- what the thread cannot do ---- */

/* Report a gap in each cluster: what happens there is not reported, or not stored. @why NULL: the gap is over. */
static void report_gap(struct app *app, struct store_gap *gap, const struct err *why, str resource)
{
	for (size_t i = 0; i < app->cfg->n_clusters; i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct finding_report r = {
			.kind = FINDING_GAP,
			.severity = SEVERITY_ERROR,
			.subject = { .cluster = app->cfg->clusters[i].name, .kind = STR("(driftd)"), .name = resource },
		};
		char space[SHARD_TEXT_SIZE];
		struct err err;

		r.subject.resource = STR("driftd");
		r.subject.shard = str_from(shard_text(app->options.shard, space));
		if (!why) {
			findings_clear(app->findings, FINDING_GAP, &r.subject, END_REPAIRED);
			continue;
		}
		finding_report_say(&r, &a, finding_cluster_place(&a, r.subject.cluster, space),
				   arena_printf(&a, "%.*s: %s", STR_ARG(resource), why->msg));
		r.state = arena_printf(&a, "%d", why->code);
		(void)!findings_report(app->findings, &r, &err); /* when it fails, the next tick tries again */
	}
	gap->notice = why != NULL;
}

static void tick_gap(struct app *app, struct store_gap *gap, const struct err *why, uint64_t grace_ns, str resource)
{
	uint64_t now = uv_hrtime();

	if (!why->code) {
		if (gap->notice)
			report_gap(app, gap, NULL, resource);
		gap->since_ns = 0;
		return;
	}
	if (!gap->since_ns)
		gap->since_ns = now;
	if (now - gap->since_ns >= grace_ns)
		report_gap(app, gap, why, resource);
}

/* Store everything again after the database was made anew, because it contains only what could be read of the old
 * one. */
static void keep_anew(struct app *app, const struct writer_status *s)
{
	if (s->renewals == app->keeping->renewals)
		return;
	app->keeping->renewals = s->renewals;
	findings_keep_all(app->findings);
	remembered_keep_seen(app);
}

/* Why the step is stuck, and since when, because the gap itself begins later. Code 0: it is not stuck. */
static struct err why_stuck(const struct writer_status *s, int step)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct err why;

	step_why_stuck(&s->steps[step], (enum store_step)step, clock_ns(), &why);
	if (why.code)
		(void)!err_wrap(&why, "since %.*s", STR_ARG(time_text(&a, clock_usec_of(s->steps[step].since_ns))));
	return why;
}

static void tick_steps(struct app *app, const struct writer_status *s)
{
	for (int i = 0; i < STORE_STEPS; i++) {
		struct err why = why_stuck(s, i);

		tick_gap(app, &app->keeping->steps[i], &why, 0, str_from(step_gap((enum store_step)i)));
	}
}

void keeping_stuck_steps(const struct app *app, struct buf *out)
{
	struct writer_status s;

	writer_status(app->writer, &s);
	for (int i = 0; i < STORE_STEPS; i++) {
		struct err why = why_stuck(&s, i);

		if (why.code)
			buf_printf(out, "stuck: %s, %s\n", step_name((enum store_step)i), why.msg);
	}
}

void keeping_tick(struct app *app, bool paused)
{
	struct writer_status s;
	struct err full = { 0 };

	store_client_tick(app->store_client);
	follow_shared_key(app);
	writer_status(app->writer, &s);
	tick_steps(app, &s);
	keep_anew(app, &s);
	if (paused)
		(void)err_set(&full, EBUSY, "%zu records wait to be written", s.waiting);
	tick_gap(app, &app->keeping->not_judged, &full, FULL_GRACE_NS, STR("judging pauses"));
}
