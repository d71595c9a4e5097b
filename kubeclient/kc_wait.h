/* Running the loop until something is over: for commands, which have nothing else to do meanwhile. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

typedef bool kc_is_over(void *ctx);

/*
 * Runs @loop until @is_over says so, or for @timeout_ms (0: for ever).
 *
 * Returns false: it took too long.
 */
bool kc_wait(uv_loop_t *loop, kc_is_over *is_over, void *ctx, uint64_t timeout_ms);
