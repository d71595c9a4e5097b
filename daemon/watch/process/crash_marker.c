/* A page of the state folder that notes which objects are being judged, and which of them ended a process before. */
#include "daemon/watch/process/crash_marker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC "driftd3"
#define TEXT_MAX_BYTES 256
/* the most objects that are condemned at once: one more takes the place of the oldest, which is judged again */
#define CONDEMNED_MAX 32
#define STACK_BYTES 16384
/* The processor time that a thread must use within a second for this second to count as judging: a thread that waits
 * uses less. */
#define BUSY_NS 250000000

enum { CLUSTER, API_VERSION, KIND, NAMESPACE, NAME, UID, IDENTIFYING, VERSION = IDENTIFYING, TEXTS };

struct slot {
	atomic_uint used;
	atomic_int signal;
	atomic_uint busy_s; /* for how many seconds the object has been judged */
	uint32_t cause;     /* why the object was condemned: enum crash_marker_cause */
	/* each text is cut to this size and ends with a NUL; the first IDENTIFYING of them identify the object */
	char text[TEXTS][TEXT_MAX_BYTES];
};

struct page {
	char magic[8];
	/* the objects that this process judges; the first slot belongs to the owner's thread */
	struct slot now[CRASH_MARKER_SLOTS], suspects[CRASH_MARKER_SLOTS];
	uint32_t next; /* the condemned slot that is replaced next */
	struct slot condemned[CONDEMNED_MAX];
	/* the kernel's count of kills, as it was a second or two ago: a kill that ends this process is not in it */
	struct oom_kills oom_kills;
};

struct crash_marker_place {
	struct slot *now;
	bool taken;
	atomic_uint turn;          /* the number of objects that the thread has marked here */
	_Atomic(clockid_t) worked; /* the clock of the processor time of the thread that uses the slot */
	unsigned seen_turn;        /* the turn that the watching thread saw last */
	uint64_t seen_worked_ns;
};

struct crash_marker {
	struct page *page;
	size_t n_condemned;
	struct crash_marker_place places[CRASH_MARKER_SLOTS]; /* the first is the owner's */
	struct {
		pthread_t thread;
		pthread_mutex_t mutex;
		pthread_cond_t over;
		bool runs, ends;
	} look;
};

static struct crash_marker *catching;       /* the crash marker for which the signal handler is installed */
static _Thread_local struct slot *caught;   /* the slot of this thread, in which the handler notes the signal */
static _Thread_local bool has_signal_stack; /* each thread needs a signal stack of its own */

/* ---- slots ---- */

static void fill(struct slot *to, const struct finding_subject *s)
{
	const str texts[TEXTS] = { s->cluster, s->api_version,     s->kind, s->namespace, s->name,
				   s->uid,     s->resource_version };

	for (size_t i = 0; i < TEXTS; i++) {
		size_t n = texts[i].n < TEXT_MAX_BYTES ? texts[i].n : TEXT_MAX_BYTES - 1;

		if (n)
			memcpy(to->text[i], texts[i].p, n);
		to->text[i][n] = '\0';
	}
}

/* Compare texts without trusting them: a slot that an earlier process left may hold anything. */
static bool same_texts(const struct slot *a, const struct slot *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strncmp(a->text[i], b->text[i], TEXT_MAX_BYTES) != 0)
			return false;
	}
	return true;
}

/* Whether two slots name the same object, in any version. */
static bool same(const struct slot *a, const struct slot *b)
{
	return same_texts(a, b, IDENTIFYING);
}

static bool same_version(const struct slot *a, const struct slot *b)
{
	return same_texts(a, b, TEXTS);
}

static void copy(struct slot *to, const struct slot *from)
{
	memcpy(to->text, from->text, sizeof(to->text));
	to->signal = from->signal;
	to->cause = from->cause;
	to->used = 1;
}

/* ---- what an earlier process left ---- */

