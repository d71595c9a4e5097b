/* Whether a shard keeps what counts for the templates of another reference: compared, for small worlds of templates and
 * objects made at random, with what the matchers say of every object. */
#include "daemon/watch/reference/reference_judge.h"

#include "base/arena.h"
#include "compare/matcher.h"
#include "daemon/watch/snapshot/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROUNDS 30000
#define TEMPLATES 5

static const char *const names[] = { "", "a", "b", "c" };      /* "c" is an object's only */
static const char *const namespaces[] = { "", "x", "y", "z" }; /* and so is "z" */
static const char *const exclusions[] = { "a", "b*" };

struct side {
	struct reference reference;
	struct ref_template templates[TEMPLATES], *listed[TEMPLATES];
	struct reference_judge judge;
	struct cfg_reference config;
	bool counts[TEMPLATES], unkept[TEMPLATES];
	str excluded[2];
};

static struct identity identity_at(size_t name, size_t namespace)
{
	return (struct identity){ STR("v1"), STR("K"), str_from(namespaces[namespace]), str_from(names[name]) };
}

static bool is_listed(const struct side *s, const struct identity *id)
{
	for (size_t i = 0; i < s->reference.n_templates; i++) {
		if (identity_eq(&s->templates[i].identity, id))
			return true;
	}
	return false;
}

static void add_template(struct side *s, struct identity id, bool counts)
{
	size_t n = s->reference.n_templates;

	if (s->reference.manifests && is_listed(s, &id))
		return;
	s->templates[n] = (struct ref_template){ .index = n, .identity = id };
	s->listed[n] = &s->templates[n];
	s->counts[n] = counts;
	s->reference.n_templates++;
}

/* @like: half of the templates are as there; NULL: none. */
static void make(struct side *s, const struct side *like)
{
	struct err err;

	*s = (struct side){ .reference = { .refs = 1, .templates = s->listed, .manifests = rand() % 3 == 0 } };
	if (like && rand() % 4)
		s->reference.manifests = like->reference.manifests;
	for (size_t i = (size_t)rand() % TEMPLATES + 1; i-- > 0;) {
		struct identity id = identity_at((size_t)rand() % 3, (size_t)rand() % 3);

		if (like && i < like->reference.n_templates && rand() % 4)
			id = like->templates[i].identity;
		add_template(s, id, rand() % 2);
	}
	for (size_t i = 0; i < 2; i++) {
		if (rand() % 6 == 0)
			s->excluded[s->config.exclude_names.n++] = str_from(exclusions[i]);
	}
	s->config.exclude_names.p = s->excluded;
	s->judge = (struct reference_judge){
		.in_force = &s->reference, .reference = &s->config, .counts = s->counts, .unkept = s->unkept
	};
	assert_int_equal(matcher_new(&s->reference, &s->judge.matcher, &err), 0);
}

static bool is_for(const struct side *s, const struct identity *id, size_t template)
{
	const struct ref_template *const *candidates;
	size_t n = matcher_candidates(s->judge.matcher, id, &candidates);

	for (size_t i = 0; i < n; i++) {
		if (candidates[i]->index == template)
			return !cfg_excluded_by(&s->config, id);
	}
	return false;
}

static bool names_some(const struct side *now, const struct identity *id)
{
	for (size_t i = 0; i < now->reference.n_templates; i++) {
		if (now->counts[i] && !now->reference.manifests && identity_eq(&now->templates[i].identity, id))
			return true;
	}
	return false;
}

/* Whether all objects that count for the template are kept now. */
static bool is_kept(const struct side *now, const struct side *next, size_t template)
{
	const struct identity *of = &next->templates[template].identity;

	for (size_t i = 1; i < 4; i++) {
		for (size_t k = 0; k < 4; k++) {
			struct identity id = identity_at(i, k);

			if (is_for(next, &id, template) && !reference_judges_count(&now->judge, 1, &id))
				return false;
		}
	}
	return next->reference.manifests || !of->name.n || names_some(now, of);
}

static void print(const char *what, const struct side *s)
{
	print_error("%s:%s", what, s->reference.manifests ? " manifests" : "");
	for (size_t i = 0; i < s->config.exclude_names.n; i++)
		print_error(" -%.*s", STR_ARG(s->excluded[i]));
	for (size_t i = 0; i < s->reference.n_templates; i++) {
		const struct identity *id = &s->templates[i].identity;

		print_error(" %.*s/%.*s%s%s", STR_ARG(id->namespace), STR_ARG(id->name), s->counts[i] ? " counts" : "",
			    s->unkept[i] ? " unkept" : "");
	}
	print_error("\n");
}

static void test_is_never_wrong(void **state)
{
	static struct side now, next;
	size_t kept = 0, known = 0, foreseen = 0;
	struct snapshot none = { 0 };

	(void)state;
	srand(7);
	for (unsigned round = 0; round < ROUNDS; round++) {
		bool all = true, same = round % 4 == 0;

		make(&now, NULL);
		make(&next, &now);
		if (same) {
			matcher_free(next.judge.matcher);
			next = now;
			next.reference.refs = 1;
			next.reference.templates = next.listed;
			next.judge.in_force = &next.reference;
			next.judge.unkept = next.unkept;
			next.judge.matcher = now.judge.matcher;
		}
		foreseen = (size_t)reference_judge_knows_kept(&next.judge, &now.judge, 1, &none);
		for (size_t i = 0; i < next.reference.n_templates; i++) {
			bool is = next.counts[i] && is_kept(&now, &next, i);

			if ((next.counts[i] && !next.unkept[i] && !is) || (same && next.unkept[i])) {
				print("now", &now);
				print("next", &next);
			}
			if (next.counts[i] && !next.unkept[i] && !is)
				fail_msg("round %u: template %zu is not kept", round, i);
			if (same && next.unkept[i])
				fail_msg("round %u: template %zu is as it was", round, i);
			all &= !next.unkept[i];
			kept += is;
			known += next.counts[i] && !next.unkept[i];
		}
		assert_int_equal(foreseen, all);
		if (!same)
			matcher_free(next.judge.matcher);
		matcher_free(now.judge.matcher);
	}
	if (known * 6 < kept * 5)
		fail_msg("of %zu templates that are kept %zu are known to be", kept, known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_never_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
