/* How the body of an answer goes out: at once, slowly, with a pause in it, or cut. */
#ifndef APISIM_BODY_H
#define APISIM_BODY_H

#include "base/defs.h"

#include <microhttpd.h>

struct request;

enum body_cut {
	BODY_WHOLE,
	BODY_END,   /* in order: nothing says that more was to come */
	BODY_CLOSE, /* the body has no length and ends with its connection */
	BODY_FIN,   /* the connection is closed before the end of the body; with TLS without its close_notify */
	BODY_RST,   /* the same with a reset */
};

struct body_shape {
	enum body_cut cut;
	uint64_t bytes;      /* that go out before the cut, or the pause */
	uint64_t pause_ms;   /* 0: none */
	uint64_t per_second; /* bytes; 0: as fast as they are taken */
};

/* A response whose body comes from @read, in the shape that the request's fault asks for. @size: MHD_SIZE_UNKNOWN when
 * it is not known. NULL without memory: @cls is then still the caller's; else it goes to @done at the end. */
struct MHD_Response *body_response(struct request *req, uint64_t size, MHD_ContentReaderCallback read, void *cls,
				   MHD_ContentReaderFreeCallback done);
/* End the connection now, in both directions. */
void body_reset(struct MHD_Connection *conn);
void body_cut(struct MHD_Connection *conn); /* with a FIN, with TLS without its close_notify */

#endif
