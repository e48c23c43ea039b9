#include "app/confine/confine.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/confine/confined_call.h"
#include "app/confine/landlock.h"
#include "app/confine/resource_limits.h"
#include "app/confine/seccomp_filter.h"

namespace quire {
namespace {

bool is_memory_limited() {
  struct rlimit limit = {};
  return getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// 's', 'l' and 'r' for what is in force in this process.
std::string in_force() {
  std::string letters;
  if (socket(AF_UNIX, SOCK_STREAM, 0) < 0) letters += 's';
  if (open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0) letters += 'l';
  if (is_memory_limited()) letters += 'r';
  return letters;
}

}  // namespace

std::string Confinement::text() const {
  std::string text = seccomp ? "system calls are filtered (seccomp), "
                             : "system calls are not filtered (no seccomp), ";
  text += landlock ? "other files cannot be read (Landlock), "
                   : "other files can be read (no Landlock), ";
  text += rlimits ? "memory and time are limited" : "only time is limited";
  return text;
}

Confinement try_confinement() {
  const auto end = confined_call({}, std::chrono::seconds(5), in_force, "");
  if (!end) return {};
  const auto has = [&](char letter) { return end->answer.find(letter) != std::string::npos; };
  return {.seccomp = has('s'), .landlock = has('l'), .rlimits = has('r')};
}

PreparedConfinement::PreparedConfinement(const ConfineLimits& limits)
    : m_data_bytes(limits.data_bytes),
      m_address_bytes(limits.address_bytes),
      m_cpu_seconds(static_cast<uint64_t>(limits.cpu.count())),
      m_filter(make_system_call_filter(limits.may_execute)),
      m_ruleset(make_landlock_ruleset(limits.readable, limits.may_execute)) {}

PreparedConfinement::~PreparedConfinement() {
  if (m_ruleset >= 0) close(m_ruleset);
}

void PreparedConfinement::apply() const {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  limit_resources(m_data_bytes, m_address_bytes, m_cpu_seconds);
  if (m_ruleset >= 0) restrict_by_landlock(m_ruleset);
  if (m_filter) install(*m_filter);
}

}  // namespace quire
