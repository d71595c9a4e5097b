/* Makes error messages for files as Go's fs.PathError does. */
#include "go/path_error.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

int go_path_error(struct err *err, int code, const char *op, const char *path)
{
	char text[128];

	snprintf(text, sizeof(text), "%s", strerror(code));
	text[0] = (char)tolower((unsigned char)text[0]);
	return err_set(err, code, "%s %s: %s", op, path, text);
}
