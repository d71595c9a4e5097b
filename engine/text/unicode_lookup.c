#include "text/unicode_tables.h"

size_t unicode_fold_from(uint32_t c)
{
	size_t lo = 0, hi = unicode_n_folds;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (unicode_folds[mid].code < c)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint32_t unicode_simple_fold(uint32_t c)
{
	size_t i = unicode_fold_from(c);

	return i < unicode_n_folds && unicode_folds[i].code == c ? unicode_folds[i].next : c;
}

const char *unicode_category(uint32_t c)
{
	size_t lo = 0, hi = unicode_n_category_ranges;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (unicode_categories[mid].hi < c)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == unicode_n_category_ranges || unicode_categories[lo].lo > c)
		return "Cn";
	return unicode_category_names[unicode_categories[lo].tag];
}
