/* Stores a line of fixed length in a file, so that it can be overwritten in place. */
#include "daemon/leader/etcd/own_step.h"

#include "base/ascii.h"
#include "base/hex.h"
#include "base/number.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define CLAIM_CHARS (RECORD_ID_SIZE - 1)
#define STEP_CHARS 19 /* digits of INT64_MAX */
#define LINE_CHARS (CLAIM_CHARS + 1 + STEP_CHARS + 1)

static bool read_line(const char *line, struct own_step *ret)
{
	str step = { line + CLAIM_CHARS + 1, STEP_CHARS };

	if (!hex_is((str){ line, CLAIM_CHARS }) || line[CLAIM_CHARS] != ' ' || line[LINE_CHARS - 1] != '\n' ||
	    !ascii_is_digit(step.p[0]) || !int64_parse(step, &ret->step))
		return false;
	memcpy(ret->claim, line, CLAIM_CHARS);
	ret->claim[CLAIM_CHARS] = '\0';
	return true;
}

int own_step_open(const char *path, struct own_step *ret)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	char line[LINE_CHARS];

	*ret = (struct own_step){ 0 };
	if (fd >= 0 && pread(fd, line, sizeof(line), 0) == (ssize_t)sizeof(line))
		(void)read_line(line, ret);
	return fd;
}

void own_step_write(int fd, const struct own_step *s)
{
	char line[LINE_CHARS + 1];

	if (fd < 0)
		return;
	(void)snprintf(line, sizeof(line), "%s %0*" PRId64 "\n", s->claim, STEP_CHARS, s->step);
	(void)!pwrite(fd, line, LINE_CHARS, 0);
}

void own_step_forget(int fd)
{
	if (fd >= 0)
		(void)!ftruncate(fd, 0);
}
