/* Holds the rules that are in force, and how much each may still do within its minute. */
#include "daemon/inspection/rules.h"

#include "base/ascii.h"
#include "base/assert.h"
#include "base/strmap.h"
#include "base/vec.h"

#include <stdlib.h>

#define MINUTE_NS (60 * UINT64_C(1000000000))

struct user_rule {
	uint64_t number; /* the position in the order of creation */
	struct insp_stored is;
	struct insp_rule *rule;
	char *created_at, *updated_at;
};

struct bucket {
	double tokens;
	uint64_t at_ns;
	uint64_t empty_ns; /* when it was last empty; 0: never */
};

struct inspection_rules {
	struct insp_builtins built_in;
	VEC(struct user_rule *) users;
	struct insp_set set;
	bool set_made; /* @set is made of the present rules */
	uint64_t generation;
	uint64_t numbers;      /* numbers of rules that are used so far */
	struct strmap buckets; /* uuid in lower case -> struct bucket, for rules that have had effects */
};

static void user_rule_free(struct user_rule *u)
{
	if (!u)
		return;
	insp_rule_free(u->rule);
	free(u->created_at);
	free(u->updated_at);
	free(u);
}
DEFINE_CLEANUP(struct user_rule *, user_rule_free)

int inspection_rules_new(struct insp_builtins *built_in, struct inspection_rules **ret, struct err *err)
{
	struct inspection_rules *s = calloc(1, sizeof(*s));

	if (!s) {
		insp_builtins_done(built_in);
		*built_in = (struct insp_builtins){ 0 };
		return err_nomem(err);
	}
	s->built_in = *built_in;
	*built_in = (struct insp_builtins){ 0 };
	s->generation = 1;
	*ret = s;
	return 0;
}

/* ---- what their effects may do ---- */

#define UUID_BYTES_MAX ((size_t)144) /* 36 characters */

static str lower_case(str uuid, char space[UUID_BYTES_MAX])
{
	size_t n = uuid.n < UUID_BYTES_MAX ? uuid.n : UUID_BYTES_MAX;

	for (size_t i = 0; i < n; i++)
		space[i] = ascii_to_lower(uuid.p[i]);
	return (str){ space, n };
}

static struct bucket *bucket_of(struct inspection_rules *s, str uuid, unsigned per_minute, uint64_t now_ns)
{
	char space[UUID_BYTES_MAX];
	str key = lower_case(uuid, space);
	struct bucket *b = strmap_get(&s->buckets, key);

	if (b)
		return b;
	b = malloc(sizeof(*b));
	if (!b)
		return NULL;
	*b = (struct bucket){ .tokens = per_minute, .at_ns = now_ns };
	if (strmap_put(&s->buckets, key, b, NULL))
		return b;
	free(b);
	return NULL;
}

bool inspection_rules_take(struct inspection_rules *s, str uuid, unsigned per_minute, uint64_t now_ns, bool *news)
{
	struct bucket *b = bucket_of(s, uuid, per_minute, now_ns);

	*news = false;
	if (!b)
		return true;
	b->tokens += (double)(now_ns - b->at_ns) * per_minute / (double)MINUTE_NS;
	b->at_ns = now_ns;
	if (b->tokens > per_minute)
		b->tokens = per_minute;
	if (b->tokens >= 1) {
		b->tokens--;
		return true;
	}
	*news = !b->empty_ns || now_ns - b->empty_ns > MINUTE_NS;
	b->empty_ns = now_ns;
	return false;
}

static void forget_bucket(struct inspection_rules *s, str uuid)
{
	char space[UUID_BYTES_MAX];

	free(strmap_remove(&s->buckets, lower_case(uuid, space)));
}

/* ---- users' rules ---- */

static void changed(struct inspection_rules *s)
{
	insp_set_done(&s->set);
	s->set_made = false;
	s->generation++;
}

void inspection_rules_clear(struct inspection_rules *s)
{
	changed(s);
	for (size_t i = 0; i < s->users.n; i++) {
		forget_bucket(s, s->users.p[i]->rule->uuid);
		user_rule_free(s->users.p[i]);
	}
	vec_done(&s->users);
}

void inspection_rules_free(struct inspection_rules *s)
{
	if (!s)
		return;
	inspection_rules_clear(s);
	for (size_t i = 0; i < s->built_in.rules.n; i++)
		forget_bucket(s, s->built_in.rules.p[i]->uuid);
	strmap_done(&s->buckets);
	insp_builtins_done(&s->built_in);
	free(s);
}

