#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace quire {

class SystemCallFilter;

/// What a process that reads a stranger's file may take and touch.
struct ConfineLimits {
  uint64_t data_bytes = uint64_t{400} << 20;  ///< Anonymous memory; mapped files do not count.
  uint64_t address_bytes = 0;                 ///< Of the address space; 0: no limit.
  std::chrono::seconds cpu{5};                ///< Some ten times what large vocabularies take.
  size_t answer_bytes = size_t{1} << 20;      ///< Of a confined_call().
  /// The files, and folders with all that is below them, that it may read (Landlock). The system's
  /// libraries may be read as well.
  std::vector<std::filesystem::path> readable = {};
  bool may_execute = false;    ///< Only `readable` files and the system's programs.
  bool in_background = false;  ///< A confined_call() disturbs neither an answer nor the disk.
};

/// What keeps such a process in bounds on this machine.
struct Confinement {
  bool seccomp = false;
  bool landlock = false;
  bool rlimits = false;

  bool is_whole() const { return seccomp && landlock && rlimits; }
  /// "system calls are filtered (seccomp), other files cannot be read (Landlock), memory and time
  /// are limited", each with "not" where it is missing.
  std::string text() const;
};

/// Tries in a forked process what is in force here. Thread: the only one of its process.
Confinement try_confinement();

/// A process's confinement, prepared before it is forked.
///
/// Afterwards the process can change nothing: it opens files for reading alone, has no sockets,
/// starts no processes or threads (unless it may execute: then one program in its place), sends
/// signals only to itself, and has no core dumps. Where the system lacks seccomp or Landlock, the
/// rest applies.
///
/// Thread: any. Invariants: apply() and ruleset() are async-signal-safe and need little stack: Qt
/// calls them in a child that shares this process's memory.
class PreparedConfinement {
 public:
  explicit PreparedConfinement(const ConfineLimits& limits);
  ~PreparedConfinement();
  PreparedConfinement(const PreparedConfinement&) = delete;
  PreparedConfinement& operator=(const PreparedConfinement&) = delete;

  /// Confines this process and what it executes, for good; closes the ruleset.
  void apply() const;

  /// The file descriptor of the Landlock ruleset, or -1; it is not inherited by programs.
  int ruleset() const { return m_ruleset; }

 private:
  const uint64_t m_data_bytes;
  const uint64_t m_address_bytes;
  const uint64_t m_cpu_seconds;
  const std::shared_ptr<SystemCallFilter> m_filter;
  const int m_ruleset;
};

}  // namespace quire
