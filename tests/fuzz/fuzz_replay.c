/* Recordings that somebody sent: any bytes behind a header are read to an end, without a word of damage to memory, in
 * bounded time. */
#include "daemon/recording/replay.h"

#include "base/assert.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "{\"e\":\"header\",\"t\":1000000000,\"w\":1700000000000000,\"format\":1,\"clusters\":[\"prod\"]}\n"

static struct {
	struct limits limits;
	struct key_table *keys;
	struct cfg *cfg;
} fixed;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void prepare(void)
{
	static const char *const file = TEST_DATA "/recording/driftd.yaml";
	struct problems problems = { 0 };
	struct err err;

	fixed.limits = limits_of_a_loop();
	fixed.keys = key_table_new();
	ASSERT(fixed.keys && cfg_load(&file, 1, &fixed.limits, fixed.keys, &fixed.cfg, &problems, &err) == 0);
	ASSERT(freopen("/dev/null", "w", stdout));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct replay_summary s;
	char *text = malloc(n + sizeof(HEADER));
	struct err err;
	FILE *from;

	if (!fixed.cfg)
		prepare();
	ASSERT(text);
	memcpy(text, HEADER, sizeof(HEADER) - 1);
	memcpy(text + sizeof(HEADER) - 1, data, n);
	from = fmemopen(text, n + sizeof(HEADER) - 1, "r");
	ASSERT(from);
	ASSERT(replay_run(from, fixed.cfg, &fixed.limits, fixed.keys, NULL, CFG_OUTPUT_JSON, &s, &err) == 0);
	(void)fclose(from);
	free(text);
	return 0;
}
