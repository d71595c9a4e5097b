/* Small files that a test writes into the working directory, as they are and with one change. */
#ifndef SUPPORT_EDITED_FILE_H
#define SUPPORT_EDITED_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct edited_file {
	const char *name, *text;
};

/* @from becomes @to once in the file, where @from is given. */
static inline void edited_file_put(const struct edited_file *f, const char *from, const char *to)
{
	const char *at = from ? strstr(f->text, from) : NULL;
	FILE *out = fopen(f->name, "w");

	assert_non_null(out);
	assert_true(!from || at);
	if (at)
		fprintf(out, "%.*s%s%s", (int)(at - f->text), f->text, to, at + strlen(from));
	else
		fputs(f->text, out);
	fclose(out);
}

#endif
