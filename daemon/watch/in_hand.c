/* A page of the state folder with the objects in hand, and those that ended the process before. */
#include "daemon/watch/in_hand.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "driftd2"
#define TEXT_MAX_BYTES 256
#define CONDEMNED_MAX 32 /* then the oldest is tried again */
#define STACK_BYTES 16384

enum { CLUSTER, API_VERSION, KIND, NAMESPACE, NAME, UID, TELLING, VERSION = TELLING, TEXTS };

struct slot {
	atomic_uint used;
	atomic_int signal;
	char text[TEXTS][TEXT_MAX_BYTES]; /* cut, with a NUL; the first TELLING tell objects apart */
};

struct page {
	char magic[8];
	struct slot now[IN_HAND_SLOTS], suspects[IN_HAND_SLOTS]; /* the first of now: of the owner's thread */
	uint32_t next;                                           /* of the condemned: whose place is taken */
	struct slot condemned[CONDEMNED_MAX];
};

struct in_hand_place {
	struct slot *now;
	bool taken;
};

struct in_hand {
	struct page *page;
	size_t n_condemned;
	struct in_hand_place places[IN_HAND_SLOTS]; /* the first is the owner's */
};

static struct in_hand *catching;            /* whose objects the handler is for */
static _Thread_local struct slot *caught;   /* where it notes its signal */
static _Thread_local bool has_signal_stack; /* each thread needs one of its own */

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

/* A slot of an earlier life may hold anything. */
static bool same(const struct slot *a, const struct slot *b)
{
	for (size_t i = 0; i < TELLING; i++) {
		if (strncmp(a->text[i], b->text[i], TEXT_MAX_BYTES) != 0)
			return false;
	}
	return true;
}

static void copy(struct slot *to, const struct slot *from)
{
	memcpy(to->text, from->text, sizeof(to->text));
	to->signal = from->signal;
	to->used = 1;
}

/* ---- what an earlier life left ---- */

static void forget_suspect(struct page *p, const struct slot *now)
{
	for (size_t i = 0; i < IN_HAND_SLOTS; i++) {
		if (p->suspects[i].used && same(&p->suspects[i], now))
			p->suspects[i].used = 0;
	}
}

/* Those in hand are, and no longer those that were. */
static void suspect(struct page *p)
{
	for (size_t i = 0; i < IN_HAND_SLOTS; i++) {
		p->suspects[i].used = 0;
		if (p->now[i].used)
			copy(&p->suspects[i], &p->now[i]);
	}
}

static bool is_suspect(struct page *p, const struct slot *now)
{
	for (size_t i = 0; i < IN_HAND_SLOTS; i++) {
		if (p->suspects[i].used && same(&p->suspects[i], now))
			return true;
	}
	return false;
}

static void condemn(struct page *p, const struct slot *now)
{
	copy(&p->condemned[p->next % CONDEMNED_MAX], now);
	p->next++;
	forget_suspect(p, now);
}

/* Of several in hand, the one whose thread was signalled ended the process: the others are as good as before. */
static void learn(struct page *p)
{
	bool signalled = false, any = false;

	for (size_t i = 0; i < IN_HAND_SLOTS; i++) {
		any |= p->now[i].used != 0;
		signalled |= p->now[i].used && p->now[i].signal;
	}
	for (size_t i = 0; i < IN_HAND_SLOTS; i++) {
		struct slot *now = &p->now[i];

		if (now->used && (now->signal || (!signalled && is_suspect(p, now)))) {
			condemn(p, now);
			now->used = 0;
		}
	}
	if (any && !signalled)
		suspect(p);
	for (size_t i = 0; i < IN_HAND_SLOTS; i++)
		p->now[i].used = 0;
}

