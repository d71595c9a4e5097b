/* A text to hide, planted into objects where nothing may be shown, and looked for in what came of them: as it is, in
 * either case, in base64 wherever it begins in a group of three bytes, in hexadecimal digits and percent-encoded.
 *
 * The places are told by their names alone, apart from engine/mask, so that they do not share its mistakes. */
#ifndef SUPPORT_MARKER_H
#define SUPPORT_MARKER_H

#include "base/assert.h"
#include "base/buf.h"
#include "go/base64.h"
#include "value/val.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#define MARKER "QzSecretMarker7x"
#define MARKER_LEN (sizeof(MARKER) - 1)

enum {
	MARKER_RAW,
	MARKER_UPPER,
	MARKER_LOWER,
	MARKER_BASE64,
	MARKER_HEX = MARKER_BASE64 + 3,
	MARKER_PERCENT = MARKER_HEX + 2,
	MARKER_FORMS
};

static char marker_forms[MARKER_FORMS][MARKER_LEN * 3 + 1];

/* The digits that the marker alone decides, behind @offset other bytes. */
static inline void marker_base64(unsigned offset, char *out)
{
	char text[MARKER_LEN + 2] = { 0 }, digits[GO_BASE64_LEN(MARKER_LEN + 2)];
	size_t from = (offset * 8 + 5) / 6, to = (offset + MARKER_LEN) * 8 / 6;

	memcpy(text + offset, MARKER, MARKER_LEN);
	(void)go_base64_write(&go_base64_std, text, offset + MARKER_LEN, digits);
	memcpy(out, digits + from, to - from);
	out[to - from] = '\0';
}

static inline void marker_init(void)
{
	char(*forms)[sizeof(*marker_forms)] = marker_forms;

	memcpy(forms[MARKER_RAW], MARKER, sizeof(MARKER));
	for (size_t i = 0; i < MARKER_LEN; i++) {
		unsigned char c = (unsigned char)MARKER[i];

		forms[MARKER_UPPER][i] = (char)toupper(c);
		forms[MARKER_LOWER][i] = (char)tolower(c);
		(void)snprintf(forms[MARKER_HEX] + 2 * i, 3, "%02x", c);
		(void)snprintf(forms[MARKER_HEX + 1] + 2 * i, 3, "%02X", c);
		(void)snprintf(forms[MARKER_PERCENT] + 3 * i, 4, "%%%02X", c);
	}
	for (unsigned offset = 0; offset < 3; offset++)
		marker_base64(offset, forms[MARKER_BASE64 + offset]);
}

/* The form in which @text holds it; NULL: in none. */
static inline const char *marker_in(str text)
{
	for (size_t i = 0; i < MARKER_FORMS; i++) {
		if (str_find(text, str_from(marker_forms[i])) >= 0)
			return marker_forms[i];
	}
	return NULL;
}

/* ---- planting ---- */

static inline bool marker_is_secret_name(str name)
{
	static const char *const names[] = { "password",     "token",       "DB_PASSWORD",
					     "clientSecret", "tls.key",     "connectionString",
					     "privateKey",   "db.password", "client_secret",
					     "access_token" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(name, str_from(names[i])))
			return true;
	}
	return false;
}

/* Behind the text that is there, so that its shape and its length remain the input's. @base64: all of it in base64. */
static inline val marker_text(val v, bool base64, struct arena *a)
{
	CLEANUP(buf_done) struct buf plain = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20);
	str text;

	buf_add_str(&plain, val_str(v));
	buf_add_cstr(&plain, MARKER);
	if (base64)
		go_base64_encode(&out, buf_str(&plain));
	text = arena_str(a, buf_str(base64 ? &out : &plain));
	ASSERT(text.p);
	return val_string(text);
}

/* Where a value is. */
struct marker_place {
	bool all;    /* every text: below data or stringData of a Secret */
	bool named;  /* this one, if it is a text: its key is the name of a secret */
	bool base64; /* it is kept in base64 there */
};

static inline val marker_plant(val v, struct marker_place at, struct arena *a);

static inline struct marker_place marker_member(val map, str key, struct marker_place at)
{
	bool secret = str_eq(val_str(VAL_GET(map, "kind")), STR("Secret")), data = str_eq(key, STR("data"));
	bool beside = str_eq(key, STR("value")) && marker_is_secret_name(val_str(VAL_GET(map, "name")));

	at.named = marker_is_secret_name(key) || beside;
	if (!secret)
		return at;
	at.all |= data || str_eq(key, STR("stringData"));
	at.base64 |= data;
	return at;
}

static inline val marker_plant_members(val map, struct marker_place at, struct arena *a)
{
	struct member *members = arena_array(a, map.n ? map.n : 1, sizeof(*members));

	ASSERT(members);
	for (uint32_t i = 0; i < map.n; i++) {
		const struct key *key = map.members[i].key;

		members[i].key = key;
		members[i].value = marker_plant(map.members[i].value, marker_member(map, key_str(key), at), a);
	}
	return val_map_sorted(members, map.n);
}

/* @v with the marker behind every text that may not be shown; {0} for that of a whole object. */
static inline val marker_plant(val v, struct marker_place at, struct arena *a)
{
	val *items;

	if (val_is_string(v))
		return at.all || at.named ? marker_text(v, at.base64, a) : v;
	at.named = false;
	if (val_is_map(v))
		return marker_plant_members(v, at, a);
	if (!val_is_list(v))
		return v;
	items = arena_array(a, v.n ? v.n : 1, sizeof(*items));
	ASSERT(items);
	for (uint32_t i = 0; i < v.n; i++)
		items[i] = marker_plant(v.items[i], at, a);
	return val_list(a, items, v.n);
}

#endif
