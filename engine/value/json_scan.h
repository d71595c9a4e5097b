/* Walks over JSON text many bytes at a time. */
#ifndef VALUE_JSON_SCAN_H
#define VALUE_JSON_SCAN_H

#include <stddef.h>

/* The first byte at or after @p that plain ASCII text of a string cannot hold: a quote, a backslash, a control
 * character or a byte of a longer UTF-8 sequence; @end when there is none. */
const char *json_plain_end(const char *p, const char *end);

/* The place behind the bracket that closes the one at @p, found by quotes and brackets alone. Nothing else is
 * checked, not even which kind of bracket closes which; a quote behind a backslash does not count, even outside of
 * strings. NULL: it is not closed before @end. */
const char *json_brackets_end(const char *p, const char *end);

/* As json_brackets_end, for text that is all plain ASCII without escapes and control characters (line breaks and
 * tabs are control characters), and surely no more than @depth levels deep. NULL: it is not, or is not closed. */
const char *json_plain_brackets_end(const char *p, const char *end, size_t depth);

#endif
