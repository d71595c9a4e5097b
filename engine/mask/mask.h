/* Decides which parts of a watched object may be shown in records, reports and errors, and may be stored. Nothing else
 * decides that.
 *
 * Hidden are
 *   - data and stringData of a Secret, also of one within another object, stringData of whatever else, and a Secret's
 * last-applied annotation;
 *   - texts and numbers below a key that names.h knows, and those that stand with a "name" or "key" that it knows: the
 * "value" or "default" of an env entry; a map below such a key is judged by its own keys, but what is below one of
 * sensitive_fields is hidden altogether;
 *   - the argument behind an option of a command line, and user:password behind "-u";
 *   - texts, keys and names of items with a shape that shapes.h knows;
 *   - texts that contain a text which is known to be hidden elsewhere; but not kind, namespace and name of objects.
 * A place with two sides, as in a comparison, is judged by both. These functions only fail without memory if their
 * comments say so. What cannot be judged (nesting above 1000, no steps left) is hidden. @fields may be NULL
 * everywhere. */
#ifndef MASK_MASK_H
#define MASK_MASK_H

#include "base/defs.h"
#include "mask/names.h"
#include "value/path.h"

/* What is known of a place from the path to it. */
struct mask_place {
	const char *why; /* why the place hides; NULL: it does not by itself */
	uint8_t hide;    /* enum hide of mask.c */
	bool secret;     /* the place is in a Secret */
	bool shown;      /* shown_fields names it */
	bool secret_key; /* a key on the way is a secret itself */
	bool metadata;   /* the metadata of an object */
	bool identity;   /* kind, namespace or name of an object */
};

struct mask_place mask_root(void);
/* The place of the member @key of the maps @e and @a at @parent (either may be no map). */
struct mask_place mask_member(const struct mask_fields *fields, struct mask_place parent, val e, val a, str key);
/* The place of an item of the lists at @parent, behind the items @e and @a (VAL_ABSENT: it is the first). */
struct mask_place mask_item(const struct mask_fields *fields, struct mask_place parent, val e, val a);
/* The place of the item of such lists that has the name in @s (PATH_NAME, PATH_KEYS). */
struct mask_place mask_called_item(const struct mask_fields *fields, struct mask_place parent,
				   const struct path_segment *s);

/* Why the scalar @v, which is at @place, is hidden, in a few words that last; NULL: it is shown. */
const char *mask_why(const struct mask_fields *fields, struct mask_place place, val v);

/* Whether @v, which is at @place, or something in it may not be shown. */
bool mask_hides(const struct mask_fields *fields, struct mask_place place, val v);
/* As mask_hides, for what is at @p of @object. */
bool mask_hides_at(const struct mask_fields *fields, val object, struct path p);

/* The shortest hidden text that is remembered. Shorter texts are parts of many others: they would hide everything,
 * and what they hide would reveal them. */
#define MASK_KNOWN_LEAST 8

/* Add to @texts the hidden texts of @object, of which there are *n already: what was made of the object may contain
 * them under harmless names. Of a text with several lines only the longest is added. The texts live as long as
 * @object. False when there are more than @max. */
bool mask_texts(const struct mask_fields *fields, val object, str *texts, size_t *n, size_t max);

bool mask_is_secret(val object);

/* The text of a path, with "***" in the place of keys and names that are secrets themselves. {NULL, 0} without
 * memory. */
str mask_path_text(const struct mask_fields *fields, struct path p, struct arena *a);

/* Copy both sides of a comparison, with "***" in the place of everything hidden, and "*** (before)" and "***
 * (after)" where it differs, also in keys. @everything: hide every value, whatever its name, so that only places are
 * left. Results live in @a. False without memory. */
CHECKED bool mask_sides(const struct mask_fields *fields, val expected, val actual, bool everything, struct arena *a,
			val *ret_expected, val *ret_actual);

/* Makes what takes the place of hidden values. */
struct mask_replacer {
	/* Replaces the scalar @v, or a key as text; @encoded: the text must be base64. VAL_ABSENT without memory. */
	val (*replace)(void *ctx, val v, bool encoded, struct arena *a);
	void *ctx;
};

/* Copy @object, and replace each hidden scalar and each key that is a secret itself with what @by makes of it. The
 * copy shares what is shown. Results live in @a. False without memory. */
CHECKED bool mask_replace(const struct mask_fields *fields, val object, const struct mask_replacer *by, struct arena *a,
			  val *ret);

/* Mark what is hidden in *v, which is at @place (val.secret). If nothing is hidden, *v stays as it is; otherwise it
 * becomes a copy in @a that shares what is shown. False without memory. */
CHECKED bool mask_mark(const struct mask_fields *fields, struct mask_place place, struct arena *a, val *v);
/* Mark everything in *v as hidden, as mask_mark does. */
CHECKED bool mask_mark_all(struct arena *a, val *v);
/* Whether @v, or something in it, is marked. */
bool mask_is_marked(val v);

#endif
