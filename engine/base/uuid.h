/* UUIDs in the form that servers write, 36 characters in lower case, and as their 16 bytes. */
#ifndef BASE_UUID_H
#define BASE_UUID_H

#include "base/str.h"

#define UUID_BYTES 16
#define UUID_CHARS 36

/* False: @text is none, or is not written so; @ret is undefined then. */
bool uuid_read(str text, uint8_t ret[UUID_BYTES]);
void uuid_write(const uint8_t uuid[UUID_BYTES], char ret[UUID_CHARS]);

#endif
