/* Output that is common to all commands that ask the daemon. */
#ifndef DAEMON_CONTROL_OUTPUT_H
#define DAEMON_CONTROL_OUTPUT_H

#include "base/buf.h"
#include "config/command_line.h"
#include "daemon/control/client.h"
#include "value/doc.h"

#define CONTROL_OUTPUT_MAX ((size_t)2 << 30)

/* How a command prints. */
enum control_form { FORM_TABLE, FORM_WIDE, FORM_NAME, FORM_JSON, FORM_YAML };

/* The words for the two forms that are documents: FORM_JSON, FORM_YAML. */
extern const struct option_word control_doc_words[];

/* The option --socket, for a const char
 *
 * that control_socket() takes. */
#define CONTROL_SOCKET_OPTION(type)                                                                                    \
	{                                                                                                              \
		"socket", 0, "PATH", option_text, offsetof(type, socket),                                              \
			.help = "of the control socket (default $DRIFTD_SOCKET, else " CONTROL_SOCKET_DEFAULT ")"      \
	}

/* Take the value of an option --timeout into an int64_t of nanoseconds; it must be above zero. */
option_fn control_take_time;

/* Print the document as FORM_JSON or FORM_YAML. Fails: ENOMEM, EIO. */
CHECKED int control_print_doc(const struct doc *d, enum control_form form, struct err *err);
/* Print @out on standard output. Fails: the error of @out, EIO. */
CHECKED int control_print(struct buf *out, struct err *err);

/* The text that the map has as @name; empty: none. */
str control_text(val map, const char *name);

/* Append a line such as "Reference:   base", with further lines of @value below the first one; nothing when @value
 * is empty. Unprintable characters are escaped. */
void control_line(struct buf *out, const char *heading, str value);
/* Whether @items, a list of the control API, belong to several clusters. */
bool control_several_clusters(val items);
/* The name in "web" or "shop/web"; in the second case *namespace is set too. */
str control_split_name(str name, str *namespace);
/* Whether @word may be the beginning of a finding's id, and so is no kind. */
bool control_is_id(str word);
/* Get the open finding whose id begins so (docs/api.md). Fails as control_get. */
CHECKED int control_get_finding(const char *socket, str id, struct doc **ret, struct err *err);
/* Print on standard error why @list is empty or incomplete. */
void control_print_notes(const char *program, val list);

/* Seconds from the RFC 3339 time @since to @now (Unix time); 0 when it is none, or later. */
int64_t control_age(str since, int64_t now);

#endif
