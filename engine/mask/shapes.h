/* What a text itself says about holding a secret. */
#ifndef MASK_SHAPES_H
#define MASK_SHAPES_H

#include "mask/names.h"

/* What stands for a hidden text where equal ones must stay equal (a recording): hidden as well, wherever it stands. */
#define MASK_DIGEST_PREFIX "driftd-hidden-"

enum mask_shape {
	SHAPE_PLAIN,
	SHAPE_NAMES,  /* it gives a value to a name of names.h: password=x, "token": "x", --secret x */
	SHAPE_SECRET, /* it is one or holds one, whatever it is called: a private key, a token, a password in a URL */
};

/* SHAPE_SECRET: PEM and PuTTY private keys (also in base64), JSON Web Tokens, tokens of well-known issuers, URLs with a
 * password, manifests of Secrets. SHAPE_NAMES: texts such as command lines, configuration files and JSON in which a
 * name that hides has a value; env entries (name, then value) too. A reference to a variable, "$(NAME)", is no value.
 * One pass; memory of its own is not needed. @fields may be NULL. */
enum mask_shape mask_shape(const struct mask_fields *fields, str text);

/* Whether @text is an option of a command line, alone, whose argument is a secret: "--password". */
bool mask_is_option(const struct mask_fields *fields, str text);

#endif
