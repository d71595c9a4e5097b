/* Regular expressions: matching without memory, in each of the engines. */
#include "oom.h"

#include "text/re2.h"

#include <errno.h>

/* The first calls go to PCRE2 or, for the pattern that it cannot do, to the breadth-first machine; later ones make an
 * automaton. */
static int match_many(const struct re2 *re, struct err *err)
{
	for (int i = 0; i < 8; i++) {
		int r = re2_matches(re, i % 2 ? STR("aab \xC3\xA9") : STR("aa"), err);

		if (r < 0)
			return r;
		if (r != i % 2)
			return OOM_WRONG;
	}
	return 0;
}

static int run(const char *pattern, struct err *err)
{
	CLEANUP(re2_freep) struct re2 *re = NULL;
	struct limits limits = LIMITS_DEFAULT;
	int r;

	if (re2_compile(str_from(pattern), &limits, &re, NULL, err) < 0)
		return OOM_WRONG;
	oom_arm();
	r = match_many(re, err);
	oom_disarm();
	return r;
}

static int run_re2_matches(struct err *err)
{
	return run("^a+b\\b.\xC3\xA9$", err);
}

static int run_re2_machine(struct err *err)
{
	return run("(?:a*)*b", err);
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "re2_matches", run_re2_matches, false },
		{ "re2_machine", run_re2_machine, false },
	};

	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