static void forget_suspect(struct page *p, const struct slot *now)
{
	for (size_t i = 0; i < CRASH_MARKER_SLOTS; i++) {
		if (p->suspects[i].used && same(&p->suspects[i], now))
			p->suspects[i].used = 0;
	}
}

/* Make the marked objects suspects, in the place of the former suspects. */
static void suspect(struct page *p)
{
	for (size_t i = 0; i < CRASH_MARKER_SLOTS; i++) {
		p->suspects[i].used = 0;
		if (p->now[i].used)
			copy(&p->suspects[i], &p->now[i]);
	}
}

static bool is_suspect(struct page *p, const struct slot *now)
{
	for (size_t i = 0; i < CRASH_MARKER_SLOTS; i++) {
		if (p->suspects[i].used && same(&p->suspects[i], now))
			return true;
	}
	return false;
}

static void condemn(struct page *p, struct slot *now, enum crash_marker_cause cause)
{
	now->cause = (uint32_t)cause;
	copy(&p->condemned[p->next % CONDEMNED_MAX], now);
	p->next++;
	forget_suspect(p, now);
	now->used = 0;
}

static bool was_signalled(const struct slot *now)
{
	return now->signal;
}

static bool lasted(const struct slot *now)
{
	return now->busy_s >= CRASH_MARKER_LONG_S;
}

/* Condemn the marked objects for which @is holds; the others stay as they were. False: there is none. */
static bool condemn_where(struct page *p, bool (*is)(const struct slot *now), enum crash_marker_cause cause)
{
	bool any = false;

	for (size_t i = 0; i < CRASH_MARKER_SLOTS; i++) {
		if (!p->now[i].used || !is(&p->now[i]))
			continue;
		condemn(p, &p->now[i], cause);
		any = true;
	}
	return any;
}

/* When memory ran out, judging any of the marked objects may have taken it, or none of them. So they become
 * suspects, and an object that was a suspect before is condemned. */
static void condemn_suspects(struct page *p)
{
	bool any = false;

	for (size_t i = 0; i < CRASH_MARKER_SLOTS; i++) {
		any |= p->now[i].used != 0;
		if (p->now[i].used && is_suspect(p, &p->now[i]))
			condemn(p, &p->now[i], CRASH_MARKER_MEMORY);
	}
	if (any)
		suspect(p);
}

static void learn(struct page *p, enum ended last)
{
	struct oom_kills now = oom_kills_now();

	if (last == ENDED_UNKNOWN && oom_kills_since(&p->oom_kills, &now))
		last = ENDED_FOR_MEMORY;
	if (!condemn_where(p, was_signalled, CRASH_MARKER_SIGNAL) && !condemn_where(p, lasted, CRASH_MARKER_LASTED) &&
	    last == ENDED_FOR_MEMORY)
		condemn_suspects(p);
	for (size_t i = 0; i < CRASH_MARKER_SLOTS; i++)
		p->now[i].used = 0;
	p->oom_kills = now;
}

static int map_page(int fd, struct page **ret, struct err *err)
{
	struct stat st;
	void *p;
	int r;

	if (fstat(fd, &st) < 0)
		return err_set(err, errno, "%s", strerror(errno));
	/* otherwise a file of another size would make every start fail */
	if (st.st_size > (off_t)sizeof(struct page) && ftruncate(fd, 0) < 0)
		return err_set(err, errno, "%s", strerror(errno));
	/* Disk space is allocated now: on a full disk the first write to the mapped page would end the process. */
	r = posix_fallocate(fd, 0, sizeof(struct page));
	if (r)
		return err_set(err, r, "%s", strerror(r));
	p = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return err_set(err, errno, "%s", strerror(errno));
	*ret = p;
	if ((size_t)st.st_size != sizeof(struct page) || memcmp((*ret)->magic, MAGIC, sizeof(MAGIC)) != 0) {
		memset(p, 0, sizeof(struct page));
		memcpy((*ret)->magic, MAGIC, sizeof(MAGIC));
	}
	return 0;
}

