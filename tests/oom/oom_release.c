/* Helm's releases without memory. */
#include "oom.h"

#include "release/helm_release.h"
#include "value/yaml.h"

static struct limits limits;

static int open_object(const char *text, struct err *err)
{
	struct yaml_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *object = NULL;
	struct helm_release release = { 0 };
	int r;

	if (yaml_decode(str_from(text), &o, &object, err) < 0)
		return OOM_WRONG;
	oom_arm();
	r = helm_release_open(object->root, &limits, NULL, &release, err);
	oom_disarm();
	if (r < 0)
		return release.arena.blocks || release.manifest.p ? OOM_WRONG : r;
	r = str_eq(release.manifest, STR("a: 1\n")) && str_eq(release.chart, STR("web")) ? 0 : OOM_WRONG;
	helm_release_done(&release);
	return r;
}

#define METADATA                                                                                                       \
	"metadata: {namespace: shop, name: sh.helm.release.v1.web.v3, labels: {owner: helm, name: web, version: '3'}}"

static int run_helm_release(struct err *err)
{
	return open_object("{apiVersion: v1, kind: Secret, type: helm.sh/release.v1, " METADATA ", data: {release: "
			   "SDRzSUFBQUFBQUFDQTAyTXZSSkFNQkNFWDhWc25RWmRYZ1hGNFVLS1hJeGtLRXplM1VXbDIvMzI1NEZR"
			   "WUZqY1BNTjhKaDIwVkpMMmVDaTYrRXcrQ214dnNPeDBadGdIZ1RPdGxLbnEzMEVwMm9uaS9GWURUWWZX"
			   "ZEpQQ1FPSWRKOTJDYk5PT2d2SUNRRGdDdVhvQUFBQT0="
			   "}}",
			   err);
}

static int run_helm_release_plain(struct err *err)
{
	return open_object("{apiVersion: v1, kind: ConfigMap, " METADATA ", data: {release: "
			   "eyJuYW1lIjoid2ViIiwibmFtZXNwYWNlIjoic2hvcCIsInZlcnNpb24iOjMsImNoYXJ0Ijp7Im1ldGFk"
			   "YXRhIjp7Im5hbWUiOiJ3ZWIifX0sImNvbmZpZyI6eyJhIjpbMSwyXX0sIm1hbmlmZXN0IjoiYTogMVxu"
			   "In0="
			   "}}",
			   err);
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "helm_release", run_helm_release, false },
		{ "helm_release_plain", run_helm_release_plain, false },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
