/* HTML, written so that nothing which is not a literal gets out unescaped, and nothing stays open.
 *
 * Names of elements and attributes must be literals: anything else does not compile. Texts and values may be anybody's:
 * markup in them is escaped, and what would hide or change the order of what is read (control characters, bidi
 * overrides, zero-width characters, bytes that are no UTF-8) is made visible as base/printable.h has it. */
#ifndef DAEMON_PAGES_HTML_OUT_H
#define DAEMON_PAGES_HTML_OUT_H

#include "base/buf.h"

#define HTML_DEPTH_MAX 32

/* Errors are those of the buffer, which may be another one from one call to the next: elements stay open. */
struct html {
	struct buf *out;
	bool in_tag; /* attributes may follow */
	size_t depth;
	const char *open[HTML_DEPTH_MAX]; /* the outermost first */
};

#define HTML_INIT(to) ((struct html){ .out = (to) })

/* Append @s for where a text or a quoted value stands. A newline becomes "\n", two visible characters. */
void html_escape(struct buf *out, str s);

/* <name ...>, to be closed. At most HTML_DEPTH_MAX deep. */
#define html_open(h, name) html_open_element((h), "" name)
/* <name ...>, which has no content. */
#define html_void(h, name) html_void_element((h), "" name)
/* Add an attribute to the element that was opened last, before anything else is written. */
#define html_attr(h, name, value) html_add_attribute((h), "" name, (value))
#define html_class(h, value) html_attr(h, "class", STR(value))
/* An attribute without a value. */
#define html_flag(h, name) html_add_flag((h), "" name)
/* The innermost element, which must be @name. */
#define html_close(h, name) html_close_element((h), "" name)
/* Down to @depth, a former h->depth. */
void html_close_to(struct html *h, size_t depth);

void html_text(struct html *h, str s);
void html_textf(struct html *h, const char *format, ...) PRINTF(2, 3);
#define html_say(h, literal) html_text((h), STR("" literal))
/* At most @max bytes of @s, with "…" when that is not all. */
void html_cut(struct html *h, str s, size_t max);
/* A line break in the source, for those who read that. */
void html_newline(struct html *h);
/* All of @part, which has nothing open. */
void html_append(struct html *h, const struct html *part);

/* <name class="class"...>, to be closed. */
#define html_open_class(h, name, class) (html_open(h, name), html_class(h, class))
/* <name>, what the calls of @content write, </name>; and with a class. */
#define html_with(h, name, content) (html_open(h, name), (content), html_close(h, name))
#define html_with_class(h, name, class, content) (html_open_class(h, name, class), (content), html_close(h, name))
/* <name>text</name>; with a class; and with a text that is formatted. */
#define html_element(h, name, text) html_with(h, name, html_text((h), (text)))
#define html_element_class(h, name, class, text) html_with_class(h, name, class, html_text((h), (text)))
#define html_elementf(h, name, ...) html_with(h, name, html_textf((h), __VA_ARGS__))

/* <div><dt>name</dt><dd>: what stands there until html_close_term() is what the list of terms says of it. */
#define html_open_term(h, name) (html_open(h, "div"), html_element(h, "dt", name), html_open(h, "dd"))
#define html_close_term(h) (html_close(h, "dd"), html_close(h, "div"))
#define html_term(h, name, content) (html_open_term(h, name), (content), html_close_term(h))

/* What the macros above call. */
void html_open_element(struct html *h, const char *name);
void html_void_element(struct html *h, const char *name);
void html_add_attribute(struct html *h, const char *name, str value);
void html_add_flag(struct html *h, const char *name);
void html_close_element(struct html *h, const char *name);

#endif
