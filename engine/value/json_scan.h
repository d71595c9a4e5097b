/* Walking over JSON text many bytes at a time. */
#ifndef VALUE_JSON_SCAN_H
#define VALUE_JSON_SCAN_H

#include <stddef.h>

/* The first byte at or after @p that plain ASCII text of a string cannot hold: a quote, a backslash, a control
 * character or a byte of a longer UTF-8 sequence; @end when there is none. */
const char *json_plain_end(const char *p, const char *end);

/* Behind the bracket that closes the one at @p, by quotes and brackets alone: nothing else is checked, not even which
 * kind of bracket closes which, and a quote behind a backslash is none outside of strings too. NULL: it is not closed
 * before @end. */
const char *json_brackets_end(const char *p, const char *end);

/* As json_brackets_end, where all of it is plain ASCII without escapes or control characters, white space of lines
 * among these, and surely no more than @depth levels deep. NULL: it is not, or is not closed. */
const char *json_plain_brackets_end(const char *p, const char *end, size_t depth);

#endif
