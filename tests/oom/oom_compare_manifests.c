/* "driftd compare" by Helm's releases, and by what was applied last, without memory. */
#include "oom.h"

#include "base/key.h"
#include "daemon/compare/helm.h"

#include <errno.h>

#define REVISION(name, n, status, packed)                                                                              \
	"---\n{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: sh.helm.release.v1." name ".v" n     \
	", labels: {owner: helm, name: " name ", version: '" n "', status: " status "}}, data: {release: " packed      \
	"}}\n"

/* Both have ConfigMap a, one wants b, the other c, which is missing; of the third nothing can be read. */
static const char objects[] =
	REVISION("api", "1", "deployed",
		 "eyJuYW1lIjoiYXBpIiwibmFtZXNwYWNlIjoic2hvcCIsInZlcnNpb24iOjEsImluZm8iOnsic3RhdHVzIjoiZGVwbG"
		 "95ZWQifSwibWFuaWZlc3QiOiItLS1cbntcImFwaVZlcnNpb25cIjogXCJ2MVwiLCBcImtpbmRcIjogXCJDb25maWdN"
		 "YXBcIiwgXCJtZXRhZGF0YVwiOiB7XCJuYW1lXCI6IFwiYVwifSwgXCJkYXRhXCI6IHtcInhcIjogXCJ3YW50ZWRcIn"
		 "19XG4tLS1cbntcImFwaVZlcnNpb25cIjogXCJ2MVwiLCBcImtpbmRcIjogXCJDb25maWdNYXBcIiwgXCJtZXRhZGF0"
		 "YVwiOiB7XCJuYW1lXCI6IFwiYlwifSwgXCJkYXRhXCI6IHtcInhcIjogXCJmb3VuZFwifX1cbiJ9")
		REVISION("web", "2", "failed", "e30=") REVISION(
			"web", "1", "deployed",
			"eyJuYW1lIjoid2ViIiwibmFtZXNwYWNlIjoic2hvcCIsInZlcnNpb24iOjEsImluZm8iOnsic3RhdHVzIjoiZGVwbG"
			"95ZWQifSwibWFuaWZlc3QiOiItLS1cbntcImFwaVZlcnNpb25cIjogXCJ2MVwiLCBcImtpbmRcIjogXCJDb25maWdN"
			"YXBcIiwgXCJtZXRhZGF0YVwiOiB7XCJuYW1lXCI6IFwiYVwifSwgXCJkYXRhXCI6IHtcInhcIjogXCJmb3VuZFwifX"
			"1cbi0tLVxue1wiYXBpVmVyc2lvblwiOiBcInYxXCIsIFwia2luZFwiOiBcIkNvbmZpZ01hcFwiLCBcIm1ldGFkYXRh"
			"XCI6IHtcIm5hbWVcIjogXCJjXCJ9LCBcImRhdGFcIjoge1wieFwiOiBcImZvdW5kXCJ9fVxuIn0=")
			REVISION("torn", "1", "deployed", "e30=") REVISION(
				"gone", "3", "uninstalled",
				"e30=") "---\n{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: a, "
					"annotations: "
					"{kubectl.kubernetes.io/last-applied-configuration: "
					"'{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},"
					"\"data\":{\"x\":\"applied\"}}'}}, "
					"data: {x: found}}\n"
					"---\n{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: b, "
					"annotations: "
					"{kubectl.kubernetes.io/last-applied-configuration: '{'}}, data: {x: found}}\n";

static struct limits limits;

struct session {
	struct compare_options options;
	struct key_table *keys;
	struct compare_input input;
	struct compare_manifests manifests;
	struct compare_helm helm;
};

static int session_init(struct session *s, const char *part, struct err *err)
{
	char driver[] = "configmap";
	int r;

	s->options.helm_driver = driver;
	s->keys = key_table_new();
	compare_input_init(&s->input, &limits, s->keys);
	s->input.quiet = true;
	r = compare_manifests_init(&s->options, &limits, s->keys, part, &s->manifests, err);
	if (r == 0)
		r = compare_helm_init(&s->options, &limits, s->keys, &s->helm, err);
	if (r == 0)
		r = compare_input_text(&s->input, "objects", STR(objects), err);
	s->options.helm_driver = NULL;
	return r;
}

static void session_done(struct session *s)
{
	compare_helm_done(&s->helm);
	compare_manifests_done(&s->manifests);
	compare_input_done(&s->input);
	key_table_free(s->keys);
}

static bool has(const struct buf *text, const char *what)
{
	return str_find(buf_str(text), str_from(what)) >= 0;
}

/* The report says what differs and what is missing, and the errors what could not be held; or there is none. */
static int report(const struct session *s, const char *differs, const char *missing, const char *error, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20), errors = BUF_INIT(1u << 20);
	struct compare_report_options o = { 0 };
	int r = compare_manifests_report(&s->manifests, &s->input, &o, &out, &errors, err);

	oom_disarm();
	if (r < 0)
		return r;
	/* A problem for which there was no memory is counted. */
	if (out.error || errors.error || !has(&out, differs) || !has(&out, missing) ||
	    !(has(&errors, error) || has(&errors, " more")))
		return OOM_WRONG;
	return r == 1 ? 0 : OOM_WRONG;
}

static int run_compare_helm(struct err *err)
{
	CLEANUP(session_done) struct session s = { 0 };
	CLEANUP(freep) char *mistakes = NULL;
	int r;

	if (session_init(&s, "helm", err) < 0)
		return OOM_WRONG;
	s.manifests.apart = true;
	oom_arm();
	r = compare_helm_find(&s.helm, &s.input, err);
	if (r == 0)
		r = compare_helm_open(&s.helm, &s.manifests, &s.input, err);
	if (r == 0)
		r = compare_manifests_finish(&s.manifests, &s.input, &mistakes, err);
	if (r == 0)
		r = report(&s, "-  x: wanted\n+  x: found\n", "- v1_ConfigMap_shop_c\n", "revision 1 of shop/torn",
			   err);
	oom_disarm();
	return r;
}

static int run_compare_applied(struct err *err)
{
	CLEANUP(session_done) struct session s = { 0 };
	int r;

	if (session_init(&s, "last-applied", err) < 0)
		return OOM_WRONG;
	s.manifests.applied = true;
	oom_arm();
	r = report(&s, "-  x: applied\n+  x: found\n", "Without the annotation: 5",
		   "v1_ConfigMap_shop_b: its annotation", err);
	oom_disarm();
	return r;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "compare_helm", run_compare_helm, true },
		{ "compare_applied", run_compare_applied, true },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
