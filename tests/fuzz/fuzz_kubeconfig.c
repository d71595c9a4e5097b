/* Any text as a kubeconfig: each of its contexts is resolved. */
#include "kubeclient/kubeconfig.h"
#include "support/kubeconfig_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	struct kube_target target;
	struct err err;

	if (kubeconfig_parse((str){ (const char *)data, size }, "/dir/file", &k, &err) < 0)
		return 0;
	for (size_t i = 0; i < kubeconfig_n_contexts(k); i++)
		if (kubeconfig_target(k, kubeconfig_context_name(k, i), &target, &err) == 0 && !target.cluster->server)
			abort();
	return 0;
}