/* The index of the rule; users.n: there is none. */
static size_t find(const struct inspection_rules *s, str uuid)
{
	size_t i = 0;

	while (i < s->users.n && !str_eq_nocase(s->users.p[i]->rule->uuid, uuid))
		i++;
	return i;
}

static struct user_rule *user_rule_new(struct insp_rule *rule, str created_at, str updated_at)
{
	CLEANUP(user_rule_freep) struct user_rule *u = calloc(1, sizeof(*u));

	if (!u) {
		insp_rule_free(rule);
		return NULL;
	}
	u->rule = rule;
	u->created_at = str_dup(created_at);
	u->updated_at = updated_at.p ? str_dup(updated_at) : NULL;
	if (!u->created_at || (updated_at.p && !u->updated_at))
		return NULL;
	u->is = (struct insp_stored){
		.rule = rule,
		.created_at = str_from(u->created_at),
		.updated_at = u->updated_at ? str_from(u->updated_at) : (str){ NULL, 0 },
	};
	return TAKE(u);
}

int inspection_rules_put(struct inspection_rules *s, struct insp_rule *rule, str created_at, str updated_at,
			 struct err *err)
{
	CLEANUP(user_rule_freep) struct user_rule *u = user_rule_new(rule, created_at, updated_at);
	size_t at = u ? find(s, rule->uuid) : 0;

	if (!u)
		return err_nomem(err);
	if (at == s->users.n && !vec_push(&s->users, NULL))
		return err_nomem(err);
	changed(s);
	u->number = s->users.p[at] ? s->users.p[at]->number : s->numbers++;
	user_rule_free(s->users.p[at]);
	s->users.p[at] = TAKE(u);
	return 0;
}

void inspection_rules_remove(struct inspection_rules *s, str uuid)
{
	size_t at = find(s, uuid);

	if (at == s->users.n)
		return;
	changed(s);
	forget_bucket(s, s->users.p[at]->rule->uuid);
	user_rule_free(s->users.p[at]);
	s->users.n--;
	memmove(&s->users.p[at], &s->users.p[at + 1], (s->users.n - at) * sizeof(*s->users.p));
}

const struct insp_stored *inspection_rules_at(const struct inspection_rules *s, size_t i)
{
	return i < s->users.n ? &s->users.p[i]->is : NULL;
}

struct inspection_walk inspection_rules_walk(const struct inspection_rules *s)
{
	return (struct inspection_walk){ .end = s->numbers };
}

const struct insp_stored *inspection_rules_next(const struct inspection_rules *s, struct inspection_walk *walk)
{
	size_t low = 0, high = s->users.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->users.p[middle]->number < walk->next)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == s->users.n || s->users.p[low]->number >= walk->end)
		return NULL;
	walk->next = s->users.p[low]->number + 1;
	return &s->users.p[low]->is;
}

const struct insp_builtins *inspection_rules_built_in(const struct inspection_rules *s)
{
	return &s->built_in;
}

bool inspection_rules_has(const struct inspection_rules *s, str uuid)
{
	if (find(s, uuid) < s->users.n)
		return true;
	for (size_t i = 0; i < s->built_in.rules.n; i++) {
		if (str_eq_nocase(s->built_in.rules.p[i]->uuid, uuid))
			return true;
	}
	return false;
}

bool inspection_rules_any(const struct inspection_rules *s)
{
	return s->users.n + s->built_in.rules.n > 0;
}

uint64_t inspection_rules_generation(const struct inspection_rules *s)
{
	return s->generation;
}

int inspection_rules_set(struct inspection_rules *s, const struct insp_set **ret, struct err *err)
{
	CLEANUP(freep) const struct insp_rule **users = NULL;
	int r = 0;

	if (!s->set_made) {
		users = calloc(s->users.n + 1, sizeof(struct insp_rule *));
		if (!users)
			return err_nomem(err);
		for (size_t i = 0; i < s->users.n; i++)
			users[i] = s->users.p[i]->rule;
		r = insp_set_init(&s->set, users, s->users.n, (const struct insp_rule *const *)s->built_in.rules.p,
				  s->built_in.rules.n, err);
		s->set_made = r == 0;
	}
	if (r == 0)
		*ret = &s->set;
	return r;
}