static int map_page(int fd, struct page **ret, struct err *err)
{
	struct stat st;
	void *p;
	int r;

	if (fstat(fd, &st) < 0)
		return err_set(err, errno, "%s", strerror(errno));
	if (st.st_size > (off_t)sizeof(struct page) && ftruncate(fd, 0) < 0) /* else it would be none at each start */
		return err_set(err, errno, "%s", strerror(errno));
	/* Room is taken now: a full disk would end the process at the first write. */
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

int in_hand_open(const char *path, struct in_hand **ret, struct err *err)
{
	struct in_hand *h = calloc(1, sizeof(*h));
	int fd = h ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
	int r = !h ? err_nomem(err) : fd < 0 ? err_set(err, errno, "%s", strerror(errno)) : map_page(fd, &h->page, err);

	if (fd >= 0)
		close(fd);
	if (r < 0) {
		free(h);
		return r == -ENOMEM ? r : err_wrap(err, "%s", path);
	}
	learn(h->page);
	for (size_t i = 0; i < IN_HAND_SLOTS; i++)
		h->places[i] = (struct in_hand_place){ .now = &h->page->now[i], .taken = i == 0 };
	for (size_t i = 0; i < CONDEMNED_MAX; i++)
		h->n_condemned += h->page->condemned[i].used != 0;
	*ret = h;
	return 0;
}

void in_hand_close(struct in_hand *h)
{
	if (!h)
		return;
	if (catching == h)
		catching = NULL;
	caught = NULL;
	for (size_t i = 0; i < IN_HAND_SLOTS; i++)
		h->page->now[i].used = h->page->suspects[i].used = 0;
	for (size_t i = 0; i < CONDEMNED_MAX; i++)
		h->page->condemned[i].used = 0;
	munmap(h->page, sizeof(struct page));
	free(h);
}

/* ---- signals ---- */

/* A stack that has run out has no room for the handler. */
static void need_signal_stack(void)
{
	static _Thread_local _Alignas(16) char space[STACK_BYTES];
	const stack_t stack = { .ss_sp = space, .ss_size = sizeof(space) };
	stack_t before;

	if (!has_signal_stack && sigaltstack(NULL, &before) == 0 && before.ss_flags & SS_DISABLE)
		(void)sigaltstack(&stack, NULL); /* else a sanitizer's, which it releases itself */
	has_signal_stack = true;
}

/* It is raised again as it comes back from here, and ends the process as if nobody had caught it. */
static void on_signal(int number)
{
	if (caught)
		caught->signal = number;
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

void in_hand_catch_signals(struct in_hand *h)
{
	static const int numbers[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	struct sigaction before, now = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	if (!h)
		return;
	catching = h;
	need_signal_stack();
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		/* Whoever looks for faults, as a sanitizer does, goes on doing so. */
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			(void)sigaction(numbers[i], &now, NULL);
	}
}

/* ---- the object in hand ---- */

void in_hand_set_at(struct in_hand_place *p, const struct finding_subject *s)
{
	struct slot *now = p ? p->now : NULL;

	if (!now)
		return;
	now->used = 0;
	now->signal = 0;
	fill(now, s);
	now->used = 1;
	if (!catching)
		return;
	need_signal_stack();
	caught = now;
}

void in_hand_lay_down_at(struct in_hand_place *p)
{
	if (!p)
		return;
	caught = NULL;
	p->now->used = 0;
}

void in_hand_set(struct in_hand *h, const struct finding_subject *s)
{
	in_hand_set_at(h ? &h->places[0] : NULL, s);
}

void in_hand_lay_down(struct in_hand *h)
{
	in_hand_lay_down_at(h ? &h->places[0] : NULL);
}

void in_hand_clear(struct in_hand *h)
{
	if (h)
		forget_suspect(h->page, &h->page->now[0]);
	in_hand_lay_down(h);
}

struct in_hand_place *in_hand_join(struct in_hand *h)
{
	for (size_t i = 0; h && i < IN_HAND_SLOTS; i++) {
		if (h->places[i].taken)
			continue;
		h->places[i].taken = true;
		return &h->places[i];
	}
	return NULL;
}

void in_hand_leave(struct in_hand_place *p)
{
	if (p)
		p->taken = false;
}

bool in_hand_any_condemned(const struct in_hand *h)
{
	return h && h->n_condemned;
}

int in_hand_condemned(const struct in_hand *h, const struct finding_subject *s)
{
	struct slot x;

	if (!in_hand_any_condemned(h))
		return -1;
	fill(&x, s);
	for (size_t i = 0; i < CONDEMNED_MAX; i++) {
		const struct slot *c = &h->page->condemned[i];

		if (c->used && same(c, &x))
			return c->signal;
	}
	return -1;
}
