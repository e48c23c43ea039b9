#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace quire::test {

/// How a process ended and what it took, with the processes that it waited for.
struct ProgramRun {
  int code = -1;         ///< Its exit code; -1 if a signal ended it.
  int signal = 0;        ///< 0: none.
  bool is_late = false;  ///< It was killed at the deadline.
  std::string out;
  std::string err;
  std::chrono::milliseconds cpu{0};
  std::chrono::milliseconds wall{0};
  uint64_t peak_bytes = 0;  ///< Resident, of the largest process.
};

/// Runs a program with this text as its standard input; `scratch` is a folder for its output.
/// `peak_bytes` is at least what this process has taken since forgetPeak(), as Linux counts.
ProgramRun runProgram(const std::vector<std::string>& arguments, const std::string& input,
                      const std::filesystem::path& scratch, std::chrono::milliseconds deadline);

/// Gives memory back and forgets that this process ever had more.
void forgetPeak();

}  // namespace quire::test
