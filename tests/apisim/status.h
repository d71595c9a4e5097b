/* What the server refuses, as a Kubernetes Status object. A function that can refuse returns 0 or -1 and fills the
 * caller's struct refusal; it allocates nothing. */
#ifndef APISIM_STATUS_H
#define APISIM_STATUS_H

#include "base/defs.h"

#include <jansson.h>

struct resource;

struct refusal {
	int code;           /* HTTP */
	const char *reason; /* static text */
	char message[768];
	char name[256];
	char group[128];
	char kind[128];       /* the plural, as the server writes it */
	const char *cause;    /* static text or NULL: reason of the one cause */
	const char *field;    /* static text or NULL: field of the one cause */
	unsigned retry_after; /* seconds; 0: not said */
	char token[768];      /* metadata.continue */
};

int refuse(struct refusal *r, int code, const char *reason, const char *fmt, ...) PRINTF(4, 5);
/* The same with details naming @res and @name (may be NULL). */
int refuse_object(struct refusal *r, const struct resource *res, const char *name, int code, const char *reason,
		  const char *fmt, ...) PRINTF(6, 7);
int refuse_not_found(struct refusal *r, const struct resource *res, const char *name);
int refuse_invalid(struct refusal *r, const struct resource *res, const char *name, const char *field, const char *fmt,
		   ...) PRINTF(5, 6);
int refuse_nomem(struct refusal *r);
int refuse_future(struct refusal *r, uint64_t asked, uint64_t current);

/* "pods" or "deployments.apps". */
void resource_label(const struct resource *res, char *to, size_t n);

json_t *refusal_json(const struct refusal *r); /* NULL without memory */
const char *reason_of_code(int code);

#endif
