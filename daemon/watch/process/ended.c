/* Reads what the service manager wrote about the last process, and how many processes the kernel has killed. */
#include "daemon/watch/process/ended.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORD_MAX 32

enum ended ended_take(const char *path)
{
	char word[WORD_MAX] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, word, sizeof(word) - 1);

	if (fd < 0)
		return ENDED_UNKNOWN;
	close(fd);
	/* if the file stays, it is taken for the next end as well, unless the manager overwrites it */
	(void)unlink(path);
	word[n > 0 ? n : 0] = '\0';
	word[strcspn(word, " \n")] = '\0';
	if (!word[0])
		return ENDED_UNKNOWN;
	return strcmp(word, "oom-kill") == 0 ? ENDED_FOR_MEMORY : ENDED_OTHERWISE;
}

static bool read_boot_id(char *ret, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool ok = f && fgets(ret, (int)size, f);

	if (f)
		fclose(f);
	return ok;
}

static bool read_count(uint64_t *ret)
{
	FILE *f = fopen("/proc/vmstat", "re");
	unsigned long long n;
	char line[128];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "oom_kill %llu", &n) == 1;
	if (f)
		fclose(f);
	if (found)
		*ret = n;
	return found;
}

struct oom_kills oom_kills_now(void)
{
	struct oom_kills now = { 0 };

	if (!read_count(&now.n) || !read_boot_id(now.boot_id, sizeof(now.boot_id)))
		now = (struct oom_kills){ 0 };
	return now;
}

bool oom_kills_since(const struct oom_kills *before, const struct oom_kills *now)
{
	return before->boot_id[0] && strncmp(before->boot_id, now->boot_id, sizeof(now->boot_id)) == 0 &&
	       now->n > before->n;
}
