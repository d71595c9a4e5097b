/* One fetch of a git repository:
 *
 *   ask what the source has --> bring it to the cache --> verify it --> its files, its log
 *                                    ^                      |
 *                                    '--- once more, anew --'  when the cache turns out to be damaged
 *
 * The source is asked first, without the cache: so what fails then is the source's fault, and a cache that is thrown
 * away because a fetch fails is not thrown away because a network does. */
#include "daemon/fetch/engines.h"

#include "base/hex.h"
#include "daemon/fetch/git_cache.h"
#include "daemon/fetch/git_files.h"
#include "daemon/fetch/git_history.h"
#include "daemon/fetch/git_object.h"
#include "daemon/fetch/git_run.h"
#include "daemon/fetch/git_verify.h"

#include <errno.h>

#define SIGNER_MAX 1024

/* The fetched objects: the tag, if it is an annotated one, and the commit. */
struct found {
	char oid[GIT_OID_MAX + 1];    /* the object that the reference names */
	char commit[GIT_OID_MAX + 1]; /* the commit, which is that object or the tag's target */
	bool tagged;
	bool rewritten;
	struct buf tag_text, commit_text;
	struct git_object tag, signed_commit;
};

static void found_done(struct found *f)
{
	git_object_done(&f->tag);
	git_object_done(&f->signed_commit);
	buf_done(&f->tag_text);
	buf_done(&f->commit_text);
}

/* ---- the objects ---- */

static int read_object(const struct git *g, const char *oid, struct buf *text, str *type, str *raw, struct err *err)
{
	int r;

	*text = BUF_INIT(GIT_OBJECT_MAX + 4096);
	r = git_read_object(g, oid, text, type, raw, err);
	return r == -E2BIG ? git_fail(g, err, E2BIG, "%s has more than 1 MiB", oid) : r;
}

/* Prefix the message of @err with the source. */
static int wrap(const struct git *g, struct err *err)
{
	return err->code == ENOMEM ? -ENOMEM : git_fail(g, err, err->code, "%s", err->msg);
}

static int read_tag(const struct git *g, struct found *f, str raw, struct err *err)
{
	int r = git_object_read(GIT_TAG, raw, strlen(f->oid) == GIT_OID_MAX, &f->tag, err);

	if (r < 0)
		return wrap(g, err);
	if (!str_eq(f->tag.target_type, STR("commit")))
		return git_fail(g, err, EINVAL, "the tag names no commit");
	memcpy(f->commit, f->tag.target.p, f->tag.target.n);
	f->commit[f->tag.target.n] = '\0';
	return 0;
}

static int read_objects(const struct git *g, struct found *f, struct err *err)
{
	str type, raw;
	int r = read_object(g, f->oid, &f->commit_text, &type, &raw, err);

	if (r < 0)
		return r;
	memcpy(f->commit, f->oid, sizeof(f->commit));
	if (str_eq(type, STR("tag")) && g->job->source->tag.n) {
		f->tagged = true;
		f->tag_text = f->commit_text; /* moves the text that @raw points into */
		f->commit_text = (struct buf){ 0 };
		r = read_tag(g, f, raw, err);
		if (r == 0)
			r = read_object(g, f->commit, &f->commit_text, &type, &raw, err);
		if (r < 0)
			return r;
	}
	if (!str_eq(type, STR("commit")))
		return git_fail(g, err, EINVAL, "%s is not a commit", f->commit);
	if (g->job->source->allowed_signers.n == 0 && g->job->source->keyring.n == 0)
		return 0;
	r = git_object_read(GIT_COMMIT, raw, strlen(f->commit) == GIT_OID_MAX, &f->signed_commit, err);
	return r < 0 ? wrap(g, err) : 0;
}

/* ---- what led to it ---- */

static int bring(const struct git *g, const struct git_advertised *a, bool whole, struct found *f, struct err *err)
{
	int r;

	found_done(f);
	*f = (struct found){ 0 };
	r = git_cache_fetch(g, a, whole, f->oid, err);
	return r < 0 ? r : read_objects(g, f, err);
}

/* Find out whether history was rewritten. A tag is expected to stay where it is, and a branch to grow. A commit
 * never changes. */
