/* unit_filter UNIT LOG COMMAND...: become the command, under the system call filter that systemd makes of the unit, and
 * write to LOG what the filter refuses: "filtering", then a line for each call.
 *
 * The groups of calls are asked of systemd-analyze; LIMITS has what the other settings mean (systemd 252, src/shared/
 * seccomp-util.c). Settings like ProtectClock= refuse what is in none of the groups that a service gets.
 * systemd loads a filter for each setting; here it is one, because only one can have a listener, and the listener is
 * what knows which call was refused. */
#include "base/file.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS_MAX 1024
#define GROUP_DEPTH_MAX 8
#define UNIT_BYTES_MAX (1u << 20)
#define NEW_NAMESPACE                                                                                                  \
	(CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWTIME | CLONE_NEWUSER |  \
	 CLONE_NEWUTS)
#define SET_ID (S_ISUID | S_ISGID)

_Noreturn static void give_up(const char *what, const char *why)
{
	fprintf(stderr, "unit_filter: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

/* ---- what the settings allow ---- */

/* With @setting the call is allowed only where an argument is as one of the call's rows says. */
static const struct limit {
	const char *setting;
	const char *call;
	struct scmp_arg_cmp allowed;
} limits[] = {
	{ "MemoryDenyWriteExecute=yes", "mmap", { 2, SCMP_CMP_MASKED_EQ, PROT_WRITE, 0 } },
	{ "MemoryDenyWriteExecute=yes", "mmap", { 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0 } },
	{ "MemoryDenyWriteExecute=yes", "mprotect", { 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0 } },
	{ "MemoryDenyWriteExecute=yes", "pkey_mprotect", { 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0 } },
	{ "MemoryDenyWriteExecute=yes", "shmat", { 2, SCMP_CMP_MASKED_EQ, SHM_EXEC, 0 } },
	{ "RestrictNamespaces=yes", "clone", { 0, SCMP_CMP_MASKED_EQ, NEW_NAMESPACE, 0 } },
	{ "RestrictNamespaces=yes", "unshare", { 0, SCMP_CMP_MASKED_EQ, NEW_NAMESPACE, 0 } },
	{ "RestrictRealtime=yes", "sched_setscheduler", { 1, SCMP_CMP_EQ, SCHED_OTHER, 0 } },
	{ "RestrictRealtime=yes", "sched_setscheduler", { 1, SCMP_CMP_EQ, SCHED_BATCH, 0 } },
	{ "RestrictRealtime=yes", "sched_setscheduler", { 1, SCMP_CMP_EQ, SCHED_IDLE, 0 } },
	{ "RestrictSUIDSGID=yes", "chmod", { 1, SCMP_CMP_MASKED_EQ, SET_ID, 0 } },
	{ "RestrictSUIDSGID=yes", "fchmod", { 1, SCMP_CMP_MASKED_EQ, SET_ID, 0 } },
	{ "RestrictSUIDSGID=yes", "fchmodat", { 2, SCMP_CMP_MASKED_EQ, SET_ID, 0 } },
	{ "RestrictSUIDSGID=yes", "mkdir", { 1, SCMP_CMP_MASKED_EQ, SET_ID, 0 } },
	{ "RestrictSUIDSGID=yes", "mkdirat", { 2, SCMP_CMP_MASKED_EQ, SET_ID, 0 } },
	{ "RestrictSUIDSGID=yes", "mknod", { 1, SCMP_CMP_MASKED_EQ, SET_ID, 0 } },
	{ "RestrictSUIDSGID=yes", "mknodat", { 2, SCMP_CMP_MASKED_EQ, SET_ID, 0 } },
	{ "RestrictSUIDSGID=yes", "creat", { 1, SCMP_CMP_MASKED_EQ, SET_ID, 0 } },
	{ "RestrictSUIDSGID=yes", "open", { 1, SCMP_CMP_MASKED_EQ, O_CREAT, 0 } },
	{ "RestrictSUIDSGID=yes", "open", { 2, SCMP_CMP_MASKED_EQ, SET_ID, 0 } },
	{ "RestrictSUIDSGID=yes", "openat", { 2, SCMP_CMP_MASKED_EQ, O_CREAT, 0 } },
	{ "RestrictSUIDSGID=yes", "openat", { 3, SCMP_CMP_MASKED_EQ, SET_ID, 0 } },
	{ "LockPersonality=yes", "personality", { 0, SCMP_CMP_EQ, 0, 0 } },
	{ "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6", "socket", { 0, SCMP_CMP_EQ, AF_UNIX, 0 } },
	{ "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6", "socket", { 0, SCMP_CMP_EQ, AF_INET, 0 } },
	{ "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6", "socket", { 0, SCMP_CMP_EQ, AF_INET6, 0 } },
};

/* What a setting refuses whatever the arguments are. Those that the kernel may as well not have: their callers know
 * another way, glibc for clone3 with each thread, and it is no fault that they ask. */
static const struct refusal {
	const char *setting;
	const char *call;
	bool as_missing; /* with ENOSYS */
} refusals[] = {
	{ "RestrictNamespaces=yes", "clone3", true },
	{ "RestrictNamespaces=yes", "setns", false },
	{ "RestrictSUIDSGID=yes", "openat2", true },
};

struct unit {
	str text;
	bool allowed[CALLS_MAX]; /* by number */
	int error;               /* of a call that is refused */
};

/* The value of the next line "KEY=…" of *rest, which moves behind it. */
static bool next_value(str *rest, str key, str *value)
{
	str line;

	while (str_next_part(rest, '\n', &line)) {
		if (str_has_prefix(line, key) && line.n > key.n && line.p[key.n] == '=') {
			*value = str_sub(line, key.n + 1, line.n);
			return true;
		}
	}
	return false;
}

static str only_value(const struct unit *u, const char *key)
{
	str rest = u->text, value, more;

	if (!next_value(&rest, str_from(key), &value) || next_value(&rest, str_from(key), &more))
		give_up(key, "is not in the unit, or more than once");
	return value;
}

static bool has_line(const struct unit *u, const char *wanted)
{
	str rest = u->text, line;

	while (str_next_part(&rest, '\n', &line)) {
		if (str_eq(line, str_from(wanted)))
			return true;
	}
	return false;
}

/* ---- the lists ---- */

static void set_call(struct unit *u, const char *name, bool allow)
{
	int number = seccomp_syscall_resolve_name(name);

	if (number >= CALLS_MAX)
		give_up(name, "its number is too large");
	if (number >= 0) /* else it is one of another architecture */
		u->allowed[number] = allow;
}

static void set(struct unit *u, const char *name, bool allow, unsigned depth);

/* systemd-analyze prints the name, and indented a comment, the calls, and groups within. */
static void set_group(struct unit *u, const char *name, bool allow, unsigned depth)
{
	char command[256], line[256];
	unsigned n = 0;
	FILE *p;

	if (depth > GROUP_DEPTH_MAX)
		give_up(name, "groups within groups without end");
	snprintf(command, sizeof(command), "systemd-analyze --no-pager syscall-filter %s", name);
	p = popen(command, "re"); /* NOLINT(cert-env33-c): the name is of the unit or systemd's own */
	while (p && fgets(line, sizeof(line), p)) {
		CLEANUP(freep) char *word = str_dup(str_trim(str_from(line)));

		if (word && *line == ' ' && *word && *word != '#') {
			set(u, word, allow, depth + 1);
			n++;
		}
	}
	if (!p || pclose(p) != 0 || n == 0)
		give_up(name, "systemd-analyze does not know the group");
}

static void set(struct unit *u, const char *name, bool allow, unsigned depth)
{
	if (*name == '@')
		set_group(u, name, allow, depth);
	else
		set_call(u, name, allow);
}

/* The first list is one of what is allowed, which always holds @default (systemd.exec(5)). */
static void read_lists(struct unit *u)
{
	str rest = u->text, value, word;
	bool first = true;

	while (next_value(&rest, STR("SystemCallFilter"), &value)) {
		bool allow = !str_has_prefix(value, STR("~"));

		if (first && !allow)
			give_up("SystemCallFilter", "begins with what is denied");
		if (first)
			set(u, "@default", true, 0);
		first = false;
		value = str_sub(value, allow ? 0 : 1, value.n);
		while (str_next_part(&value, ' ', &word)) {
			CLEANUP(freep) char *name = str_dup(word);

			if (name && *name)
				set(u, name, allow, 0);
		}
	}
	if (first)
		give_up("SystemCallFilter", "is not in the unit");
}

static void read_unit(struct unit *u, const char *path)
{
	static char *text; /* for as long as there are slices of it */
	struct err err;
	size_t len = 0;

	if (file_read(path, UNIT_BYTES_MAX, &text, &len, &err) < 0)
		give_up("unit", err.msg);
	u->text = (str){ text, len };
	if (!str_eq(only_value(u, "SystemCallArchitectures"), STR("native")))
		give_up("SystemCallArchitectures", "only \"native\" is known here");
	if (!str_eq(only_value(u, "SystemCallErrorNumber"), STR("EPERM")))
		give_up("SystemCallErrorNumber", "only EPERM is known here");
	u->error = EPERM;
	read_lists(u);
}

/* ---- the filter ---- */

static void add(scmp_filter_ctx filter, uint32_t action, int call, unsigned n, const struct scmp_arg_cmp *argument)
{
	int r = seccomp_rule_add_array(filter, action, call, n, argument);

	if (r < 0)
		give_up("seccomp_rule_add", strerror(-r));
}

/* A setting of the tables that the unit does not have in these words would be passed over. */
static void check_setting(const struct unit *u, const char *setting)
{
	if (!has_line(u, setting))
		give_up(setting, "is not in the unit: what does it have in its place?");
}

/* What is restricted further is taken off the list of what is allowed whatever its arguments are. */
static void add_limits(struct unit *u, scmp_filter_ctx filter)
{
	bool limited[CALLS_MAX] = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		const struct limit *l = &limits[i];
		int call = seccomp_syscall_resolve_name(l->call);

		check_setting(u, l->setting);
		if (call < 0 || call >= CALLS_MAX || !u->allowed[call])
			continue;
		limited[call] = true;
		add(filter, SCMP_ACT_ALLOW, call, 1, &l->allowed);
	}
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		int call = seccomp_syscall_resolve_name(refusals[i].call);

		check_setting(u, refusals[i].setting);
		if (call < 0 || call >= CALLS_MAX)
			continue;
		limited[call] = true;
		if (refusals[i].as_missing)
			add(filter, SCMP_ACT_ERRNO(ENOSYS), call, 0, NULL);
	}
	for (size_t call = 0; call < CALLS_MAX; call++)
		u->allowed[call] = u->allowed[call] && !limited[call];
}

