/* Whether it is known what the rules of a kind can see: not when one of them compares with the state before. */
#include "rules/rules_reads.h"

#include "support/json_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_known(void **state)
{
	static const struct {
		const char *rules;
		bool known;
	} rows[] = {
		{ "[{\"rule\":\"self.a == 1\"}]", true },
		{ "[{\"rule\":\"self.a == oldSelf.a\"}]", false },
		{ "[{\"rule\":\"self.a == 1\"},{\"rule\":\"self.b == oldSelf.b\"}]", false },
	};
	struct limits limits = LIMITS_DEFAULT;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(doc_unrefp) struct doc *d = document_of_json(str_from(rows[i].rules));
		CLEANUP(cel_rules_freep) struct cel_rules *rules = NULL;
		struct key_table *keys = key_table_new();
		struct compiled_rules set = { .source = RULES_OF_FILE };
		struct kind_rules kind = { .sets = { &set, 1, 1 } };
		struct object_ways ways;

		assert_int_equal(cel_rules_compile((val){ 0 }, d->root, false, &limits, &rules, &err), 0);
		set.rules = rules;
		rules_reads_init(&ways, &kind, keys);
		if (ways.known != rows[i].known)
			fail_msg("%s", rows[i].rules);
		object_ways_done(&ways);
		key_table_free(keys);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_known) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