static int look_back(const struct git *g, const struct git_advertised *a, struct found *f, struct err *err)
{
	const struct source *s = g->job->source;
	str before = g->job->before;
	int r;

	if (before.n == 0 || str_eq(before, str_from(f->commit)) || s->commit.n)
		return 0;
	if (s->tag.n) {
		f->rewritten = true;
		return 0;
	}
	r = git_led_to(g, before, f->commit, err);
	if (r == 0 && git_cache_is_shallow(g)) {
		r = bring(g, a, true, f, err);
		if (r == 0)
			r = git_led_to(g, before, f->commit, err);
	}
	f->rewritten = r == 0;
	return r < 0 ? r : 0;
}

/* ---- who signed it ---- */

/* Check the tag and also its own name: a signed v1 under the name v2 would pass an old version off as a new one. */
static int verify_tag(const struct git *g, const struct found *f, struct buf *signer, struct err *err)
{
	if (!str_eq(f->tag.name, g->job->source->tag))
		return err_set(err, EKEYREJECTED, "the tag says that its name is another one");
	return git_verify(g->job, &f->tag, signer, err);
}

static int verify(const struct git *g, const struct found *f, struct buf *signer, struct err *err)
{
	struct err of_tag = { 0 };
	int r;

	if (g->job->source->allowed_signers.n == 0 && g->job->source->keyring.n == 0)
		return 0;
	if (f->tagged) {
		r = verify_tag(g, f, signer, &of_tag);
		if (r == 0)
			return 0;
		if (r != -EKEYREJECTED)
			return git_fail(g, err, -r, "%s", of_tag.msg);
	}
	r = git_verify(g->job, &f->signed_commit, signer, err);
	if (r == -EKEYREJECTED && f->tagged)
		return git_fail(g, err, EKEYREJECTED, "%s; and %s", of_tag.msg, err->msg);
	return r < 0 ? wrap(g, err) : 0;
}

/* ---- all of it ---- */

static str title_of(const struct source *s, const struct git_advertised *a)
{
	if (s->tag.n)
		return s->tag;
	if (s->branch.n)
		return s->branch;
	return str_from(a->branch);
}

static int report(const struct git *g, const struct git_advertised *a, const struct found *f, str signer,
		  struct fetched *ret, struct err *err)
{
	struct source_revision *v = &ret->revision;

	v->revision = arena_str(ret->arena, str_from(f->commit));
	v->title = arena_str(ret->arena, title_of(g->job->source, a));
	v->signer = arena_str(ret->arena, signer);
	v->rewritten = f->rewritten;
	ret->unchanged = !g->job->anew && str_eq(g->job->before, str_from(f->commit));
	return v->revision.p && v->title.p && v->signer.p ? 0 : arena_error(ret->arena, err);
}

static int gather(const struct git *g, const struct git_advertised *a, struct found *f, struct fetched *ret,
		  struct err *err)
{
	CLEANUP(buf_done) struct buf signer = BUF_INIT(SIGNER_MAX);
	int r = bring(g, a, false, f, err);

	if (r == 0)
		r = look_back(g, a, f, err);
	if (r == 0)
		r = verify(g, f, &signer, err);
	if (r == 0)
		r = report(g, a, f, buf_str(&signer), ret, err);
	if (r < 0 || ret->unchanged)
		return r;
	r = git_read_files(g, f->commit, ret->tree, err);
	return r < 0 ? r : git_log(g, f->commit, ret->arena, &ret->revision.log, &ret->revision.n_log, err);
}

static int attempt(const struct git *g, const struct git_advertised *a, bool *fresh, struct fetched *ret,
		   struct err *err)
{
	CLEANUP(found_done) struct found f = { 0 };
	int r = git_cache_prepare(g, strlen(a->oid), fresh, err);

	return r < 0 ? r : gather(g, a, &f, ret, err);
}

static int fetch(const struct git *g, struct fetched *ret, struct err *err)
{
	struct git_advertised a;
	bool fresh = false;
	int r = git_ask(g, &a, err);

	if (r < 0)
		return r;
	r = attempt(g, &a, &fresh, ret, err);
	if ((r == -EUCLEAN || r == -EIO) && !fresh) {
		tree_remove(ret->tree, STR(""));
		r = git_cache_remove(g, err);
		if (r == 0)
			r = attempt(g, &a, &fresh, ret, err);
	}
	if (r == -EUCLEAN) { /* the source itself has sent damaged objects */
		err->code = EBADMSG;
		r = -EBADMSG;
	}
	if (r == 0)
		git_cache_tidy(g);
	return r;
}

int fetch_git(const struct fetch_job *job, struct fetched *ret, struct err *err)
{
	struct git g;
	int r = git_open(&g, job, err);

	if (r == 0)
		r = fetch(&g, ret, err);
	git_done(&g);
	return r;
}