/* Load the filter for this process and what it becomes. Returns the listener. */
static int load(struct unit *u)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_NOTIFY);
	int r;

	if (!filter)
		give_up("seccomp_init", "no filter with a listener");
	add_limits(u, filter);
	for (int call = 0; call < CALLS_MAX; call++) {
		if (u->allowed[call])
			add(filter, SCMP_ACT_ALLOW, call, 0, NULL);
	}
	r = seccomp_load(filter); /* and PR_SET_NO_NEW_PRIVS */
	if (r < 0)
		give_up("seccomp_load", strerror(-r));
	return seccomp_notify_fd(filter);
}

/* ---- the listener ---- */

static void say(FILE *log, const struct seccomp_notif *n)
{
	char *name = seccomp_syscall_resolve_num_arch(n->data.arch, n->data.nr);

	fprintf(log, "refused: %s (%d) with", name ? name : "?", n->data.nr);
	for (size_t i = 0; i < ARRAY_LEN(n->data.args); i++)
		fprintf(log, " %#llx", (unsigned long long)n->data.args[i]);
	fprintf(log, " of process %u\n", n->pid);
	free(name);
}

/* One that was ended while it waited for the answer needs none. */
static void refuse_one(int listener, int error, FILE *log, struct seccomp_notif *n, struct seccomp_notif_resp *answer)
{
	memset(n, 0, sizeof(*n));
	memset(answer, 0, sizeof(*answer));
	if (seccomp_notify_receive(listener, n) < 0)
		return;
	say(log, n);
	answer->id = n->id;
	answer->error = n->data.nr == seccomp_syscall_resolve_name("socket") ? -EAFNOSUPPORT : -error;
	(void)seccomp_notify_respond(listener, answer);
}

