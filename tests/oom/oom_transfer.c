/* Moving a state without memory: nothing is left behind, or all of it. */
#include "oom.h"

#include "daemon/findings/finding_json.h"
#include "daemon/store/database/state_key.h"
#include "daemon/transfer/import.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[] = "/tmp/oom-transfer-XXXXXX";
static char from[64], to[64], file[64], other[64];

static void empty(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		(void)unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
}

static void remove_all(void)
{
	empty(from);
	empty(to);
	(void)rmdir(from);
	(void)rmdir(to);
	empty(top);
	(void)rmdir(top);
}

static int put_finding(struct database *d, const struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(1 << 20), bytes = BUF_INIT(1 << 20), key = BUF_INIT(1 << 20);
	struct outbox_new row = { .deferred = true };
	struct record r;
	int64_t seq;
	int status;

	finding_to_json(x, &json);
	finding_key(x->kind, &x->subject, &key);
	record_init(&r, MESSAGE_DRIFT_BEGIN, 4);
	r.text = STR("text");
	record_encode(&r, &bytes);
	row.about = buf_str(&key);
	row.record = buf_str(&bytes);
	status = database_put_finding(d, x->id, buf_str(&json), err);
	if (status == 0)
		status = database_put_last_record(d, x->id, row.record, err);
	if (status == 0)
		status = database_add_to_outbox(d, &row, &seq, err);
	if (status == 0)
		status = database_add_history(d, &r, 1, err);
	record_done(&r);
	return status;
}

/* No acceptance: path_parse calls a path malformed that there is no memory to read. */
static int fill(struct err *err)
{
	CLEANUP(database_closep) struct database *d = NULL;
	struct finding x = { .kind = FINDING_DRIFT, .severity = SEVERITY_ERROR, .subject.uid = STR("u") };
	const struct kept_rule rule = { STR("u"), STR("{}"), STR("2026"), STR("2027") };
	unsigned char key[FINDINGS_KEY_SIZE];
	struct err reported;
	int r = database_open(from, &d, &reported, err);

	random_id(x.id);
	random_id(x.state_hash);
	if (r == 0)
		r = put_finding(d, &x, err);
	if (r == 0)
		r = database_put_rule(d, &rule, err);
	if (r == 0)
		r = database_put_seen(d, STR("c"), 1, err);
	if (r == 0)
		r = database_put_inspected(d, STR("c"), STR("u 1\nv 2\n"), err);
	return r < 0 ? r : state_key_load(from, key, err);
}

static int run_export(struct err *err)
{
	struct state_counts n = { 0 };
	int r;

	(void)unlink(other);
	oom_arm();
	r = state_export(from, other, "0", &n, err);
	oom_disarm();
	if (r < 0)
		return access(other, F_OK) < 0 && n.findings == 0 ? r : OOM_WRONG;
	return n.findings == 1 && n.records == 1 && n.lines == 1 && !n.left_out ? 0 : OOM_WRONG;
}

static int count(void *ctx, const struct moved_finding *x, struct err *err)
{
	(void)x;
	(void)err;
	++*(size_t *)ctx;
	return 0;
}

/* How many there are; one that cannot be opened has none. */
static size_t findings_of(const char *dir)
{
	CLEANUP(database_closep) struct database *d = NULL;
	size_t n = 0, malformed;
	struct err err;

	if (database_open_kept(dir, &d, &err) < 0 || database_each_moved_finding(d, count, &n, &malformed, &err) < 0)
		return 0;
	return n;
}

static int run_import(struct err *err)
{
	const char *const files[] = { file };
	struct state_counts n = { 0 };
	int r;

	empty(to);
	oom_arm();
	r = state_import_files(to, files, 1, &(struct state_terms){ 0 }, &n, err);
	oom_disarm();
	if (r < 0)
		return findings_of(to) == 0 && n.findings == 0 ? r : OOM_WRONG;
	return findings_of(to) == 1 && n.records == 1 && n.lines == 1 ? 0 : OOM_WRONG;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "state_export", run_export, false }, { "state_import", run_import, true }, /* a checkpoint can wait */
	};
	struct state_counts n;
	struct err err = { 0 };
	int r;

	if (!mkdtemp(top))
		return 1;
	(void)snprintf(from, sizeof(from), "%s/from", top);
	(void)snprintf(to, sizeof(to), "%s/to", top);
	(void)snprintf(file, sizeof(file), "%s/file", top);
	(void)snprintf(other, sizeof(other), "%s/other", top);
	r = mkdir(from, 0700) || mkdir(to, 0700) || fill(&err) < 0 || state_export(from, file, "0", &n, &err) < 0;
	if (r)
		fprintf(stderr, "%s\n", err.msg);
	else
		r = oom_main(argc, argv, cases, ARRAY_LEN(cases));
	remove_all();
	return r;
}
