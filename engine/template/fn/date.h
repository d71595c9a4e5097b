/* The types of Go's package time as templates meet them. */
#ifndef TEMPLATE_FN_DATE_H
#define TEMPLATE_FN_DATE_H

#include "go/time.h"
#include "template/fn/fn.h"

extern const struct ttype tt_time, tt_duration, tt_month, tt_weekday, tt_location;

/* The time in @v, whose type is tt_time. */
static inline const struct go_time *tmpl_time_of(tval v)
{
	return v.p;
}
CHECKED int ret_time(struct tmpl_call *c, struct go_time t, tval *ret); /* Return @t, copied into the arena. */
static inline tval tval_duration(int64_t ns)
{
	return (tval){ .type = &tt_duration, .i = ns };
}

/* The time of the environment or of the system, in go_local. */
struct go_time tmpl_now(struct tmpl_call *c);

#endif
