/* The table of MESSAGE_IDs and severities. */
#include "daemon/findings/messages.h"

#include "base/assert.h"

static const struct {
	const char *name, *id;
} messages[] = {
	[MESSAGE_DRIFT_BEGIN] = { "drift-begin", "089938918e834a77b3539e496fd132e4" },
	[MESSAGE_DRIFT_CHANGE] = { "drift-change", "d4131861a2b54861b8ebc72219a2c545" },
	[MESSAGE_DRIFT_END] = { "drift-end", "fb6644ef3575459bb0d4aa3285fd44aa" },
	[MESSAGE_COMPONENT_BEGIN] = { "component-begin", "2f0bb75f9b304970936873cad12666ac" },
	[MESSAGE_COMPONENT_CHANGE] = { "component-change", "7be005bd8ec24ac087f9bc569446972f" },
	[MESSAGE_COMPONENT_END] = { "component-end", "762eafabd5e7460d9746eddfaa52bb9b" },
	[MESSAGE_ERROR_BEGIN] = { "error-begin", "9c5a2bd1cfc7414199d006ad217f5c9f" },
	[MESSAGE_ERROR_CHANGE] = { "error-change", "50d75a1892e5468fb2e94fd01b0e5c7b" },
	[MESSAGE_ERROR_END] = { "error-end", "18453e53647c44f883e56ddfe5a605f8" },
	[MESSAGE_GAP_BEGIN] = { "gap-begin", "8e5b34a15c0545fc8623fa20e043af6f" },
	[MESSAGE_GAP_CHANGE] = { "gap-change", "674247d379954ea39de1c5a95955233a" },
	[MESSAGE_GAP_END] = { "gap-end", "0a85b1e492e645a993c897cb16fbab09" },
	[MESSAGE_VALIDATION_BEGIN] = { "validation-begin", "d56deb56604f4b208fba603c8b32faff" },
	[MESSAGE_VALIDATION_CHANGE] = { "validation-change", "c0ce430562b94f08b40578a666733820" },
	[MESSAGE_VALIDATION_END] = { "validation-end", "d73a6633644149e79ca41ee69990eb34" },
	[MESSAGE_STORM] = { "storm", "7983b2112f9747dda7f6fdd7976253cf" },
	[MESSAGE_NOTICE] = { "notice", "88c67ec687bf4c848fa97bd2ca4397de" },
	[MESSAGE_STARTED] = { "started", "9f80806e81454340adb76f9e42960fc7" },
	[MESSAGE_STOPPED] = { "stopped", "70548ab03cd64efca9604fd0e51679ce" },
	[MESSAGE_RELOADED] = { "reloaded", "b40d0f5832d0483e868077b0fd3e86f8" },
	[MESSAGE_RELOAD_FAILED] = { "reload-failed", "563e4277077d4d858ec0469eb9b50c6b" },
	[MESSAGE_STATE_UNREADABLE] = { "state-unreadable", "530a9975001a4ffd8879897f9c288bc5" },
	[MESSAGE_ACCEPTED_BEGIN] = { "accepted-begin", "1d4ff229ed3e4b7c9c935683f70e0a6b" },
	[MESSAGE_ACCEPTED_CHANGE] = { "accepted-change", "b07643ae895e4aa49e67199d0a302044" },
	[MESSAGE_ACCEPTED_END] = { "accepted-end", "cb848db51b6048899355113cb8ede208" },
	[MESSAGE_ACCEPTED_EXPIRED] = { "accepted-expired", "8b5033ddd34145a18412475b0f2e6328" },
	[MESSAGE_INSPECTION_BEGIN] = { "inspection-begin", "923712a8543f4c34babb63f664e05566" },
	[MESSAGE_INSPECTION_CHANGE] = { "inspection-change", "f2e5d23a539a4bc19bcb80b2c82506a8" },
	[MESSAGE_INSPECTION_END] = { "inspection-end", "253b2c7e9e914ed08d941e060ee22f39" },
	[MESSAGE_INSPECTION_LOG] = { "inspection-log", "ac8224ff65304b18b5f1d9d77986f9af" },
	[MESSAGE_API_CALL_FAILED] = { "api-call-failed", "f35c18552a024b739db6eace9b9d93d8" },
	[MESSAGE_LEADER] = { "leader", "3d0c1f7b7a4e4e0f9c5b0b6a2f3a4d71" },
	[MESSAGE_REFERENCE] = { "reference", "52c8f1a94d7b4c0e8a63be0917f5d2a6" },
};

_Static_assert(sizeof(messages) / sizeof(messages[0]) == MESSAGES, "every message has an id");

const char *message_id(enum message m)
{
	ASSERT(m < MESSAGES);
	return messages[m].id;
}

enum message message_of_id(str id)
{
	int m = 0;

	while (m < MESSAGES && !str_eq(id, str_from(messages[m].id)))
		m++;
	return (enum message)m;
}

const char *message_name(enum message m)
{
	ASSERT(m < MESSAGES);
	return messages[m].name;
}
