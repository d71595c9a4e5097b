/* Chooses the events that the options ask for. */
#include "daemon/events/event_filter.h"

#include "daemon/findings/finding.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <systemd/sd-id128.h>
#include <unistd.h>

#define DRIFTD_USER "driftd"

void event_filter_init(struct event_filter *f)
{
	const struct passwd *user = getpwnam(DRIFTD_USER);
	sd_id128_t machine;

	*f = (struct event_filter){ 0 };
	(void)snprintf(f->self, sizeof(f->self), "%u", (unsigned)geteuid());
	if (user)
		(void)snprintf(f->user, sizeof(f->user), "%u", (unsigned)user->pw_uid);
	if (sd_id128_get_machine(&machine) >= 0)
		sd_id128_to_string(machine, f->machine);
}

/* Whether @word is the name, or the part before or after its dash: "drift-begin", "drift", "begin". */
static bool is_part(str word, str name)
{
	ptrdiff_t dash = str_find_byte(name, '-');

	return str_eq(word, name) || (dash > 0 && (str_eq(word, str_sub(name, 0, (size_t)dash)) ||
						   str_eq(word, str_sub(name, (size_t)dash + 1, name.n))));
}

int event_filter_add_word(struct event_filter *f, const char *word, struct err *err)
{
	uint64_t found = 0;

	for (int m = 0; m < MESSAGES; m++) {
		if (is_part(str_from(word), str_from(message_name((enum message)m))))
			found |= UINT64_C(1) << m;
	}
	if (!found)
		return err_set(err, EINVAL, "unknown event '%.60s'", word);
	f->messages |= found;
	return 0;
}

/* Whether @unit is driftd.service or driftd@NAME.service. Only root can name the units of the system. */
static bool is_unit(str unit)
{
	return str_eq(unit, STR("driftd.service")) ||
	       (str_has_prefix(unit, STR("driftd@")) && str_has_suffix(unit, STR(".service")));
}

static bool is_text(str s, const char *text)
{
	return text[0] && str_eq(s, str_from(text));
}

bool event_filter_believes(const struct event_filter *f, const struct event *e)
{
	str uid = event_get(e, "_UID");

	if (f->any_user || str_eq(uid, STR("0")) || is_unit(event_get(e, "_SYSTEMD_UNIT")))
		return true;
	return is_text(event_get(e, "_MACHINE_ID"), f->machine) && (is_text(uid, f->self) || is_text(uid, f->user));
}

bool event_filter_wants(const struct event_filter *f, const struct event *e)
{
	if (f->id && !str_has_prefix(event_get(e, "DRIFTD_DRIFT_ID"), str_from(f->id)))
		return false;
	if (f->worst && event_severity(e) > f->worst)
		return false;
	return !f->kind ||
	       kind_words_mean(str_from(f->kind), event_get(e, "DRIFTD_KIND"), event_get(e, "DRIFTD_RESOURCE"));
}
