/* The findings about the rules that one object violates. Each is of FINDING_VALIDATION, or of FINDING_ACCEPTED while an
 * acceptance of it is in force:
 *
 *        violations_accept, with an acceptance
 *   VALIDATION ----------------------> ACCEPTED <--.
 *    |   ^                              |  |  |    | the same, with another acceptance
 *    |   '------- without one ----------'  |  '----'
 *    '-----> ended (violations_end) <------' */
#ifndef DAEMON_WATCH_VIOLATIONS_H
#define DAEMON_WATCH_VIOLATIONS_H

#include "daemon/watch/rules/rule_judge_options.h"
#include "daemon/watch/rules/ruled_kinds.h"
#include "mask/mask.h"

struct cel_failure;

struct violations {
	const struct rule_judge_options *o;
	struct ruled_kind *kind;
	struct object *object;
	struct mask_fields mask; /* what may be shown of values */
};

/* The subject of the finding that @rule fails at @path, and of the one for all failures that are only counted. */
struct finding_subject violations_subject(const struct violations *v, enum rule_source source, str rule, str path);
struct finding_subject violations_subject_of_more(const struct violations *v);

/* End, confirm or move the finding about the violation @of. @acceptance: the id of the acceptance under which it is
 * open, or "". False: nothing was moved. */
void violations_end(const struct violations *v, const struct finding_subject *of, const char *acceptance,
		    enum end_reason why);
void violations_confirm(const struct violations *v, const struct finding_subject *of, const char *acceptance);
bool violations_move(const struct violations *v, const struct finding_subject *of, const char *acceptance, str path);

/* The acceptance in force for the violation @s; NULL: there is none. @f says where the violation is; NULL: that is
 * not known. */
const struct accepted *violations_accepted_by(const struct violations *v, const struct finding_subject *s,
					      const struct cel_failure *f);
/* The same for a violation that was not seen again: the acceptance with the id @was, if that is still in force. */
const struct accepted *violations_still_accepted_by(const struct violations *v, const struct finding_subject *s,
						    const char *was);
/* Make the violation @s accepted by @by, or not accepted if @by is NULL, and return the kind of its finding. @was:
 * the id of the acceptance under which it was open, or "". @now gets the id of @by. The finding under another
 * acceptance ends. */
enum finding_kind violations_accept(const struct violations *v, struct finding_subject *s, const char *was,
				    const struct accepted *by, char now[ACCEPTANCE_ID_SIZE]);

#endif
