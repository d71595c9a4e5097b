/* Loaded before driftd (LD_PRELOAD): writes how long each turn of its loop takes, from the end of one wait to the
 * beginning of the next, by the clock on the wall and by the processor time of its thread. For bench_turns.py.
 *
 * $TURN_CLOCK is a file of ENTRIES pairs of 32 bits, in 0.1 microseconds, behind a pair whose first is their number. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ENTRIES (8u << 20)

struct entry {
	uint32_t wall, cpu;
};

static struct entry *entries; /* NULL: none are wanted */
static uint64_t wall_ns, cpu_ns;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void map(void)
{
	const char *path = getenv("TURN_CLOCK");
	size_t n = (ENTRIES + 1) * sizeof(struct entry);
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	void *p = fd >= 0 && ftruncate(fd, (off_t)n) == 0 ? mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
							  : MAP_FAILED;

	if (fd >= 0)
		close(fd);
	entries = p == MAP_FAILED ? NULL : p;
}

static void turn_ends(void)
{
	uint32_t at = entries->wall;

	if (!wall_ns || at == ENTRIES)
		return;
	entries[1 + at] = (struct entry){ (uint32_t)((now_ns(CLOCK_MONOTONIC) - wall_ns) / 100),
					  (uint32_t)((now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns) / 100) };
	entries->wall = at + 1;
}

/* What libuv asks for at once; libmicrohttpd, which waits for nothing, asks for less. Only the loop of the main thread
 * is looked at. */
#define LOOP_EVENTS 1024

__attribute__((visibility("default"))) int epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
	static int (*real)(int, struct epoll_event *, int, int);
	bool loop = max == LOOP_EVENTS && getpid() == gettid();
	int r, error;

	if (!real) {
		*(void **)&real = dlsym(RTLD_NEXT, "epoll_wait");
		map();
	}
	loop &= entries != NULL;
	if (loop)
		turn_ends();
	r = real(fd, events, max, timeout);
	error = errno;
	if (loop) {
		wall_ns = now_ns(CLOCK_MONOTONIC);
		cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	}
	errno = error;
	return r;
}
