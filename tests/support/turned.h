/* What a command that is called by a test writes. */
#ifndef TESTS_TURNED_H
#define TESTS_TURNED_H

#include <stdio.h>
#include <unistd.h>

/* What a run wrote to @stream's descriptor while it was turned to a file. */
struct turned {
	FILE *stream, *file;
	int saved;
};

static inline void turn(struct turned *t, FILE *stream)
{
	*t = (struct turned){ .stream = stream, .file = tmpfile() };
	fflush(stream);
	t->saved = dup(fileno(stream));
	dup2(fileno(t->file), fileno(stream));
}

static inline void turn_back(struct turned *t, char *text, size_t size)
{
	size_t n;

	fflush(t->stream);
	dup2(t->saved, fileno(t->stream));
	close(t->saved);
	rewind(t->file);
	n = fread(text, 1, size - 1, t->file);
	text[n] = '\0';
	fclose(t->file);
}

#endif
