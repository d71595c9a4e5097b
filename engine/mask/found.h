/* What was found in a text. */
#ifndef MASK_FOUND_H
#define MASK_FOUND_H

#include "base/defs.h"

/* What stands for a hidden text where equal ones must stay equal (a recording): hidden as well, wherever it stands. */
#define MASK_DIGEST_PREFIX "driftd-hidden-"

enum mask_shape {
	SHAPE_PLAIN,
	SHAPE_NAMES,  /* it gives a value to a name of names.h: password=x, "token": "x", --secret x */
	SHAPE_SECRET, /* it is one or holds one, whatever it is called: a private key, a token, a password in a URL */
};

/* Why a text is hidden. */
struct mask_found {
	enum mask_shape shape;
	const char *rule; /* a few words, which last: "a private key", "npm token"; NULL: SHAPE_PLAIN */
	size_t at, n;     /* where: the name, the token, or the encoded text that holds it */
	bool named;       /* there stands a name, which may be shown */
};

#endif
