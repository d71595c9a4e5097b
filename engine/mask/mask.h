/* What of a watched object may be shown: in records, reports, errors and what is kept. The one place that decides it.
 *
 * Hidden are
 *   - data and stringData of a Secret, also of one within another object, stringData of whatever else, and a Secret's
 * last-applied annotation;
 *   - texts and numbers below a key that names.h knows, and those that stand with a "name" or "key" that it knows: the
 * "value" or "default" of an env entry; a map below such a key is judged by its own keys, but what is below one of
 * sensitive_fields is hidden altogether;
 *   - the argument behind an option of a command line, and user:password behind "-u";
 *   - texts, keys and names of items with a shape that shapes.h knows;
 *   - texts that hold a text which is known to be hidden elsewhere; but not kind, namespace and name of objects.
 * A place of two sides, as of a comparison, is judged by both. Nothing here fails for want of memory unless it says so;
 * what cannot be judged (nesting above 1000, no steps left) is hidden. @fields may be NULL everywhere. */
#ifndef MASK_MASK_H
#define MASK_MASK_H

#include "base/defs.h"
#include "mask/names.h"
#include "value/path.h"

/* What is known of a place from the way to it. */
struct mask_place {
	const char *why; /* it hides; NULL: it does not by itself */
	uint8_t hide;    /* of mask.c */
	bool secret;     /* in a Secret */
	bool shown;      /* shown_fields names it */
	bool secret_key; /* a key on the way is a secret itself */
	bool metadata;   /* of an object */
	bool identity;   /* kind, namespace or name of an object */
};

struct mask_place mask_root(void);
/* The member @key of the maps @e and @a at @parent (each may be no map). */
struct mask_place mask_member(const struct mask_fields *fields, struct mask_place parent, val e, val a, str key);
/* An item of the lists at @parent, behind the items @e and @a (VAL_ABSENT: it is the first). */
struct mask_place mask_item(const struct mask_fields *fields, struct mask_place parent, val e, val a);
/* The item of such lists that is called as @s says (PATH_NAME, PATH_KEYS). */
struct mask_place mask_called_item(const struct mask_fields *fields, struct mask_place parent,
				   const struct path_segment *s);

/* Why the scalar @v, which is at @place, is hidden, in a few words that last; NULL: it is shown. */
const char *mask_why(const struct mask_fields *fields, struct mask_place place, val v);

/* Whether @v, which is at @place, or something in it may not be shown. */
bool mask_hides(const struct mask_fields *fields, struct mask_place place, val v);
/* As mask_hides, for what is at @p of @object. */
bool mask_hides_at(const struct mask_fields *fields, val object, struct path p);

/* Texts shorter than this are parts of many others, and are not remembered: they would hide everything, and what they
 * hide would reveal them. */
#define MASK_KNOWN_LEAST 8

/* Add to @texts the hidden texts of @object, of which *n are there already: what was made from it may hold them, under
 * harmless names. Of several lines the longest stands for all. They live as long as @object. False when there are more
 * than @max. */
bool mask_texts(const struct mask_fields *fields, val object, str *texts, size_t *n, size_t max);

bool mask_is_secret(val object);

/* The text of a path, with "***" for keys and names that are secrets themselves. {NULL, 0} without memory. */
str mask_path_text(const struct mask_fields *fields, struct path p, struct arena *a);

/* Copies both sides of a comparison, with "***" for everything hidden, and "*** (before)" and "*** (after)" where it
 * differs; keys as well. @everything: every value is hidden, whatever its name: what is left are the places. Results
 * live in @a. False without memory. */
CHECKED bool mask_sides(const struct mask_fields *fields, val expected, val actual, bool everything, struct arena *a,
			val *ret_expected, val *ret_actual);

/* What stands for what is hidden. */
struct mask_replacer {
	/* For the scalar, or the key as a text, @v; @encoded: texts must be base64 here. VAL_ABSENT without memory. */
	val (*replace)(void *ctx, val v, bool encoded, struct arena *a);
	void *ctx;
};

/* A copy of @object, which shares what is shown, with what @by makes of each hidden scalar and each key that is a
 * secret itself. Results live in @a. False without memory. */
CHECKED bool mask_replace(const struct mask_fields *fields, val object, const struct mask_replacer *by, struct arena *a,
			  val *ret);

/* *v, which is at @place, with what is hidden of it marked (val.secret): as it was where nothing is, else a copy in @a
 * that shares what is shown. False without memory. */
CHECKED bool mask_mark(const struct mask_fields *fields, struct mask_place place, struct arena *a, val *v);
/* As mask_mark, for a value of which everything is hidden. */
CHECKED bool mask_mark_all(struct arena *a, val *v);
/* Whether @v, or something in it, is marked. */
bool mask_is_marked(val v);

#endif
