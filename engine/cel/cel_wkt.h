/* The well-known protobuf messages that have a meaning of their own in the language: wrappers, Struct, Value,
 * ListValue, Timestamp, Duration, Empty and Any-free. A literal of such a message makes the value that it
 * represents.   CEL langdef, Dynamic Values */
#ifndef CEL_WKT_H
#define CEL_WKT_H

#include "cel/cel_type.h"
#include "cel/cel_value.h"

enum cel_message {
	MSG_BOOL = 1,
	MSG_INT32,
	MSG_INT64,
	MSG_UINT32,
	MSG_UINT64,
	MSG_FLOAT,
	MSG_DOUBLE,
	MSG_STRING,
	MSG_BYTES,
	MSG_STRUCT,
	MSG_VALUE,
	MSG_LIST,
	MSG_TIMESTAMP,
	MSG_DURATION,
};

struct cel_wkt {
	const char *name;
	uint8_t message;
	const char *type; /* the type in the notation of cel_func.h; for wrappers the type that they wrap */
};

const struct cel_wkt *cel_wkt_find(str name);
/* The type of a field; NULL when there is no field of that name. */
const struct cel_type *cel_wkt_field(struct arena *a, const struct cel_wkt *w, str field);
const struct cel_type *cel_wkt_type(struct arena *a, const struct cel_wkt *w);
/* The value of a literal of message @message. */
cv cel_wkt_make(struct arena *a, uint32_t message, const str *fields, const cv *values, uint32_t n);

#endif
