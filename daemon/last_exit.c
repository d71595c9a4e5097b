/* Streams of the C library that write through. What is written in one call, or stands in one buffer, is looked at as a
 * whole. */
#include "daemon/last_exit.h"

#include "base/file.h"
#include "mask/credentials.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define TEXT_MAX SIZE_MAX

static int descriptor_of(void *cookie)
{
	return (int)(intptr_t)cookie;
}

static ssize_t write_through(void *cookie, const char *p, size_t n)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(TEXT_MAX);
	str text = credentials_shown((str){ p, n }, &out);
	int r = out.error ? out.error : file_write_all(descriptor_of(cookie), text);

	if (r < 0)
		errno = -r;
	return r < 0 ? 0 : (ssize_t)n;
}

static FILE *open_through(int fd, int buffering)
{
	FILE *f = fopencookie((void *)(intptr_t)fd, "w", (cookie_io_functions_t){ .write = write_through });

	if (f)
		(void)setvbuf(f, NULL, buffering, BUFSIZ);
	return f;
}

void last_exit_install(void)
{
	FILE *out = open_through(STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
	FILE *err = open_through(STDERR_FILENO, _IONBF);

	if (out)
		stdout = out;
	if (err)
		stderr = err;
}
