/* The functions of libmicrohttpd that are called here; see kubeclient/lazy_library.h. */
#include "kubeclient/lazy_library.h"

#include <microhttpd.h>
#include <stdarg.h>

static struct lazy_library microhttpd = { .soname = "libmicrohttpd.so.12" };

/* Options come as one array: MHD_OPTION_ARRAY, items, MHD_OPTION_END. */
struct MHD_Daemon *(MHD_start_daemon)(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept, void *accept_cls,
				      MHD_AccessHandlerCallback handler, void *handler_cls, ...)
{
	typedef struct MHD_Daemon *start(unsigned, uint16_t, MHD_AcceptPolicyCallback, void *,
					 MHD_AccessHandlerCallback, void *, ...);
	static _Atomic(void *) known;
	start *call = (start *)lazy_symbol(&microhttpd, "MHD_start_daemon", &known);
	struct MHD_OptionItem *items;
	va_list ap;
	int option;

	va_start(ap, handler_cls);
	option = va_arg(ap, int);
	items = va_arg(ap, struct MHD_OptionItem *);
	va_end(ap);
	return call(flags, port, accept, accept_cls, handler, handler_cls, option, items, MHD_OPTION_END);
}

/* What is asked for here takes no further argument. */
const union MHD_DaemonInfo *(MHD_get_daemon_info)(struct MHD_Daemon *daemon, enum MHD_DaemonInfoType type, ...)
{
	typedef const union MHD_DaemonInfo *get(struct MHD_Daemon *, enum MHD_DaemonInfoType, ...);
	static _Atomic(void *) known;

	return ((get *)lazy_symbol(&microhttpd, "MHD_get_daemon_info", &known))(daemon, type);
}

LAZY_CALL(microhttpd, void, MHD_stop_daemon, (struct MHD_Daemon * daemon), (daemon))
LAZY_CALL(microhttpd, enum MHD_Result, MHD_run, (struct MHD_Daemon * daemon), (daemon))
LAZY_CALL(microhttpd, const char *, MHD_lookup_connection_value,
	  (struct MHD_Connection * connection, enum MHD_ValueKind kind, const char *key), (connection, kind, key))
LAZY_CALL(microhttpd, struct MHD_Response *, MHD_create_response_from_buffer,
	  (size_t n, void *buffer, enum MHD_ResponseMemoryMode mode), (n, buffer, mode))
LAZY_CALL(microhttpd, enum MHD_Result, MHD_add_response_header,
	  (struct MHD_Response * response, const char *header, const char *content), (response, header, content))
LAZY_CALL(microhttpd, enum MHD_Result, MHD_queue_response,
	  (struct MHD_Connection * connection, unsigned status, struct MHD_Response *response),
	  (connection, status, response))
LAZY_CALL(microhttpd, void, MHD_destroy_response, (struct MHD_Response * response), (response))
