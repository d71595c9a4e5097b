/* The client's cases that are data: which answers are lists. */
#include "kubeclient/kc_page.h"

#include "support/triples.h"
#include "value/json.h"

#include <errno.h>

static char api_version[] = "apps/v1", kind[] = "Deployment", shown[] = "deployments.apps";

/* What the page says, as one that is read at once. */
static int report_page(struct kc_report *rep, str text, char **next, struct err *err)
{
	CLEANUP(kc_page_freep) struct kc_page *p = NULL;
	struct buf whole = BUF_INIT(TRIPLES_FILE_MAX);

	buf_add_str(&whole, text);
	p = kc_page_new(rep, NULL, &whole, 0);
	return p ? kc_page_report(rep, p, UINT64_MAX, next, err) : err_nomem(err);
}

static int run_list_answer(const struct triple *t, struct arena *a, struct buf *out)
{
	struct limits limits = LIMITS_DEFAULT;
	struct kc_collection what = { .api_version = api_version, .kind = kind, .shown = shown };
	uint32_t lists = 0;
	struct kc_report rep = { .what = &what, .limits = &limits, .lists = &lists };
	CLEANUP(freep) char *next = NULL;
	str rest = t->program, mode, list_kind;
	struct err err = { 0 };
	int r;

	(void)a;
	(void)str_next_part(&rest, ' ', &mode);
	kc_report_init(&rep);
	rep.one_shot = str_eq(mode, STR("once"));
	what.resource.can_watch = !rep.one_shot;
	if (str_next_part(&rest, ' ', &list_kind))
		rep.list_kind = str_dup(list_kind);
	kc_report_begin(&rep);
	r = report_page(&rep, t->input, &next, &err);
	if (r < 0)
		buf_add_cstr(out, err.msg);
	else
		buf_printf(out, "%s%s%s", next ? "7" : rep.version, next ? " " : "", next ? next : "");
	kc_report_done(&rep);
	return r;
}

int main(void)
{
	static const struct triple_file files[] = { { "list_answers", run_list_answer } };

	return triples_main(TEST_DATA "/kubeclient/triples", files, ARRAY_LEN(files));
}
