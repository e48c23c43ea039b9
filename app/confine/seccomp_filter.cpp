#include "app/confine/seccomp_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "app/confine/resource_limits.h"

namespace quire {

/// A program of the kernel's packet filter that decides over a system call.
class SystemCallFilter {
 public:
  SystemCallFilter() { load(offsetof(seccomp_data, arch)); }

  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
  /// The lower or upper 32 bits of an argument: both processors are little-endian.
  void load_argument(size_t index, size_t upper = 0) {
    load(offsetof(seccomp_data, args) + 8 * index + 4 * upper);
  }
  void mask(uint32_t bits) { add(BPF_ALU | BPF_AND | BPF_K, bits); }
  void decide(uint32_t action) { add(BPF_RET | BPF_K, action); }

  /// The next `count` instructions are skipped unless the value is `value`.
  void if_equal(uint32_t value, uint8_t count) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count); }
  void if_at_least(uint32_t value, uint8_t count) {
    add(BPF_JMP | BPF_JGE | BPF_K, value, 0, count);
  }
  void unless_equal(uint32_t value, uint8_t count) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0);
  }

  void if_own_process(uint8_t count) {
    m_own_process = m_size;
    if_equal(0, count);
  }

  bool install() {
    m_code[m_own_process].k = static_cast<uint32_t>(getpid());
    const sock_fprog program = {.len = m_size, .filter = m_code.data()};
    return m_size < m_code.size() &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  void add(int code, uint32_t value, uint8_t if_true = 0, uint8_t if_false = 0) {
    if (m_size == m_code.size()) return;  // install() refuses it.
    m_code[m_size++] = {static_cast<uint16_t>(code), if_true, if_false, value};
  }

  std::array<sock_filter, 256> m_code;
  uint16_t m_size = 0;
  uint16_t m_own_process = 0;  ///< Where the process's id belongs, which only it knows.
};

namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;  ///< There is no filter.
#endif

constexpr uint32_t kX32Bit = 0x40000000;
/// A file is opened for reading, is not created and not emptied. O_TMPFILE holds O_DIRECTORY, which
/// listing a folder needs.
constexpr uint32_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
constexpr uint32_t kLastHarmlessFcntl = F_GETFL;  ///< F_DUPFD, F_GETFD, F_SETFD, F_GETFL.

constexpr int kAllowed[] = {
    // Files that are open, and what is said of others.
    __NR_read,
    __NR_pread64,
    __NR_readv,
    __NR_write,
    __NR_writev,
    __NR_lseek,
    __NR_close,
    __NR_fstat,
    __NR_newfstatat,
    __NR_statx,
    __NR_getdents64,
    __NR_readlinkat,
    __NR_faccessat,
    __NR_faccessat2,
    __NR_fadvise64,
    __NR_getcwd,
    // Memory; for mmap see allow_counted_memory(). Executable memory is for the regular
    // expressions' compiler. Not mremap, which makes a page of the stack as large as it likes,
    // uncounted; realloc() copies without it.
    __NR_brk,
    __NR_munmap,
    __NR_mprotect,
    __NR_madvise,
    // Waiting, time, this process.
    __NR_futex,
    __NR_sched_yield,
    __NR_sched_getaffinity,
    __NR_clock_gettime,
    __NR_clock_getres,
    __NR_gettimeofday,
    __NR_nanosleep,
    __NR_clock_nanosleep,
    __NR_restart_syscall,
    __NR_getrandom,
    __NR_getpid,
    __NR_getppid,
    __NR_gettid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_getrusage,
    __NR_uname,
    __NR_sysinfo,
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    __NR_sigaltstack,
    __NR_exit,
    __NR_exit_group,
#if defined(__x86_64__)
    // Their older forms.
    __NR_stat,
    __NR_lstat,
    __NR_readlink,
    __NR_access,
    __NR_time,
    __NR_getrlimit,
#endif
};

/// What a program's start needs, and a script's.
constexpr int kToExecute[] = {
    __NR_execve,
    __NR_set_tid_address,
    __NR_set_robust_list,
    __NR_rseq,
    __NR_dup,
    __NR_dup3,
#if defined(__x86_64__)
    __NR_arch_prctl,
    __NR_dup2,
#endif
};

