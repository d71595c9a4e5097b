/* Credentials in what others repeat. */
#ifndef BASE_HIDE_H
#define BASE_HIDE_H

#include "base/buf.h"

/* Overwrite @secret with "*" wherever it stands in @text. One of less than four bytes is a part of everyday words, and
 * stays. */
void hide_secret(str secret, struct buf *text);

#endif
