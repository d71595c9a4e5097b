/* Finds out what a text itself says about holding a secret. */
#ifndef MASK_SHAPES_H
#define MASK_SHAPES_H

#include "mask/found.h"
#include "mask/names.h"

/* The shape of a text. SHAPE_SECRET: PEM and PuTTY private keys, JSON Web Tokens, what issuers.c knows, URLs and data
 * sources with a password, manifests of Secrets. SHAPE_NAMES: texts such as command lines, configuration files, code,
 * XML, SQL and JSON in which a name that hides has a value, whatever gives it one; also env entries (name and value, in
 * any order). A reference to a variable, "$(NAME)", is no value unless it has a default. Text that may be a value
 * counts as one. What is encoded in the text, as base64, in percents or escapes, is judged in the same way, up to three
 * levels deep.
 *
 * The text is read in one pass: steps grow with the length of @text. Encoded text takes memory; without memory the
 * text is hidden. @fields may be NULL. */
enum mask_shape mask_shape(const struct mask_fields *fields, str text);
/* As mask_shape, with the reason for the worst of what was found. */
struct mask_found mask_shape_why(const struct mask_fields *fields, str text);
/* Call @report for everything that is found, in the order in which it ends. */
void mask_shape_each(const struct mask_fields *fields, str text,
		     void (*report)(void *ctx, const struct mask_found *found), void *ctx);

/* Whether @text consists of one command-line option whose argument is a secret, such as "--password". */
bool mask_is_option(const struct mask_fields *fields, str text);

#endif
