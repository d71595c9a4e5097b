/* Finds out what the name of a key says about its value. */
#ifndef MASK_NAMES_H
#define MASK_NAMES_H

#include "base/str.h"

/* The names that the configuration adds to the built-in ones, and those that it removes. Names are compared without
 * case and punctuation: "licenseKey" is "LICENSE_KEY". The struct views its lists; {0} changes nothing. */
struct mask_fields {
	const str *sensitive;
	size_t n_sensitive;
	const str *shown;
	size_t n_shown;
	const str *known; /* texts that are hidden wherever they appear (mask_texts) */
	size_t n_known;
	/* the steps that may be spent, of some 10 ns each; at 0 everything is hidden. NULL: no limit */
	uint64_t *steps;
};

/* Spend @n steps. False: none are left, and the caller must hide. */
static inline bool mask_spend(const struct mask_fields *fields, size_t n)
{
	if (!fields || !fields->steps)
		return true;
	*fields->steps -= n < *fields->steps ? n : *fields->steps;
	return *fields->steps > 0;
}

enum mask_name {
	NAME_PLAIN,
	NAME_HOLDER,    /* "value", "data": says nothing by itself, but the name above it does */
	NAME_SHOWN,     /* one of shown_fields */
	NAME_TEXTS,     /* texts are hidden, but numbers are not, because "tokens" may count them */
	NAME_SCALARS,   /* texts and numbers are hidden; maps below have keys of their own */
	NAME_SENSITIVE, /* one of sensitive_fields: everything below it is hidden */
};

/* What a key says by its words (camel case, punctuation), above all the last ones: "DB_PASSWORD", "tls.key" and
 * "clientSecret" hide, "passwordPolicy", "secretName" and "tokenTTL" do not. Of a very long key only the end is
 * read. @fields may be NULL. */
enum mask_name mask_name(const struct mask_fields *fields, str key);

/* Whether mask_secrets hides the value of @key, by exactly this name, from inspection rules. mask_name hides such a
 * value as well. */
bool mask_name_of_rules(str key);

/* Whether the value of @key is the name of something else in its map, as that of "name" is in {name: DB_PASSWORD,
 * value: x}. */
bool mask_is_label(str key);
/* Whether @key holds the value that belongs to such a name, if NAME_HOLDER does not say so: "ParameterValue". */
bool mask_is_value_name(str key);

/* Whether two names are equal, ignoring case and punctuation. */
bool mask_same_name(str a, str b);

#endif
