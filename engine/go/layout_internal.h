/* What reading and writing by a layout share: the layout cut into its items. */
#ifndef GO_LAYOUT_INTERNAL_H
#define GO_LAYOUT_INTERNAL_H

#include "go/layout.h"

enum layout_item {
	LAYOUT_END,
	LAYOUT_LONG_MONTH,
	LAYOUT_MONTH,
	LAYOUT_NUM_MONTH,
	LAYOUT_ZERO_MONTH,
	LAYOUT_LONG_WEEKDAY,
	LAYOUT_WEEKDAY,
	LAYOUT_DAY,
	LAYOUT_UNDER_DAY,
	LAYOUT_ZERO_DAY,
	LAYOUT_UNDER_YDAY,
	LAYOUT_ZERO_YDAY,
	LAYOUT_HOUR,
	LAYOUT_HOUR12,
	LAYOUT_ZERO_HOUR12,
	LAYOUT_MINUTE,
	LAYOUT_ZERO_MINUTE,
	LAYOUT_SECOND,
	LAYOUT_ZERO_SECOND,
	LAYOUT_LONG_YEAR,
	LAYOUT_YEAR,
	LAYOUT_PM,
	LAYOUT_pm,
	LAYOUT_TZ,
	LAYOUT_OFFSET,
	LAYOUT_FRACTION_0, /* as many digits as the layout has */
	LAYOUT_FRACTION_9, /* trailing zeros left out */
};

struct layout_chunk {
	str prefix; /* text in front */
	str text;   /* of the item */
	enum layout_item item;
	bool zulu, colon, short_form, seconds; /* LAYOUT_OFFSET: Z for zero; 07:00; 07; with seconds */
	size_t digits;                         /* fractions */
};
/* Cut the text up to and with the next item off *layout. */
struct layout_chunk go_layout_next(str *layout);

#endif
