/* Reports and carries out the effects that rules ask for. */
#include "daemon/inspection/effects.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_record.h"
#include "daemon/findings/notice.h"
#include "daemon/inspection/calls.h"
#include "mask/foreign.h"

#include <stdio.h>
#include <syslog.h>

#define LINE_MAX_BYTES 500 /* bytes of a message that MESSAGE has; DRIFTD_MESSAGE_TEXT has all of it */

const char *inspection_effect_name(enum inspection_effect e)
{
	static const char *const names[] = { "log", "api-call" };

	_Static_assert(ARRAY_LEN(names) == INSPECTION_EFFECTS, "ORDER inspection_effect");
	ASSERT(e < INSPECTION_EFFECTS);
	return names[e];
}

/* Whether the effect is within the quota. Others are counted, and reported from time to time. */
static bool may_do(struct inspection_context *c, const struct effect_origin *o, enum inspection_effect what)
{
	char text[200];
	bool news;

	if (c->follows)
		return false;
	if (inspection_rules_take(c->rules, o->rule->uuid, o->per_minute, clock_ns(), &news))
		return true;
	c->counters.dropped[what]++;
	if (news) {
		(void)snprintf(text, sizeof(text),
			       "inspection rule %.*s: more than %u log entries and calls a minute; some are dropped",
			       STR_ARG(o->rule->uuid), o->per_minute);
		record_notice(c->sink, o->about->cluster, SEVERITY_WARNING, NULL, text);
	}
	return false;
}

static int priority_of(enum insp_level level)
{
	static const int priorities[] = { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERR, LOG_CRIT };

	_Static_assert(ARRAY_LEN(priorities) == INSP_LEVELS, "ORDER insp_level");
	return priorities[level];
}

static str first_line(str s)
{
	ptrdiff_t end = str_find_byte(s, '\n');

	return utf8_cut(end < 0 ? s : str_sub(s, 0, (size_t)end), LINE_MAX_BYTES);
}

void effects_log(struct inspection_context *c, const struct effect_origin *o, enum insp_level level, str message)
{
	const struct finding_subject *s = o->about;
	str what = s->resource.n ? s->resource : s->kind;
	struct record r;

	if (!may_do(c, o, INSPECTION_LOG))
		return;
	record_init(&r, MESSAGE_INSPECTION_LOG, priority_of(level));
	r.text = arena_printf(&r.arena, "%.*s: %.*s %.*s%s%.*s: %.*s", STR_ARG(s->cluster), STR_ARG(what),
			      STR_ARG(s->namespace), s->namespace.n ? "/" : "", STR_ARG(s->name),
			      STR_ARG(first_line(message)));
	record_add(&r, "DRIFTD_EVENT", str_from(message_name(MESSAGE_INSPECTION_LOG)));
	record_add_subject(&r, s);
	record_add(&r, "DRIFTD_MESSAGE_TEXT", message);
	sink_write(c->sink, &r);
	record_done(&r);
}

void effects_call_failed(struct inspection_context *c, const struct call_origin *o, str url, const char *why)
{
	struct record r;

	record_init(&r, MESSAGE_API_CALL_FAILED, LOG_WARNING);
	r.text = arena_printf(&r.arena, "%.*s: inspection rule %.*s: GET %.*s failed: %s", STR_ARG(o->cluster),
			      STR_ARG(o->rule), STR_ARG(url), why);
	record_add(&r, "DRIFTD_EVENT", str_from(message_name(MESSAGE_API_CALL_FAILED)));
	record_add(&r, "DRIFTD_CLUSTER", o->cluster);
	record_add(&r, "DRIFTD_RULE", o->rule);
	record_add(&r, "DRIFTD_MESSAGE_TEXT", str_from(why));
	sink_write(c->sink, &r);
	record_done(&r);
}

/* Whether the proxies are allowed. A proxy sees what is sent too, so that the administrator chooses it and not
 * whoever writes the object. */
static bool proxies_allowed(const struct insp_config *config, val proxies)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 20);
	struct err err;

	for (uint32_t i = 0; val_is_map(proxies) && i < proxies.n; i++) {
		val url = proxies.members[i].value;

		if (!val_is_string(url) || insp_url_allowed(foreign_data(foreign_of(url)), config->call_prefixes,
							    config->n_call_prefixes, &a, &err) != 1)
			return false;
	}
	return true;
}

void effects_call(struct inspection_context *c, const struct effect_origin *o, const struct insp_call *call)
{
	const struct call_origin origin = { o->about->cluster, o->rule->uuid, o->rule->sensitive };
	struct err err;

	if (!c->calls || !may_do(c, o, INSPECTION_CALL))
		return;
	if (!proxies_allowed(o->config, call->proxies))
		effects_call_failed(c, &origin, STR("(not sent)"), "its proxy is below no prefix of allow_api_call");
	else if (calls_add(c->calls, call, &origin, &err) < 0)
		c->counters.dropped[INSPECTION_CALL]++;
}
