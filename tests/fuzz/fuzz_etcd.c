/* What etcd, or whoever stands in its place, answers: each call ends with a result that keeps what its header says, or
 * with an error that has a reason and not the token.
 *
 * The input is answers in the order in which requests get them, each behind a line "=== STATUS"; without one more the
 * endpoint cannot be reached. The client's transfer is replaced. */
#include "config/cfg.h"
#include "daemon/leader/etcd/etcd.h"
#include "kubeclient/kc_perform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_kc_perform(struct kc_perform *p, const struct kc_transfer_options *o, const atomic_bool *stop,
		      struct buf *body, struct kc_answer *ret, struct err *err);
int __wrap_kc_perform_new(struct kc_perform **ret, struct err *err);
void __wrap_kc_perform_free(struct kc_perform *p);

static struct {
	char password_file[64];
	str answers; /* not given yet */
} world;

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* ---- the transfer ---- */

/* The next answer: *status, and its body. */
static bool next_answer(int *status, str *body)
{
	ptrdiff_t mark = str_find(world.answers, STR("=== "));
	str line;

	if (mark < 0)
		return false;
	world.answers = str_sub(world.answers, (size_t)mark + 4, world.answers.n);
	(void)str_next_part(&world.answers, '\n', &line);
	*status = line.n >= 3 ? (line.p[0] - '0') * 100 + (line.p[1] - '0') * 10 + (line.p[2] - '0') : 0;
	mark = str_find(world.answers, STR("=== "));
	*body = mark < 0 ? world.answers : str_sub(world.answers, 0, (size_t)mark);
	return true;
}

int __wrap_kc_perform_new(struct kc_perform **ret, struct err *err)
{
	(void)err;
	*ret = NULL;
	return 0;
}

void __wrap_kc_perform_free(struct kc_perform *p)
{
	(void)p;
}

int __wrap_kc_perform(struct kc_perform *p, const struct kc_transfer_options *o, const atomic_bool *stop,
		      struct buf *body, struct kc_answer *ret, struct err *err)
{
	str answer;

	(void)p;
	(void)stop;
	check(o->url && o->body.p);
	buf_clear(body);
	*ret = (struct kc_answer){ .advice = "" };
	if (!next_answer(&ret->status, &answer))
		return err_set(err, ECONNREFUSED, "nobody there");
	buf_add_str(body, answer);
	return buf_error(body, "the answer", err);
}

/* ---- the calls ---- */

static void set_up(void)
{
	int fd;

	(void)snprintf(world.password_file, sizeof(world.password_file), "/tmp/fuzz-etcd-XXXXXX");
	fd = mkstemp(world.password_file);
	check(fd >= 0 && write(fd, "pass-word-of-etcd\n", 18) == 18 && close(fd) == 0);
}

static void remove_file(void)
{
	(void)unlink(world.password_file);
}

static bool ended(int r, const struct err *err)
{
	check(r == 0 || (r < 0 && err->code == -r && *err->msg && !strstr(err->msg, "pass-word-of-etcd")));
	return r == 0;
}

static int each(void *ctx, const struct etcd_pair *p, struct err *err)
{
	size_t *n = ctx;

	check(p->key.n > 0 && p->key.p && (p->value.p || !p->value.n));
	return ++*n < 1000 ? 0 : err_set(err, EFBIG, "enough");
}

static void use_lease(struct etcd *e)
{
	struct err err = { 0 };
	int64_t lease = 0;

	if (!ended(etcd_grant(e, 15, &lease, &err), &err))
		return;
	check(lease != 0);
	(void)ended(etcd_keep_alive(e, lease, &err), &err);
	(void)ended(etcd_revoke(e, lease, &err), &err);
}

static void use_transaction(struct etcd *e)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT((size_t)64 << 20);
	struct etcd_outcome outcome = { 0 };
	struct etcd_pair pair;
	struct etcd_txn t;
	struct err err = { 0 };

	etcd_txn_init(&t);
	etcd_txn_if_created(&t, STR("/a"), 0);
	etcd_txn_if_value(&t, STR("/b"), STR("v"));
	etcd_txn_put(&t, STR("/a"), STR("w"), 7);
	etcd_txn_get(&t, false, STR("/b"));
	etcd_txn_get(&t, true, STR("/c"));
	if (ended(etcd_commit(e, &t, &outcome, &err), &err)) {
		check(outcome.revision > 0 && outcome.doc);
		for (unsigned i = 0; i < 3; i++)
			check(!etcd_outcome_get(&outcome, i, &a, &pair) || pair.key.n > 0);
	}
	doc_unref(outcome.doc);
	etcd_txn_done(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const str endpoints[] = { { "http://one:1", 12 }, { "http://two:2/", 13 } };
	static _Atomic uint64_t failures;
	struct cfg_leader from = { .endpoints = endpoints, .n_endpoints = 2, .user = STR("u") };
	struct etcd_options o = { .from = &from, .timeout_ms = 1000, .failures = &failures };
	CLEANUP(etcd_freep) struct etcd *e = NULL;
	struct err err = { 0 };
	size_t n = 0;
	bool more;

	if (!*world.password_file) {
		set_up();
		check(atexit(remove_file) == 0);
	}
	from.password_file = str_from(world.password_file);
	world.answers = (str){ (const char *)data, size };
	check(etcd_new(&o, &e, &err) == 0);
	use_lease(e);
	(void)ended(etcd_range(e, STR("/"), STR("0"), 100, each, &n, &more, &err), &err);
	use_transaction(e);
	return 0;
}
