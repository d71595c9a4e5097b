/* What the name of a key says about its value. */
#ifndef MASK_NAMES_H
#define MASK_NAMES_H

#include "base/str.h"

/* What the configuration adds to the built-in names and takes away from them. Names are compared without case and
 * punctuation: "licenseKey" is "LICENSE_KEY". Views its lists; {0} is neither. */
struct mask_fields {
	const str *sensitive;
	size_t n_sensitive;
	const str *shown;
	size_t n_shown;
	const str *known; /* texts that are hidden wherever they stand (mask_texts) */
	size_t n_known;
	uint64_t *steps; /* what may be spent on looking, of some 10 ns each; at 0 all is hidden. NULL: any number */
};

/* Spend @n steps. False: none are left, and the answer is to be the one that hides. */
static inline bool mask_spend(const struct mask_fields *fields, size_t n)
{
	if (!fields || !fields->steps)
		return true;
	*fields->steps -= n < *fields->steps ? n : *fields->steps;
	return *fields->steps > 0;
}

enum mask_name {
	NAME_PLAIN,
	NAME_HOLDER,    /* "value", "data": says nothing by itself, what is above it does */
	NAME_SHOWN,     /* one of shown_fields */
	NAME_TEXTS,     /* texts are hidden: "tokens" may count them */
	NAME_SCALARS,   /* texts and numbers are hidden; maps below have keys of their own */
	NAME_SENSITIVE, /* one of sensitive_fields: everything below it is hidden */
};

/* The words of @key (camel case, punctuation) are what counts, the last ones above all: "DB_PASSWORD", "tls.key" and
 * "clientSecret" hide, "passwordPolicy", "secretName" and "tokenTTL" do not. Of a very long key only the end is read.
 * @fields may be NULL. */
enum mask_name mask_name(const struct mask_fields *fields, str key);

/* Whether mask_secrets keeps the value of @key, exactly so called, from inspection rules. What it names hides here too.
 */
bool mask_name_of_rules(str key);

/* Whether @key is called what something else in its map is: "name" of {name: DB_PASSWORD, value: x}. */
bool mask_is_label(str key);
/* Whether it is called what that has as its value, where NAME_HOLDER does not say so: "ParameterValue". */
bool mask_is_value_name(str key);

/* Whether two names are one: without case and punctuation. */
bool mask_same_name(str a, str b);

#endif
