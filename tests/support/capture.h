/* A sink whose records a test can read: JSON lines, with standard output redirected to a file while they
 * are written. */
#ifndef TEST_CAPTURE_H
#define TEST_CAPTURE_H

#include "base/vec.h"
#include "daemon/findings/sink.h"
#include "value/json.h"

#include <stdio.h>
#include <unistd.h>

struct capture {
	FILE *file;
	int saved; /* the real standard output */
	long read; /* bytes of the file that were taken */
};

static inline UNUSED bool capture_begin(struct capture *c)
{
	c->file = tmpfile();
	c->read = 0;
	fflush(stdout);
	c->saved = dup(STDOUT_FILENO);
	return c->file && c->saved >= 0 && dup2(fileno(c->file), STDOUT_FILENO) >= 0;
}

static inline UNUSED void capture_end(struct capture *c)
{
	fflush(stdout);
	dup2(c->saved, STDOUT_FILENO);
	close(c->saved);
	fclose(c->file);
}

/* The next record as a document, or NULL when there is none (or it is no JSON). */
static inline UNUSED struct doc *capture_next(struct capture *c)
{
	static char line[1u << 20];
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct doc *doc = NULL;
	struct err err;

	fflush(stdout);
	fseek(c->file, c->read, SEEK_SET);
	if (!fgets(line, sizeof(line), c->file))
		line[0] = '\0';
	else
		c->read += (long)strlen(line);
	fseek(c->file, 0, SEEK_END);
	if (line[0] && json_decode(str_from(line), &o, &doc, &err) < 0)
		fprintf(stderr, "%s: %s\n", err.msg, line);
	return doc;
}

static inline UNUSED size_t capture_count(struct capture *c)
{
	struct doc *d;
	size_t n = 0;

	while ((d = capture_next(c))) {
		n++;
		doc_unref(d);
	}
	return n;
}

#endif
