/* Requests the pages of a list, and handles requests that fail. */
#include "kubeclient/kc_list.h"

#include "base/assert.h"
#include "mask/foreign.h"

#include <errno.h>

#define DEFINITION_MAX ((size_t)16 << 20) /* bytes; the definition contains long schemas */

static const struct kc_req_ops page_ops;
static void read_on(void *ctx);

/* Ask for a page. @goes_on: it is not the first one. Pages that are asked for one at a time, each when the last is
 * read, burden a server no more than the same list in one answer, and must be finished before the server forgets the
 * version of the list. */
static int ask(struct kc_list *l, bool goes_on, bool fresh, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(KC_URL_MAX * 4);
	struct kc_ask get = { .verb = KC_LIST, .goes_on = goes_on, .fresh = fresh, .lists = true };

	kc_collection_path(l->report->what, &path);
	if (l->page)
		kc_url_number(&path, "limit", l->page);
	kc_url_query(&path, "continue", str_from(l->next));
	kc_collection_selectors(l->report->what, &path);
	if (buf_error(&path, "URL", err) < 0)
		return -err->code;
	get.path = path.p;
	l->body = BUF_INIT(l->http->tuning->response_bytes);
	l->report->counters.last_heard_ns = uv_hrtime();
	return kc_http_ask(l->http, &get, &page_ops, l, &l->req, err);
}

static void end(struct kc_list *l, const struct kc_result *result)
{
	kc_list_stop(l);
	l->done(l->ctx, result);
}

static void ask_again(struct kc_list *l, bool goes_on)
{
	struct kc_result result = { 0 };

	if (ask(l, goes_on, false, &result.err) < 0)
		end(l, &result);
}

static void forget_pages(struct kc_list *l)
{
	free(TAKE(l->next));
	free(TAKE(l->kept));
	l->n_pages = l->kept_at = 0;
}

static void start_over(struct kc_list *l)
{
	forget_pages(l);
	kc_report_begin(l->report);
	if (++l->expired > 1)
		l->page = l->page_max = 0;
	ask_again(l, false);
}

static void page_failed(struct kc_list *l, const struct kc_result *result)
{
	if (result->err.code == ESTALE && l->next) {
		start_over(l);
	} else if (result->err.code == E2BIG && l->page > 1) {
		l->page /= 2;
		l->page_max = l->page;
		ask_again(l, false);
	} else {
		end(l, result);
	}
}

static void page_is_bad(struct kc_list *l, struct err *err)
{
	struct kc_report *r = l->report;

	(void)err_wrap(err, "list of %.100s", r->what->shown);
	r->counters.bad_data++; /* no notice, because the error becomes the reason of a state */
	end(l, &(struct kc_result){ .err = *err });
}

/* Check that the list can end; @next is the token of the next page. One stored token finds a circle of tokens of any
 * length (Brent's algorithm): it is renewed at twice the distance each time, until it is renewed within the circle. */
static int check_progress(struct kc_list *l, const char *next, struct err *err)
{
	uint32_t max = l->http->tuning->pages;

	l->n_pages++;
	if (l->kept && strcmp(l->kept, next) == 0)
		return err_set(err, EBADMSG, "the server repeats the continue token: the list would never end");
	if (l->n_pages >= max)
		return err_set(err, E2BIG, "no end after %u pages", max);
	if (l->n_pages < l->kept_at * 2)
		return 0;
	free(l->kept);
	l->kept = strdup(next);
	l->kept_at = l->n_pages;
	return l->kept ? 0 : err_nomem(err);
}

static int on_write(void *ctx, const char *p, size_t n, struct err *err)
{
	struct kc_list *l = ctx;

	buf_add(&l->body, p, n);
	return buf_error(&l->body, "page of a list", err);
}

#define PAGE_BYTES (4u << 20) /* take some 20 ms to read */

/* Adapt the size of pages to a page of @bytes, so that the next page has about PAGE_BYTES at most if its objects are
 * as large. A few large objects do not keep pages small: after a small page, the next one is larger. */
static void fit_page(struct kc_list *l, size_t bytes)
{
	if (l->page > 1 && bytes > PAGE_BYTES) {
		uint32_t fits = (uint32_t)((uint64_t)l->page * PAGE_BYTES / bytes);

		l->page = fits ? fits : 1;
	} else if (bytes < PAGE_BYTES / 4) {
		l->page = l->page < l->page_max / 2 ? l->page * 2 : l->page_max;
	}
}

