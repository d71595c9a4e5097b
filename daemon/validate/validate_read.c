/* Reads definitions, rules and objects from files. */
#include "config/paths.h"
#include "daemon/validate/validate_internal.h"
#include "rules/crd_schema.h"
#include "value/identity.h"

#include <errno.h>
#include <stdio.h>

/* Reads a file, either of old objects or of anything else, which its content shows. */
struct reader {
	struct validate_job *job;
	bool old;
	size_t n; /* number of files of the current path */
};

/* ---- rules ---- */

/* Whether it is a rule file: its first entry has rules, and is no object (a Role has rules too). */
static bool holds_rules(const struct documents *d)
{
	val first = d->list.n ? d->list.p[0].root : (val){ 0 };

	if (val_is_list(first))
		first = val_at(first, 0);
	return val_is_list(VAL_GET(first, "rules")) && !val_exists(VAL_GET(first, "metadata"));
}

static bool is_read(const struct validate_job *job, const char *path)
{
	for (size_t i = 0; i < job->rule_files.n; i++) {
		if (strcmp(job->rule_files.p[i]->path, path) == 0)
			return true;
	}
	return false;
}

static int read_rules(struct validate_job *job, str text, const char *path, struct err *err)
{
	struct problems problems = { 0 };
	struct rule_file *f = NULL;
	int r = rule_file_parse(text, path, &job->limits, job->keys, &f, &problems, err);

	if (problems_any(&problems)) {
		CLEANUP(freep) char *list = problems_text(&problems);

		fprintf(stderr, "%s\n", list ? list : "out of memory");
		job->n_bad_rules++;
		r = r == -ENOMEM ? r : 0;
	}
	problems_done(&problems);
	if (!f)
		return r;
	if (!vec_push(&job->rule_files, f)) {
		rule_file_free(f);
		return err_nomem(err);
	}
	return 0;
}

/* ---- objects ---- */

static bool is_object(val root)
{
	return val_str(VAL_GET(root, "apiVersion")).n && val_str(VAL_GET(root, "kind")).n;
}

static struct documents *place(struct reader *r, val root)
{
	if (r->old)
		return &r->job->old;
	return crd_is(root) ? &r->job->crds : &r->job->objects;
}

static int take_documents(struct reader *r, const struct documents *found, const char *path, struct err *err)
{
	bool report_unread = false;

	for (size_t i = 0; i < found->list.n; i++) {
		struct document d = found->list.p[i];

		if (!is_object(d.root)) {
			if (!report_unread)
				validate_note("%s: skipped what is not an object: it has no apiVersion and kind", path);
			report_unread = true;
			continue;
		}
		if (!vec_push(&place(r, d.root)->list, d))
			return err_nomem(err);
		(void)doc_ref(d.doc);
	}
	return 0;
}

/* Report an unreadable file. A mistake in one file does not hide those in others. */
static int report_unread(struct validate_job *job, int r, const struct err *err)
{
	if (r < 0 && r != -ENOMEM)
		validate_unread(job, "%s", err->msg);
	return r == -ENOMEM ? r : 0;
}

/* Copy @path to memory that lives as long as messages may name it. */
static const char *kept(struct validate_job *job, const char *path, struct err *err)
{
	const char *copy = arena_str(&job->names, str_from(path)).p;

	if (!copy)
		(void)err_nomem(err);
	return copy;
}

static int read_file(void *ctx, const char *name, struct err *err)
{
	struct reader *reader = ctx;
	struct validate_job *job = reader->job;
	CLEANUP(documents_done) struct documents found = { 0 };
	CLEANUP(freep) char *text = NULL;
	const char *path = kept(job, name, err);
	size_t n;
	int r;

	if (!path)
		return -ENOMEM;
	reader->n++;
	r = document_text(path, &job->limits, &text, &n, err);
	if (r == 0)
		r = documents_parse((str){ text, n }, path, &job->limits, job->keys, &found, err);
	if (r < 0)
		return report_unread(job, r, err);
	if (!reader->old && holds_rules(&found))
		return is_read(job, path) ? 0 : read_rules(job, (str){ text, n }, path, err);
	return take_documents(reader, &found, path, err);
}

static int read_rule_file(void *ctx, const char *name, struct err *err)
{
	struct reader *reader = ctx;
	struct validate_job *job = reader->job;
	CLEANUP(freep) char *text = NULL;
	const char *path = kept(job, name, err);
	size_t n;
	int r;

	if (!path)
		return -ENOMEM;
	if (is_read(job, path))
		return 0;
	r = document_text(path, &job->limits, &text, &n, err);
	return r < 0 ? report_unread(job, r, err) : read_rules(job, (str){ text, n }, path, err);
}

/* ---- what the options name ---- */

static int walk(void *ctx, const char *path, struct err *err)
{
	struct reader *reader = ctx;

	return paths_walk(path, reader->job->options->recursive, read_file, reader, err);
}

static int read_named(struct reader *reader, const char *name, struct err *err)
{
	bool recursive = reader->job->options->recursive;
	int r;

	reader->n = 0;
	r = strcmp(name, "-") == 0 ? read_file(reader, name, err) : paths_expand(name, walk, reader, err);
	if (r == 0 && reader->n == 0)
		validate_unread(reader->job, "'%s' holds no *.yaml, *.yml or *.json%s", name,
				recursive ? "" : "; -R reads the folders in it too");
	return report_unread(reader->job, r, err);
}

static int index_old(struct validate_job *job, struct err *err)
{
	for (size_t i = 0; i < job->old.list.n; i++) {
		CLEANUP(buf_done) struct buf key = BUF_INIT(IDENTITY_BYTES_MAX);
		struct identity id = identity_of(job->old.list.p[i].root);

		identity_text(&id, &key);
		if (!key.error && !strmap_has(&job->old_by_name, buf_str(&key)) &&
		    !strmap_put(&job->old_by_name, buf_str(&key), &job->old.list.p[i], NULL))
			return err_nomem(err);
	}
	return 0;
}

int validate_read(struct validate_job *job, struct err *err)
{
	const struct validate_options *o = job->options;
	struct reader files = { .job = job }, old = { .job = job, .old = true };
	int r = 0;

	for (size_t i = 0; r == 0 && i < o->rules.v.n; i++)
		r = report_unread(job, paths_of_rules(o->rules.v.p[i], read_rule_file, &files, err), err);
	for (size_t i = 0; r == 0 && i < o->files.v.n; i++)
		r = read_named(&files, o->files.v.p[i], err);
	for (size_t i = 0; r == 0 && i < o->old.v.n; i++)
		r = read_named(&old, o->old.v.p[i], err);
	return r < 0 ? r : index_old(job, err);
}
