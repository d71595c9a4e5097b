/* What stands in several places of the pages: times, severities, objects. */
#ifndef DAEMON_PAGES_PAGE_TEXT_H
#define DAEMON_PAGES_PAGE_TEXT_H

#include "daemon/findings/finding.h"
#include "daemon/pages/html_out.h"

#define PAGE_TEXT_MAX 400 /* bytes of a text of somebody else in a list */

/* "3 h 12 min ago" with the time itself beside it; both Unix times. "never" for 0. */
void page_time(struct html *h, int64_t usec, int64_t now_usec);
/* "1,234" */
void page_count(struct html *h, size_t n);
/* <span> with the word, in its colour. */
void page_severity(struct html *h, enum severity s);
/* How many there are of each severity that there is; "nothing open" when there are none. */
void page_severities(struct html *h, const size_t counts[8]);
/* A text of somebody else as it stands in a configuration: paths, values, names. */
void page_code(struct html *h, str s);
/* A text of several lines. */
void page_lines(struct html *h, str s);
/* <a href="address">text</a> */
void page_link(struct html *h, str address, str text);
/* <h2 id="id">heading</h2>, and a section that is called so. */
void page_heading(struct html *h, str id, str heading);
void page_section_open(struct html *h, str id, str heading);
void page_section_close(struct html *h);
/* "Deployment" and "shop/web", or what else the finding is about. */
void page_object(struct html *h, const struct finding *x);
/* What stands in its title: "Deployment shop/web". */
void page_object_text(const struct finding *x, struct buf *out);
/* What is special about its state: "flapping", "held", "unconfirmed"; nothing when nothing is. */
void page_marks(struct html *h, const struct finding *x, uint64_t now_ns);

#endif
