/* Kubeconfigs without memory. */
#include "oom.h"

#include "kubeclient/kubeconfig.h"

#include "base/file.h"

static char *text;
static size_t n_text;

static int run_kubeconfig_parse(struct err *err)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	int r;

	oom_arm();
	r = kubeconfig_parse((str){ text, n_text }, "/dir/config", &k, err);
	oom_disarm();
	return (r == 0) == (k != NULL) ? r : OOM_WRONG;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = { { "kubeconfig_parse", run_kubeconfig_parse, false } };
	struct err err;
	int r;

	if (file_read(TEST_DATA "/kubeclient/full.yaml", 1u << 20, &text, &n_text, &err) < 0)
		return 1;
	r = oom_main(argc, argv, cases, ARRAY_LEN(cases));
	free(text);
	return r;
}