/// UBSan's runtime finds out with a pipe whether the object of a virtual call can be read.
constexpr int kToSanitize[] = {
    __NR_pipe2,
#if defined(__x86_64__)
    __NR_pipe,
#endif
};

constexpr uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr uint32_t kKill = SECCOMP_RET_KILL_PROCESS;
constexpr uint32_t refuse(int error) {
  return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error);
}

/// Other processors' calls, which the same kernel may serve, have other numbers.
void check_architecture(SystemCallFilter& filter) {
  filter.unless_equal(kArchitecture, 1);
  filter.decide(kKill);
  filter.load(offsetof(seccomp_data, nr));
  filter.if_at_least(kX32Bit, 1);
  filter.decide(kKill);
}

void allow_reading(SystemCallFilter& filter, uint32_t call, size_t flags) {
  filter.if_equal(call, 5);
  filter.load_argument(flags);
  filter.mask(kWriting);
  filter.if_equal(0, 1);
  filter.decide(kAllow);
  filter.decide(refuse(EPERM));
}

/// RLIMIT_DATA counts neither anonymous memory that is shared nor mappings that grow downwards.
void allow_counted_memory(SystemCallFilter& filter) {
  constexpr uint32_t kUncounted = MAP_SHARED | MAP_ANONYMOUS;
  filter.if_equal(__NR_mmap, 8);
  filter.load_argument(3);
  filter.mask(MAP_GROWSDOWN);
  filter.if_equal(0, 4);
  filter.load_argument(3);
  filter.mask(kUncounted);  // MAP_SHARED_VALIDATE holds MAP_SHARED.
  filter.unless_equal(kUncounted, 1);
  filter.decide(kAllow);
  filter.decide(refuse(EPERM));
}

void allow_asking_for_limits(SystemCallFilter& filter) {
  filter.if_equal(__NR_prlimit64, 8);
  filter.load_argument(0);  // The process: itself.
  filter.if_equal(0, 5);
  filter.load_argument(2);  // The new limits: none.
  filter.if_equal(0, 3);
  filter.load_argument(2, 1);
  filter.if_equal(0, 1);
  filter.decide(kAllow);
  filter.decide(refuse(EPERM));
}

/// abort() and raise() signal this process.
void allow_own_signals(SystemCallFilter& filter) {
  filter.if_equal(__NR_tgkill, 4);
  filter.load_argument(0);
  filter.if_own_process(1);
  filter.decide(kAllow);
  filter.decide(refuse(EPERM));
}

void allow_harmless_fcntl(SystemCallFilter& filter) {
  filter.if_equal(__NR_fcntl, 4);
  filter.load_argument(1);
  filter.if_at_least(kLastHarmlessFcntl + 1, 1);
  filter.decide(refuse(EPERM));
  filter.decide(kAllow);
}

template <size_t kCount>
void allow(SystemCallFilter& filter, const int (&calls)[kCount]) {
  for (const int call : calls) {
    filter.if_equal(static_cast<uint32_t>(call), 1);
    filter.decide(kAllow);
  }
}

}  // namespace

std::shared_ptr<SystemCallFilter> make_system_call_filter(bool may_execute) {
  if (kArchitecture == 0) return nullptr;
  auto made = std::make_shared<SystemCallFilter>();
  SystemCallFilter& filter = *made;
  check_architecture(filter);
  allow(filter, kAllowed);
  if (may_execute) allow(filter, kToExecute);
  if (has_shadow_memory()) allow(filter, kToSanitize);
  allow_reading(filter, __NR_openat, 2);
#ifdef __NR_open
  allow_reading(filter, __NR_open, 1);
#endif
  allow_counted_memory(filter);
  allow_asking_for_limits(filter);
  allow_own_signals(filter);
  allow_harmless_fcntl(filter);
  // Its arguments lie in memory, where no filter sees them: the C library then calls clone().
  filter.if_equal(__NR_clone3, 1);
  filter.decide(refuse(ENOSYS));
  filter.decide(refuse(EPERM));
  return made;
}

bool install(SystemCallFilter& filter) {
  return filter.install();
}

}  // namespace quire
