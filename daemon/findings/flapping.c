/* Counts the changes of each place within the window. */
#include "daemon/findings/flapping.h"

#include "base/assert.h"
#include "daemon/findings/finding.h"

#define PATHS_MAX (64u << 10)
#define RECORD_MAX (4u << 20)

struct flapping_place {
	TAILQ_ENTRY(flapping_place) by_age;
	str key;                              /* owned */
	uint64_t times[FLAPPING_CHANGES_MAX]; /* the times of the last changes; 0: none */
	unsigned next;
};

void flapping_init(struct flapping *p)
{
	TAILQ_INIT(&p->by_age);
	TAILQ_INIT(&p->flaps);
}

static void forget(struct flapping *p, struct flapping_place *place)
{
	(void)strmap_remove(&p->places, place->key);
	TAILQ_REMOVE(&p->by_age, place, by_age);
	free((char *)place->key.p);
	free(place);
}

void flapping_done(struct flapping *p)
{
	struct flapping_place *place;
	struct flap *flap;

	while ((place = TAILQ_FIRST(&p->by_age)))
		forget(p, place);
	while ((flap = TAILQ_FIRST(&p->flaps)))
		flap_free(p, flap); /* NOLINT(clang-analyzer-unix.Malloc): it is out of the list by then */
	strmap_done(&p->places);
}

static uint64_t last_change(const struct flapping_place *place)
{
	return place->times[(place->next + FLAPPING_CHANGES_MAX - 1) % FLAPPING_CHANGES_MAX];
}

static void forget_old(struct flapping *p, uint64_t now_ns)
{
	struct flapping_place *oldest;

	while ((oldest = TAILQ_FIRST(&p->by_age)) &&
	       (p->places.n > FLAPPING_PLACES_MAX || now_ns - last_change(oldest) > p->window_ns))
		forget(p, oldest);
}

static struct flapping_place *add_place(struct flapping *p, str key)
{
	struct flapping_place *place = calloc(1, sizeof(*place));

	if (!place)
		return NULL;
	place->key = (str){ str_dup(key), key.n };
	if (!place->key.p || !strmap_put(&p->places, key, place, NULL)) {
		free((char *)place->key.p);
		free(place);
		return NULL;
	}
	TAILQ_INSERT_TAIL(&p->by_age, place, by_age);
	return place;
}

bool flapping_note(struct flapping *p, str key, unsigned n, uint64_t now_ns)
{
	struct flapping_place *place;
	unsigned within = 0;

	ASSERT(p->changes <= FLAPPING_CHANGES_MAX);
	if (!p->changes)
		return false;
	forget_old(p, now_ns);
	place = strmap_get(&p->places, key);
	if (!place && n)
		place = add_place(p, key);
	if (!place)
		return false;
	for (; n > 0; n--) {
		place->times[place->next] = now_ns;
		place->next = (place->next + 1) % FLAPPING_CHANGES_MAX;
		TAILQ_REMOVE(&p->by_age, place, by_age);
		TAILQ_INSERT_TAIL(&p->by_age, place, by_age);
	}
	for (size_t i = 0; i < ARRAY_LEN(place->times); i++)
		within += place->times[i] && now_ns - place->times[i] <= p->window_ns;
	return within >= p->changes;
}

struct flap *flap_new(struct flapping *p, struct finding *x, uint64_t now_ns)
{
	struct flap *flap = calloc(1, sizeof(*flap));

	if (!flap)
		return NULL;
	*flap = (struct flap){ .of = x,
			       .last_ns = now_ns,
			       .reported = SEVERITY_INFO,
			       .paths = BUF_INIT(PATHS_MAX),
			       .last = BUF_INIT(RECORD_MAX) };
	TAILQ_INSERT_TAIL(&p->flaps, flap, link);
	return flap;
}

void flap_free(struct flapping *p, struct flap *x)
{
	TAILQ_REMOVE(&p->flaps, x, link);
	buf_done(&x->paths);
	buf_done(&x->last);
	free(x);
}

void flap_change(struct flapping *p, struct flap *x, const struct record *r, uint64_t now_ns)
{
	x->last_ns = now_ns;
	TAILQ_REMOVE(&p->flaps, x, link);
	TAILQ_INSERT_TAIL(&p->flaps, x, link);
	buf_clear(&x->last);
	record_encode(r, &x->last);
	if (x->last.error) /* without memory the state that is known of the finding has to do */
		buf_clear(&x->last);
}

bool flap_is_news(struct flap *x, enum severity severity, str paths)
{
	bool news = severity < x->reported; /* the lower, the worse */
	str path;

	if (news)
		x->reported = severity;
	while (paths.n && str_next_part(&paths, '\n', &path)) {
		if (finding_paths_have(buf_str(&x->paths), path))
			continue;
		news = true;
		buf_add_str(&x->paths, path);
		buf_add_byte(&x->paths, '\n');
	}
	return news;
}

struct flap *flapping_quiet(const struct flapping *p, uint64_t now_ns)
{
	struct flap *first = TAILQ_FIRST(&p->flaps);

	return first && (!p->changes || now_ns - first->last_ns >= p->window_ns) ? first : NULL;
}
