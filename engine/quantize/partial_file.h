#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/hash.h"
#include "kernels/base/result.h"

namespace quire {

/// A file that is written in parts under another name, "NAME.part", and gets its own name when it
/// is whole. Beside it a journal, "NAME.part.log", lists size and SHA-256 of each part, so that a
/// later process continues behind the last part that stands as it was written. Thread: one at a
/// time. Invariants: the file under its own name is never replaced; one process at a time writes;
/// what was not begun here is neither written nor cut, whatever it is called.
class PartialFile {
 public:
  /// `job` says what is written: only a journal with the same one is continued.
  struct Options {
    std::filesystem::path path;  ///< The final name.
    std::string job;             ///< One line, without what the journal puts before it.
    std::string_view first;      ///< The bytes of the first part.
    /// The sizes of all parts. A journal that says otherwise was changed.
    std::vector<uint64_t> part_bytes;
    bool resume = false;  ///< Continue what is there; without it, nothing may be there.
  };

  /// Errors: kInvalidArgument if the file exists, if a partial one exists and `resume` is off, if
  /// it is another job's or has another name, too; kIo, also if another process writes it.
  static Result<PartialFile> open(const Options& options);

  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile();

  /// Parts that were there when the file was opened, verified.
  size_t num_parts() const { return m_num_parts; }
  uint64_t size() const { return m_size; }

  /// Appends to the part that is being written. Errors: kIo.
  Result<void> append(std::span<const std::byte> bytes);
  /// Ends the part. Errors: kIo.
  Result<void> end_part();

  /// Writes all to the disk and gives the file its name. Errors: kIo; kInvalidArgument if there is
  /// a file of that name by now.
  Result<void> finish();
  /// Removes the partial file and its journal.
  void discard();

 private:
  PartialFile(const Options& options, int descriptor);
  Result<void> lock() const;
  Result<void> continue_parts(const Options& options);
  Result<void> start_journal(const std::string& job);
  Result<void> open_journal();
  Result<std::vector<std::string>> read_journal(const Options& options);
  uint64_t verify_parts(std::span<const std::string> lines, const Options& options);
  Error another_job() const;
  Result<void> write_all(int descriptor, std::span<const std::byte> bytes,
                         const std::filesystem::path& path) const;
  Error failed(const std::filesystem::path& path) const;

  std::filesystem::path m_path, m_part, m_journal_path;
  int m_file = -1;
  int m_journal = -1;
  size_t m_num_parts = 0;
  uint64_t m_size = 0;
  uint64_t m_part_bytes = 0;
  Sha256 m_hash;
};

}  // namespace quire
