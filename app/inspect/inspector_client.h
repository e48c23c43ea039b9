#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "kernels/base/result.h"

namespace quire {

/// Starts quire-inspect and talks to it. The program is started by the first question and again
/// after it died; it gets none of this process's open files.
///
/// Thread: one; several clients may live.
/// Invariants: no call waits for a process longer than its deadline and some 50 ms more: one that
/// cannot be killed, since it hangs in the kernel, is left behind.
class InspectorClient {
 public:
  explicit InspectorClient(std::filesystem::path program);
  ~InspectorClient() { end(); }
  InspectorClient(const InspectorClient&) = delete;
  InspectorClient& operator=(const InspectorClient&) = delete;

  /// Sends a line and returns the answer's, both without their ends. Errors: kNotFound: the program
  /// cannot be started; kIo: it died or answered more than 1 MiB; kUnsupported: it did not answer
  /// in time; kCancelled. After an error the program is ended.
  Result<std::string> ask(std::string_view line, std::chrono::milliseconds deadline,
                          const std::stop_token& stop = {});

 private:
  using Clock = std::chrono::steady_clock;

  Result<void> start();
  void end();
  Result<void> send(std::string_view text, Clock::time_point deadline, const std::stop_token& stop);
  Result<std::string> receive(Clock::time_point deadline, const std::stop_token& stop);
  Result<void> wait_for(short events, Clock::time_point deadline,
                        const std::stop_token& stop) const;

  const std::filesystem::path m_program;
  int m_socket = -1;  ///< -1: it does not run.
  pid_t m_process = -1;
};

}  // namespace quire
