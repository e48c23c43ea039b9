#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace quire::fuzz {

/// Aborts with `what` if a promise does not hold: the fuzzer keeps the input that shows it.
void require(bool holds, std::string_view what);

/// What require() calls the input that it was broken by, where there is a name.
void name_input(std::string name);

/// What every error owes its reader: a sentence of moderate length, without control characters,
/// that names one of `names` (the file or the key).
void require_sentence(const Error& error, std::initializer_list<std::string_view> names);

/// Runs an entry point on one input, and requires that it takes little: kMaxCpuSeconds of CPU time,
/// of all threads, and kMaxMemoryBytes beyond what the process had before (both times a factor
/// under the sanitizers). Memory is not measured where the system does not reset its high-water
/// mark.
void run_measured(void (*target)(std::string_view), std::string_view bytes);

inline constexpr double kMaxCpuSeconds = 2.0;
inline constexpr uint64_t kMaxMemoryBytes = uint64_t{128} << 20;

/// An input that is a file and a text for what was read from it: the text follows the last
/// kTextMark. Empty if there is no mark.
struct FileAndText {
  std::string_view file;
  std::string_view text;
};
inline constexpr std::string_view kTextMark{"\0TEXT\0", 6};
FileAndText split_text(std::string_view bytes);

/// `bytes` cut at the first zeros into at most `count` parts; the last one keeps the others.
std::vector<std::string_view> split_at_zeros(std::string_view bytes, size_t count);

/// A folder in memory for the files that are only read by name. Emptied at the end.
/// Thread: one at a time.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return m_path; }
  /// Writes (or replaces) a file of the folder and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view content) const;
  void remove(std::string_view name) const;
  /// Removes everything in it.
  void clear() const;

 private:
  std::filesystem::path m_path;
};

/// A file of the repository.
std::string read_source_file(std::string_view path_from_root);

}  // namespace quire::fuzz
