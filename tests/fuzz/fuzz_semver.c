/* A constraint and a version, parted by a newline; a version that is read is written and read again as the same one. */
#include "text/semver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT((size_t)1 << 20);
	CLEANUP(buf_done) struct buf normal = BUF_INIT((size_t)1 << 20);
	str input = { (const char *)data, size }, constraint, version;
	struct semver v, again, strict;
	struct err err;
	bool result;

	if (!str_next_part(&input, '\n', &constraint) || !str_next_part(&input, '\n', &version))
		return 0;
	(void)!semver_compare_constraint(constraint, version, &result, &err);
	(void)!semver_normalize(version, &normal, &err);
	(void)!semver_parse_strict(version, &strict, &err);
	if (semver_parse(version, &v, &err) < 0)
		return 0;
	semver_write(&v, &text);
	if (!text.error && (semver_parse(buf_str(&text), &again, &err) < 0 || semver_compare(&v, &again) != 0))
		abort();
	return 0;
}
