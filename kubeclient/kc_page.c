/* Walks over a page of a list, and passes its objects through threads to the report. */
#include "kubeclient/kc_page.h"

#include "kubeclient/kc_ahead.h"
#include "kubeclient/kc_list_answer.h"
#include "mask/foreign.h"
#include "value/json.h"

#include <errno.h>
#include <stdlib.h>

struct kc_page {
	struct buf body;
	struct limits limits; /* for the walk over the body */
	struct json_list *walk;
	struct arena arena;
	uint64_t received_ns;
	struct kc_ahead ahead; /* the objects that are not reported yet */
	bool looks, checked, walked;
	val rest; /* the list without its items, after the walk */
};

static const char *const items_path[] = { "items", NULL };

struct kc_page *kc_page_new(const struct kc_report *rep, uv_loop_t *loop, struct buf *body, uint64_t received_ns)
{
	CLEANUP(kc_page_freep) struct kc_page *p = calloc(1, sizeof(*p));
	struct json_options o = { 0 };

	if (!p)
		return NULL;
	p->body = *body;
	*body = (struct buf){ 0 };
	p->received_ns = received_ns;
	p->looks = loop;
	kc_ahead_init(&p->ahead, loop, rep);
	p->ahead.objects = true;
	/* Each object has its own limits when it is read; these bound the walk over all of them. */
	p->limits = *rep->limits;
	p->limits.object_bytes = p->body.n;
	p->limits.document_nodes = p->body.n + 1;
	p->limits.depth += 2;
	arena_init(&p->arena, 0, rep->limits->arena_bytes);
	o.limits = &p->limits;
	p->walk = json_list_new(buf_str(&p->body), &o, &p->arena);
	return p->walk ? TAKE(p) : NULL;
}

void kc_page_free(struct kc_page *p)
{
	if (!p)
		return;
	kc_ahead_drop(&p->ahead);
	json_list_free(p->walk);
	arena_done(&p->arena);
	buf_done(&p->body);
	free(p);
}

str kc_page_text(const struct kc_page *p)
{
	return buf_str(&p->body);
}

/* Check that the page is a list of the kind at all, before an object of it is reported. Members behind the objects
 * are searched only if those before them do not show the kind. Text that is no JSON is left to the walk. */
static int check_head(const struct kc_report *rep, struct kc_page *p, struct err *err)
{
	const struct json_skip skip = { .path = items_path, .unchecked = true };
	const struct json_options o = { .limits = &p->limits, .skips = &skip, .n_skips = 1 };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err ignored;
	int r;

	if (p->checked || kc_list_answer_begins(rep->what, buf_str(&p->body)))
		return 0;
	r = json_decode(buf_str(&p->body), &o, &d, &ignored);
	if (r == -ENOMEM)
		return err_nomem(err);
	return r < 0 ? 0 : kc_list_answer_check(rep->what, rep->list_kind, d->root, err);
}

/* Handle the list's own metadata, once its objects are reported. */
static int end_page(struct kc_report *rep, const struct kc_page *p, char **next, struct err *err)
{
	val meta = VAL_GET(p->rest, "metadata");
	str version = foreign_data(foreign_of(VAL_GET(meta, "resourceVersion")));
	str more = foreign_data(foreign_of(VAL_GET(meta, "continue")));
	int r = kc_list_answer_check(rep->what, rep->list_kind, p->rest, err);
	char *copy;

	if (r == 0)
		r = kc_list_answer_whole(rep->what, rep->one_shot, json_list_has_items(p->walk), p->rest, err);
	if (r < 0)
		return r == -EPROTO ? err_set(err, EBADMSG, "the list changes its kind behind its objects") : r;
	copy = str_dup(more.n ? more : version);
	if (!copy)
		return err_nomem(err);
	if (more.n) {
		*next = copy;
		return 0;
	}
	*next = NULL;
	free(rep->version);
	rep->version = copy;
	return 0;
}

static int report_batch(struct kc_report *rep, struct kc_batch *taken, struct err *err)
{
	CLEANUP(kc_batch_freep) struct kc_batch *b = taken;
	const struct kc_batch_line *item;
	int r = 0;

	while (r == 0 && (item = kc_batch_next(b)))
		r = kc_report_item(rep, item->text, item->looked_at ? &item->look : NULL, item->received_ns, err);
	return r;
}

/* Report all batches that threads process, in order. */
static int report_ahead(struct kc_report *rep, struct kc_page *p, struct err *err)
{
	struct kc_batch *b;
	int r = 0;

	while (r == 0 && (b = kc_ahead_take(&p->ahead, true)))
		r = report_batch(rep, b, err);
	return r;
}

/* Give the next object to a thread, or report it after those that threads have. The walk ends after the last object. */
static int take_item(struct kc_report *rep, struct kc_page *p, struct err *err)
{
	struct err why;
	str item;
	int r = json_list_next(p->walk, &item, &p->rest, &why), before;

	if (r > 0 && p->looks && kc_ahead_add(&p->ahead, item, p->received_ns))
		return 0;
	before = report_ahead(rep, p, err);
	if (before < 0)
		return before;
	if (r > 0)
		return kc_report_item(rep, item, NULL, p->received_ns, err);
	p->walked = true;
	if (r < 0)
		*err = why;
	return r;
}

int kc_page_report(struct kc_report *rep, struct kc_page *p, uint64_t until_ns, char **next, struct err *err)
{
	int checked = check_head(rep, p, err);

	if (checked < 0)
		return checked;
	p->checked = true;
	while (!p->walked) {
		int r = kc_ahead_full(&p->ahead) ? report_batch(rep, kc_ahead_take(&p->ahead, true), err)
						 : take_item(rep, p, err);

		if (r < 0)
			return r;
		if (uv_hrtime() >= until_ns)
			return 1;
	}
	return end_page(rep, p, next, err);
}
