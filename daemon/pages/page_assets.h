/* Files of the pages that are in the binary: style.css, icon.svg and docs/guide/runbook.md, made into a source by CMake
 * (cmake/Embed.cmake). */
#ifndef DAEMON_PAGES_PAGE_ASSETS_H
#define DAEMON_PAGES_PAGE_ASSETS_H

#include "base/str.h"

struct page_asset {
	str content;
	const char *tag; /* the ETag of the asset: a hash of its text */
};

extern const struct page_asset page_asset_style_css, page_asset_icon_svg, page_asset_runbook_md;

#endif