static void page_is_read(struct kc_list *l, size_t bytes, char *next)
{
	struct kc_result answer = l->answer; /* a copy, because another list may begin in the callback */
	struct err err;

	free(l->next);
	l->next = next;
	if (!next) {
		end(l, &answer);
	} else if (check_progress(l, next, &err) < 0) {
		page_is_bad(l, &err);
	} else {
		fit_page(l, bytes);
		ask_again(l, true);
	}
}

/* Take the list kind from a definition. Whatever the answer is, this watch does not ask for it again. */
static void on_definition(void *ctx, const struct kc_result *result, val answer)
{
	struct kc_list *l = ctx;
	str name = foreign_name(val_dig(answer, "spec", "names", "listKind", NULL));
	struct err odd = l->odd;

	(void)result;
	if (name.n && str_find_byte(name, '\0') < 0)
		l->report->list_kind = str_dup(name);
	if (l->report->list_kind)
		read_on(l);
	else
		page_is_bad(l, &odd);
}

/* Ask for the definition. Return false when it was asked for before, or there is none. */
static bool ask_definition(struct kc_list *l)
{
	const struct kc_resource *r = &l->report->what->resource;
	CLEANUP(buf_done) struct buf path = BUF_INIT(KC_URL_MAX);

	if (l->report->list_kind || !*r->group)
		return false;
	buf_printf(&path, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/%s.%s", r->plural, r->group);
	return !path.error &&
	       kc_call_begin(&l->definition, &(struct kc_ask){ .verb = KC_GET, .path = path.p, .behind = true });
}

/* Read the rest of the page, or a part of it. */
static void read_on(void *ctx)
{
	struct kc_list *l = ctx;
	CLEANUP(kc_page_freep) struct kc_page *page = TAKE(l->reading); /* a callback may end the list */
	struct kc_report *report = l->report;
	struct err err = { 0 };
	char *next = NULL;
	uint64_t until_ns = uv_hrtime() + l->http->tuning->slice_ms * 1000000;
	int r = kc_page_report(report, page, until_ns, &next, &err);

	if (report->stopped) {
		free(next);
		return;
	}
	report->counters.last_heard_ns = uv_hrtime();
	if (r == 0) {
		page_is_read(l, kc_page_text(page).n, next);
	} else if (r == -EPROTO && ask_definition(l)) {
		l->odd = err;
		l->reading = TAKE(page);
	} else if (r > 0) {
		l->reading = TAKE(page);
		kc_loop_later(&l->http->loop, &l->read_on);
	} else {
		if (r == -EBADMSG)
			kc_result_no_json(&l->answer, foreign_bytes(kc_page_text(page)), true, &err);
		page_is_bad(l, &err);
	}
}

static void on_done(void *ctx, const struct kc_result *result)
{
	struct kc_list *l = ctx;
	CLEANUP(buf_done) struct buf body = l->body;
	struct err err;

	l->req = NULL;
	l->body = (struct buf){ 0 };
	l->report->counters.last_heard_ns = uv_hrtime();
	if (result->err.code) {
		page_failed(l, result);
		return;
	}
	l->answer = *result;
	l->reading = kc_page_new(l->report, l->http->loop.uv, &body, l->report->counters.last_heard_ns);
	if (l->reading) {
		read_on(l);
	} else {
		(void)!err_nomem(&err);
		page_is_bad(l, &err);
	}
}

static const struct kc_req_ops page_ops = { .write = on_write, .done = on_done };

void kc_list_init(struct kc_list *l)
{
	l->read_on.run = read_on;
	l->read_on.ctx = l;
	l->definition = (struct kc_call){ .http = l->http, .max = DEFINITION_MAX, .done = on_definition, .ctx = l };
}

int kc_list_begin(struct kc_list *l, uint32_t page, bool fresh, struct err *err)
{
	ASSERT(!l->req && !l->next && !l->reading);
	l->page = l->page_max = page;
	l->expired = 0;
	kc_report_begin(l->report);
	return ask(l, false, fresh, err);
}

void kc_list_stop(struct kc_list *l)
{
	kc_req_cancel(TAKE(l->req));
	kc_loop_never(&l->http->loop, &l->read_on);
	kc_call_stop(&l->definition);
	kc_page_free(TAKE(l->reading));
	forget_pages(l);
	buf_done(&l->body);
}
