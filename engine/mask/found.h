/* The result of a search for secrets in a text: why the text is hidden, and where the reason is. */
#ifndef MASK_FOUND_H
#define MASK_FOUND_H

#include "base/defs.h"

/* The prefix of the text that replaces a hidden one where equal texts must stay equal (in a recording). Such a text
 * is hidden as well, wherever it is. */
#define MASK_DIGEST_PREFIX "driftd-hidden-"

enum mask_shape {
	SHAPE_PLAIN,
	SHAPE_NAMES, /* the text gives a value to a name of names.h: password=x, "token": "x", --secret x */
	/* the text is or contains a secret, whatever its name: a private key, a token, a password in a URL */
	SHAPE_SECRET,
};

/* Why a text is hidden. */
struct mask_found {
	enum mask_shape shape;
	const char *rule; /* a few words that last, such as "a private key", "npm token"; NULL: SHAPE_PLAIN */
	size_t at, n;     /* the place of the name, the token, or the encoded text that contains it */
	bool named;       /* the place is a name, which may be shown */
};

#endif
