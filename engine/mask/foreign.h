/* Text that came from outside: from a server, a proxy, a plugin, an object or another host.
 *
 * Its author may have put a secret into it, or may repeat a credential of driftd. Therefore it has a type of its own:
 * the functions that make messages, records, answers, pages or metrics do not accept it, and the compiler enforces that
 * (tests/layering/check-foreign). Only foreign_quote and foreign_print bring such text into them.
 *
 *      bytes of a socket, a pipe          values that were decoded from them
 *                 |                                      |
 *           foreign_bytes                            foreign_of
 *                 '------------> struct foreign <-------'
 *                                      |
 *          .---------------------------+--------------------------.
 *          v                           v                          v
 *    foreign_quote               foreign_is, ...            foreign_data
 *    what people read            what is asked of it        what is decoded, kept, compared, sent back:
 *                                                           only in the files that check-foreign lists */
#ifndef MASK_FOREIGN_H
#define MASK_FOREIGN_H

#include "base/buf.h"
#include "value/val.h"

struct foreign {
	str outside; /* only for this header and foreign.c */
};

/* Views @s, which came from outside. */
static inline struct foreign foreign_bytes(str s)
{
	return (struct foreign){ s };
}
/* The text of @v, as val_str: it is empty if @v is of another kind. */
static inline struct foreign foreign_of(val v)
{
	return (struct foreign){ val_str(v) };
}

static inline size_t foreign_size(struct foreign t)
{
	return t.outside.n;
}
static inline bool foreign_is_empty(struct foreign t)
{
	return t.outside.n == 0;
}
static inline bool foreign_is(struct foreign t, str s)
{
	return str_eq(t.outside, s);
}
static inline bool foreign_holds(struct foreign t, str part)
{
	return str_find(t.outside, part) >= 0;
}

/* Append the first @max bytes of @t, without white space at its ends, as one line of printable text; "..." replaces
 * what is cut. Control characters, also those of terminals, and invalid bytes become spaces. A credential of driftd
 * itself (mask/credentials.h), and what an HTTP header would have behind "Bearer" or "Basic", become "***". A text
 * that by itself may contain a secret (mask/shapes.h) becomes a word that says so. Nothing is appended without
 * memory. */
void foreign_quote(struct foreign t, size_t max, struct buf *out);

/* As foreign_quote, into @ret, which has @size bytes with the NUL, at least 5. Longer text is cut at a character.
 * Empty without memory. */
void foreign_print(struct foreign t, char *ret, size_t size);

/* The bytes themselves, which must never go into a message. */
static inline str foreign_data(struct foreign t)
{
	return t.outside;
}

/* The text of @v if it is a name: what the API calls a group, a version, a kind or a resource, and the kind,
 * namespace, name and id of an object. Names are shown as they are (docs/masking.md): if some of them were hidden, a
 * person who may choose names would learn what else is hidden. */
static inline str foreign_name(val v)
{
	return val_str(v);
}

#endif