int crash_marker_open(const char *path, enum ended last, struct crash_marker **ret, struct err *err)
{
	struct crash_marker *h = calloc(1, sizeof(*h));
	int fd = h ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
	int r = !h ? err_nomem(err) : fd < 0 ? err_set(err, errno, "%s", strerror(errno)) : map_page(fd, &h->page, err);

	if (fd >= 0)
		close(fd);
	if (r < 0) {
		free(h);
		return r == -ENOMEM ? r : err_wrap(err, "%s", path);
	}
	learn(h->page, last);
	for (size_t i = 0; i < CRASH_MARKER_SLOTS; i++)
		h->places[i] = (struct crash_marker_place){ .now = &h->page->now[i], .taken = i == 0 };
	for (size_t i = 0; i < CONDEMNED_MAX; i++)
		h->n_condemned += h->page->condemned[i].used != 0;
	*ret = h;
	return 0;
}

/* ---- how long judging takes ---- */

static uint64_t worked_ns(struct crash_marker_place *p)
{
	struct timespec t;

	if (clock_gettime(p->worked, &t) < 0) /* the thread has ended */
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void look_at(struct crash_marker_place *p)
{
	unsigned turn = p->turn;
	uint64_t worked = p->now->used ? worked_ns(p) : 0;

	if (p->now->used && turn == p->seen_turn) {
		if (worked < p->seen_worked_ns + BUSY_NS)
			return;
		p->now->busy_s++;
	}
	p->seen_turn = turn;
	p->seen_worked_ns = worked;
}

/* False: the thread has to end. */
static bool wait_a_second(struct crash_marker *h)
{
	struct timespec until;
	bool goes_on;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	pthread_mutex_lock(&h->look.mutex);
	while (!h->look.ends && r == 0)
		r = pthread_cond_timedwait(&h->look.over, &h->look.mutex, &until);
	goes_on = !h->look.ends;
	pthread_mutex_unlock(&h->look.mutex);
	return goes_on;
}

static void *look_on(void *ctx)
{
	struct crash_marker *h = ctx;
	struct oom_kills before = h->page->oom_kills;

	while (wait_a_second(h)) {
		for (size_t i = 0; i < CRASH_MARKER_SLOTS; i++)
			look_at(&h->places[i]);
		h->page->oom_kills = before;
		before = oom_kills_now();
	}
	return NULL;
}

/* Start the thread that measures how long each object is being judged. If it cannot be started, that is not known.
 * All signals are blocked in the thread. */
static void start_looking(struct crash_marker *h)
{
	pthread_condattr_t a;
	sigset_t all, before;

	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&h->look.over, &a);
	pthread_condattr_destroy(&a);
	pthread_mutex_init(&h->look.mutex, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	h->look.runs = pthread_create(&h->look.thread, NULL, look_on, h) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop_looking(struct crash_marker *h)
{
	if (!h->look.runs)
		return;
	pthread_mutex_lock(&h->look.mutex);
	h->look.ends = true;
	pthread_cond_signal(&h->look.over);
	pthread_mutex_unlock(&h->look.mutex);
	pthread_join(h->look.thread, NULL);
	pthread_cond_destroy(&h->look.over);
	pthread_mutex_destroy(&h->look.mutex);
}

void crash_marker_close(struct crash_marker *h)
{
	if (!h)
		return;
	stop_looking(h);
	if (catching == h)
		catching = NULL;
	caught = NULL;
	for (size_t i = 0; i < CRASH_MARKER_SLOTS; i++)
		h->page->now[i].used = h->page->suspects[i].used = 0;
	for (size_t i = 0; i < CONDEMNED_MAX; i++)
		h->page->condemned[i].used = 0;
	munmap(h->page, sizeof(struct page));
	free(h);
}

/* ---- signals ---- */

/* Give the thread a stack for the signal handler: when its own stack has run out, there is no room for the handler
 * on it. */
static void need_signal_stack(void)
{
	static _Thread_local _Alignas(16) char space[STACK_BYTES];
	const stack_t stack = { .ss_sp = space, .ss_size = sizeof(space) };
	stack_t before;

	if (!has_signal_stack && sigaltstack(NULL, &before) == 0 && before.ss_flags & SS_DISABLE)
		/* if there is an alternate stack already, it is a sanitizer's, which releases it itself */
		(void)sigaltstack(&stack, NULL);
	has_signal_stack = true;
}

/* True for a fault, or a signal that the process sends itself, as abort(3) does; false for a signal of another
 * process. */
static bool is_own(const siginfo_t *info)
{
	return info->si_code > 0 || info->si_pid == getpid();
}

/* Raise the signal again with its default action: it is delivered when the handler returns, and ends the process as if
 * nothing had caught it. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (caught && is_own(info))
		caught->signal = number;
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

void crash_marker_watch(struct crash_marker *h)
{
	static const int numbers[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	struct sigaction before, now = { .sa_sigaction = on_signal, .sa_flags = SA_ONSTACK | SA_SIGINFO };

	if (!h)
		return;
	catching = h;
	start_looking(h);
	need_signal_stack();
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		/* Handlers that others have installed stay: a sanitizer looks for faults with its own. */
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			(void)sigaction(numbers[i], &now, NULL);
	}
}

