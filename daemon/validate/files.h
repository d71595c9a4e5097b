/* Documents of files, for the commands about rules. */
#ifndef DAEMON_VALIDATE_FILES_H
#define DAEMON_VALIDATE_FILES_H

#include "base/key.h"
#include "base/limits.h"
#include "base/vec.h"
#include "value/doc.h"

struct document {
	struct doc *doc;
	val root;
	const char *path; /* the path as it was given */
	bool met;         /* for an object before a change: the object is also among those after the change */
};

struct documents {
	VEC(struct document) list;
};

/* The whole text of @path, "-" being standard input. Fails as file_read. */
CHECKED int document_text(const char *path, const struct limits *limits, char **ret, size_t *len, struct err *err);
/* Append every document of the YAML or JSON @text that is not empty; of a Kubernetes List its items. Fails: EBADMSG
 * with file and line, E2BIG, ENOMEM. */
CHECKED int documents_parse(str text, const char *path, const struct limits *limits, struct key_table *keys,
			    struct documents *to, struct err *err);
/* Read the text of a file (document_text) and append its documents (documents_parse). */
CHECKED int documents_read(const char *path, const struct limits *limits, struct key_table *keys, struct documents *to,
			   struct err *err);
void documents_done(struct documents *d);

#endif
