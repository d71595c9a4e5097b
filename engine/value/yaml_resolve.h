/* Resolves the type of a YAML scalar by the rules of YAML 1.1, as go-yaml 2 applies them. */
#ifndef VALUE_YAML_RESOLVE_H
#define VALUE_YAML_RESOLVE_H

#include "base/buf.h"
#include "value/val.h"
#include "value/yaml_tree.h"

/* The value of @text under @tag (YAML_TAG_NONE: it is plain, and its text decides). A text that remains text is a
 * VAL_STRING that views @text; so does a timestamp, because Kubernetes' decoding does not convert it. !!binary is
 * not decoded here. Fails: EBADMSG when the text is not of the type that the tag demands; ENOMEM. */
CHECKED int yaml_resolve(enum yaml_tag tag, str text, val *ret, struct err *err);

/* Whether @text without a tag is surely text: true for most texts, and decided by the first character. */
static inline bool yaml_is_surely_text(str text)
{
	extern const uint8_t yaml_longest_other[256];

	return text.n > yaml_longest_other[text.n ? (unsigned char)text.p[0] : '0'];
}

/* Whether @text, written without quotes, is read back as text: by this reader, and by readers that know numbers to
 * base 60. False also without memory: then the text is quoted, which is never wrong. */
bool yaml_reads_as_text(str text);

#endif