/* Until no process has the filter any more. */
static void listen_for_calls(int listener, int error, FILE *log)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };
	struct seccomp_notif *n;
	struct seccomp_notif_resp *answer;

	if (seccomp_notify_alloc(&n, &answer) < 0)
		give_up("seccomp_notify_alloc", "out of memory");
	fprintf(log, "filtering\n");
	while (poll(&p, 1, -1) >= 0 || errno == EINTR) {
		if (p.revents & POLLHUP)
			break;
		if (p.revents & POLLIN)
			refuse_one(listener, error, log, n, answer);
	}
	seccomp_notify_free(n, answer);
}

union rights {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static void send_listener(int socket, int listener)
{
	union rights rights = { 0 };
	struct iovec byte = { .iov_base = (char[]){ 0 }, .iov_len = 1 };
	struct msghdr m = {
		.msg_iov = &byte, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof(rights)
	};

	rights.header = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
					  .cmsg_type = SCM_RIGHTS,
					  .cmsg_len = CMSG_LEN(sizeof(int)) };
	memcpy(CMSG_DATA(&rights.header), &listener, sizeof(listener));
	if (sendmsg(socket, &m, 0) != 1)
		give_up("send the listener", strerror(errno));
}

static int receive_listener(int socket)
{
	union rights rights = { 0 };
	struct iovec byte = { .iov_base = (char[]){ 0 }, .iov_len = 1 };
	struct msghdr m = {
		.msg_iov = &byte, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof(rights)
	};
	int listener;

	if (recvmsg(socket, &m, MSG_CMSG_CLOEXEC) != 1 || rights.header.cmsg_type != SCM_RIGHTS)
		give_up("receive the listener", "it was not sent");
	memcpy(&listener, CMSG_DATA(&rights.header), sizeof(listener));
	return listener;
}

/* A process of its own, without the filter, and no child of the command, which would not expect one. */
static void start_listener(int socket, int command_side, int error, FILE *log)
{
	pid_t child = fork();

	if (child < 0)
		give_up("fork", strerror(errno));
	if (child > 0) {
		waitpid(child, NULL, 0);
		return;
	}
	if (fork() == 0) {
		close(command_side);
		listen_for_calls(receive_listener(socket), error, log);
	}
	exit(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
	static struct unit unit;
	int sockets[2];
	FILE *log;

	if (argc < 4)
		give_up("usage", "unit_filter UNIT LOG COMMAND [ARGUMENT...]");
	read_unit(&unit, argv[1]);
	log = fopen(argv[2], "ae");
	if (!log || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
		give_up(argv[2], strerror(errno));
	setvbuf(log, NULL, _IOLBF, 0);
	start_listener(sockets[0], sockets[1], unit.error, log);
	send_listener(sockets[1], load(&unit));
	execv(argv[3], argv + 3);
	give_up(argv[3], strerror(errno));
}
