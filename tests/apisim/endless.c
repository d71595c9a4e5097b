/* Inventing objects. */
#include "endless.h"

#include "http.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define PAGE 500

static struct rev *invent(const struct request *req)
{
	uint64_t n = ++req->sim->invented;
	char name[64], uid[64];
	json_auto_t *obj = NULL;

	(void)snprintf(name, sizeof(name), "endless-%012" PRIu64, n);
	(void)snprintf(uid, sizeof(uid), "00000000-0000-4000-8000-%012" PRIu64, n);
	obj = json_pack("{s:{s:s, s:s}}", "metadata", "name", name, "uid", uid);
	if (obj && req->res->namespaced)
		json_object_set_new(json_object_get(obj, "metadata"), "namespace",
				    json_string(req->ns ? req->ns : "default"));
	return obj ? rev_new(req->res, obj, req->sim->rv) : NULL;
}

int endless_page(const struct request *req, size_t limit, rev_list *ret)
{
	for (size_t i = 0; i < (limit ? limit : PAGE); i++) {
		CLEANUP(rev_unrefp) struct rev *rev = invent(req);

		if (!rev || !vec_push(ret, rev))
			return -ENOMEM;
		(void)TAKE(rev);
	}
	return 0;
}
