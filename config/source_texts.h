/* The texts of a source as a table, for what writes, reads and hashes all of them. */
#ifndef CONFIG_SOURCE_TEXTS_H
#define CONFIG_SOURCE_TEXTS_H

#include "config/source.h"

struct source_text {
	const char *key; /* as the request has it */
	size_t offset;   /* in struct source */
};

#define SOURCE_TEXTS 17
extern const struct source_text source_texts[SOURCE_TEXTS];

static inline const str *source_text_of(const struct source *s, size_t i)
{
	return (const str *)((const char *)s + source_texts[i].offset);
}

#endif
