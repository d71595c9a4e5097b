/* Errors of files as Go's os package words them. */
#ifndef GO_PATH_ERROR_H
#define GO_PATH_ERROR_H

#include "base/err.h"

/* Fill @err with a text such as "open FILE: no such file or directory". Returns -@code; @code is an errno. */
int go_path_error(struct err *err, int code, const char *op, const char *path);

#endif
