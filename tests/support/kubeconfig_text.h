/* A kubeconfig from one text; @path names it in messages and is what relative paths count from. */
#ifndef TESTS_KUBECONFIG_TEXT_H
#define TESTS_KUBECONFIG_TEXT_H

#include "kubeclient/kubeconfig_internal.h"

CHECKED static inline int kubeconfig_parse(str text, const char *path, struct kubeconfig **ret, struct err *err)
{
	struct kubeconfig *k = kubeconfig_new();
	int r = k ? kubeconfig_add_text(k, text, path, err) : err_nomem(err);

	if (r == 0)
		*ret = k;
	else
		kubeconfig_unref(k);
	return r < 0 && k ? err_wrap(err, "kubeconfig") : r;
}

#endif
