/* Runs a loop for one transfer at a time. */
#include "kubeclient/kc_perform.h"

#include "kubeclient/kc_advice.h"
#include "mask/foreign.h"

#include <errno.h>

struct kc_perform {
	uv_loop_t uv;
	struct kc_loop loop;
	uv_timer_t look; /* ends a turn of the loop */
	bool closed;
	/* the current request: */
	struct kc_transfer transfer;
	struct kc_answer answer;
	struct buf *body;
	bool done;
	struct err failure; /* code 0: none */
};

static void on_turn(void *ctx)
{
	(void)ctx;
}

static void on_done(void *ctx, CURL *easy, CURLcode code)
{
	struct kc_perform *p = ctx;
	char why[KC_WHY_MAX];
	int n;

	(void)easy;
	p->done = true;
	uv_stop(&p->uv); /* otherwise the loop would wait for the next event when a timer has run this callback */
	if (code == CURLE_OK)
		return;
	n = kc_transfer_why(&p->transfer, code, why);
	(void)err_set(&p->failure, n, "%s", why);
}

static void on_closed(void *ctx)
{
	struct kc_perform *p = ctx;

	p->closed = true;
}

static void on_look(uv_timer_t *t)
{
	(void)t;
}

int kc_perform_new(struct kc_perform **ret, struct err *err)
{
	struct kc_perform *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_nomem(err);
	r = uv_loop_init(&p->uv);
	if (r < 0) {
		free(p);
		return err_set(err, -r, "begin a loop: %s", uv_strerror(r));
	}
	r = kc_loop_init(&p->loop, &p->uv, NULL, on_turn, on_done, p, err);
	if (r < 0) {
		(void)uv_loop_close(&p->uv); /* a loop without handles closes without a failure */
		free(p);
		return r;
	}
	(void)uv_timer_init(&p->uv, &p->look); /* always 0 */
	*ret = p;
	return 0;
}

void kc_perform_free(struct kc_perform *p)
{
	if (!p)
		return;
	kc_loop_close(&p->loop, on_closed);
	uv_close((uv_handle_t *)&p->look, NULL);
	(void)uv_run(&p->uv, UV_RUN_DEFAULT); /* the loop runs until all handles are closed */
	(void)uv_loop_close(&p->uv);
	free(p);
}

static bool is_stopped(const atomic_bool *stop)
{
	return stop && atomic_load(stop);
}

/* Note the status. Each answer of a chain of redirects begins with such a line: the last one counts. */
static void on_head(void *ctx, str line, long status)
{
	struct kc_perform *p = ctx;
	ptrdiff_t space = str_find_byte(line, ' ');

	(void)status;
	if (space > 0 && str_has_prefix(line, STR("HTTP/")))
		foreign_print(foreign_bytes(str_sub(line, (size_t)space, line.n)), p->answer.words,
			      sizeof(p->answer.words));
}

static bool on_body(void *ctx, char *bytes, size_t n)
{
	struct kc_perform *p = ctx;

	kc_loop_useful(&p->loop);
	buf_add(p->body, bytes, n);
	return !p->body->error;
}

static void run(struct kc_perform *p, const atomic_bool *stop)
{
	(void)uv_timer_start(&p->look, on_look, KC_PERFORM_LOOK_MS, KC_PERFORM_LOOK_MS); /* always 0 */
	while (!p->done && !is_stopped(stop))
		(void)uv_run(&p->uv, UV_RUN_ONCE);
	(void)uv_timer_stop(&p->look);
	if (p->done)
		return;
	kc_loop_remove(&p->loop, p->transfer.easy);
	(void)err_set(&p->failure, ECANCELED, "it was stopped");
}

static int judge(const struct kc_perform *p, struct kc_answer *ret, struct err *err)
{
	struct foreign body = foreign_bytes(buf_str(p->body));
	const char *type = NULL;

	if (p->body->error)
		return buf_error(p->body, "the answer", err);
	if (p->failure.code) {
		*err = p->failure;
		return -err->code;
	}
	*ret = p->answer;
	ret->status = (int)kc_transfer_status(&p->transfer);
	ret->advice = ret->status == 400 ? kc_advice_scheme(p->transfer.tls, foreign_bytes(STR("")), body) : "";
	/* the type stays NULL when this fails */
	(void)curl_easy_getinfo(p->transfer.easy, CURLINFO_CONTENT_TYPE, &type);
	foreign_print(foreign_bytes(str_from(type)), ret->type, sizeof(ret->type));
	return 0;
}

int kc_perform(struct kc_perform *p, const struct kc_transfer_options *o, const atomic_bool *stop, struct buf *body,
	       struct kc_answer *ret, struct err *err)
{
	static const struct kc_transfer_ops ops = { on_head, on_body };
	struct kc_transfer_options with_ops = *o;
	int r;

	with_ops.ops = &ops;
	with_ops.ctx = p;
	p->done = false;
	p->failure.code = 0;
	p->answer = (struct kc_answer){ 0 };
	p->body = body;
	buf_clear(body);
	r = kc_transfer_begin(&p->transfer, &with_ops, &p->loop, err);
	if (r < 0)
		return r;
	run(p, stop);
	r = judge(p, ret, err);
	kc_transfer_end(&p->transfer);
	return r;
}
