/* The system call filter of programs that need no network: their input comes from outside, so that a flaw in them
 * must not reach anybody. */
#include "daemon/fetch/child_internal.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__s390x__)
#define ARCHITECTURE AUDIT_ARCH_S390X
#endif

#ifdef ARCHITECTURE

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define DENY (SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))
/* Refuse the call @number; for another one continue with the next instruction. */
#define REFUSE(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), RETURN(DENY)

/* Calls that would allow sockets nevertheless are refused too. Numbers of another architecture mean other calls, of
 * which one (socketcall of i386) makes sockets; those of x32 look like native ones with a bit set. An io_uring makes
 * sockets without the call. Tracing or writing to another process could let that one make them. */
#define FIRST_OF_X32 0x40000000

int child_go_offline(void)
{
	struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
#ifdef __x86_64__
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_OF_X32, 0, 1),
		RETURN(DENY),
#endif
		REFUSE(SYS_socket),
		REFUSE(SYS_socketpair),
		REFUSE(SYS_connect),
		REFUSE(SYS_bind),
		REFUSE(SYS_listen),
		REFUSE(SYS_accept4),
		REFUSE(SYS_io_uring_setup),
		REFUSE(SYS_io_uring_enter),
		REFUSE(SYS_ptrace),
		REFUSE(SYS_process_vm_writev),
		REFUSE(SYS_pidfd_getfd),
		RETURN(SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = ARRAY_LEN(filter), .filter = filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

#else

int child_go_offline(void)
{
	return -ENOSYS;
}

#endif
