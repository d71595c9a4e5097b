/* Taking calls of inspection rules without memory. */
#include "oom.h"

#include "daemon/inspection/calls.h"
#include "value/json.h"

#include <errno.h>

static const struct limits limits = LIMITS_DEFAULT;

static void on_failed(void *ctx, const struct call_origin *origin, str url, const char *why)
{
	(void)ctx;
	(void)origin;
	(void)url;
	(void)why;
}

static int add(uv_loop_t *loop, const struct insp_call *call, struct err *err)
{
	const struct call_origin origin = { STR("c"), STR("r"), false };
	const struct calls_options o = { .loop = loop, .failed = on_failed };
	struct calls *c = NULL;
	int r;

	oom_arm();
	r = calls_new(&o, &c, err);
	if (r == 0)
		r = calls_add(c, call, &origin, err);
	oom_disarm();
	if (c && calls_counters(c)->waiting != (r == 0))
		r = OOM_WRONG;
	if (c)
		calls_close(c, NULL, NULL);
	return r;
}

static int run_calls(struct err *err)
{
	const struct json_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct insp_call call = { .url = STR("https://h.example:8443/a%20b/c?d=e"), .timeout = 1, .retries = 1 };
	uv_loop_t loop;
	int r = json_decode(
		STR("{\"h\": {\"X-A\": \"b\", \"X-C\": \"\"}, \"p\": {\"https\": \"http://p.example:3128\"}}"), &o,
		&doc, err);

	if (r < 0 || uv_loop_init(&loop) < 0)
		return OOM_WRONG;
	call.headers = VAL_GET(doc->root, "h");
	call.proxies = VAL_GET(doc->root, "p");
	r = add(&loop, &call, err);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	return uv_loop_close(&loop) == 0 ? r : OOM_WRONG;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = { { "calls", run_calls,
						   true } /* a URL that cannot be looked through is hidden */ };

	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