/* ---- marking ---- */

void crash_marker_set_at(struct crash_marker_place *p, const struct finding_subject *s)
{
	struct slot *now = p ? p->now : NULL;
	clockid_t worked;

	if (!now)
		return;
	now->used = 0;
	now->signal = 0;
	now->busy_s = 0;
	fill(now, s);
	if (pthread_getcpuclockid(pthread_self(), &worked) == 0)
		p->worked = worked;
	p->turn++;
	now->used = 1;
	if (!catching)
		return;
	need_signal_stack();
	caught = now;
}

void crash_marker_unset_at(struct crash_marker_place *p)
{
	if (!p)
		return;
	caught = NULL;
	p->now->used = 0;
}

void crash_marker_set(struct crash_marker *h, const struct finding_subject *s)
{
	crash_marker_set_at(h ? &h->places[0] : NULL, s);
}

void crash_marker_unset(struct crash_marker *h)
{
	crash_marker_unset_at(h ? &h->places[0] : NULL);
}

void crash_marker_clear(struct crash_marker *h)
{
	if (h)
		forget_suspect(h->page, &h->page->now[0]);
	crash_marker_unset(h);
}

struct crash_marker_place *crash_marker_join(struct crash_marker *h)
{
	for (size_t i = 0; h && i < CRASH_MARKER_SLOTS; i++) {
		if (h->places[i].taken)
			continue;
		h->places[i].taken = true;
		return &h->places[i];
	}
	return NULL;
}

void crash_marker_leave(struct crash_marker_place *p)
{
	if (p)
		p->taken = false;
}

bool crash_marker_any_condemned(const struct crash_marker *h)
{
	return h && h->n_condemned;
}

bool crash_marker_condemned(const struct crash_marker *h, const struct finding_subject *s, struct crash_marker_end *ret)
{
	struct slot x;

	if (!crash_marker_any_condemned(h))
		return false;
	fill(&x, s);
	for (size_t i = 0; i < CONDEMNED_MAX; i++) {
		const struct slot *c = &h->page->condemned[i];

		if (!c->used || !same_version(c, &x))
			continue;
		ret->cause = c->cause < CRASH_MARKER_CAUSES ? (enum crash_marker_cause)c->cause : CRASH_MARKER_SIGNAL;
		ret->signal = c->signal;
		return true;
	}
	return false;
}

str crash_marker_end_text(struct arena *a, const struct crash_marker_end *e)
{
	switch (e->cause) {
	case CRASH_MARKER_LASTED:
		return arena_printf(a, "judging it ended driftd (it took more than %d s)", CRASH_MARKER_LONG_S);
	case CRASH_MARKER_MEMORY:
		return STR("judging it ended driftd twice (no memory was left)");
	default:
		return arena_printf(a, "judging it ended driftd (signal %d)", e->signal);
	}
}
