/* Splits a layout into its items, for reading and for writing times. */
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
	LAYOUT_FRACTION_0, /* a fraction with as many digits as the layout has */
	LAYOUT_FRACTION_9, /* trailing zeros left out */
};

struct layout_chunk {
	str prefix; /* the text before the item */
	str text;   /* the text of the item */
	enum layout_item item;
	bool zulu, colon, short_form, seconds; /* LAYOUT_OFFSET: Z for zero; 07:00; 07; with seconds */
	size_t digits;                         /* the number of digits of a fraction */
};
/* Cut the text up to and with the next item off *layout. */
struct layout_chunk go_layout_next(str *layout);

#endif
