#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace quire {

/// One change that a program asked of a file system.
struct Operation {
  enum class Kind {
    kCreate,      ///< `path` became a new, empty file, `file`.
    kMakeFolder,  ///< `path`.
    kRename,      ///< `path` to `target`, which it replaces.
    kRemove,      ///< `path`.
    kWrite,       ///< `data` at `offset` of `file`.
    kTruncate,    ///< `file` to `offset` bytes.
    kSetTime,     ///< Of `file`, to `time`.
    kSync,        ///< `file`: what was written before is durable.
    kSyncFailed,  ///< `file`: what was written before may be lost, and later syncs do not help.
    kSyncFolder,  ///< `path`: what was created, renamed or removed in it is durable.
  };
  Kind kind;
  int file = -1;
  std::string path;  ///< Relative to the log's folder, which is "".
  std::string target;
  int64_t offset = 0;
  std::string data;
  timespec time = {};  ///< When the file was modified, after the operation.
};

/// Records what happens below a folder, and makes the disk that a power cut would leave.
///
/// The model is POSIX's, as strict as real file systems come: contents are durable after a sync of
/// the file, names after a sync of their folder. Without it any subset of the writes is on the
/// disk, each whole or in some of its sectors of 512 bytes; of the changes to a folder's names the
/// first ones are, in their order.
///
/// Thread: any.
class DiskLog {
 public:
  /// `folder` is absolute, without symbolic links, and empty.
  explicit DiskLog(std::string folder) : m_folder(std::move(folder)) {}

  // Each takes an absolute path, ignores one outside the folder, and is called after the operation
  // has succeeded on the real file system.
  void noteOpened(const std::string& path);  ///< A file that is not known yet was created.
  void noteWrite(const std::string& path, int64_t offset, std::string data);
  void noteTruncate(const std::string& path, int64_t bytes);
  void noteTime(const std::string& path);
  void noteSync(const std::string& path, bool succeeded = true);  ///< A file or a folder.
  void noteFolder(const std::string& path);
  void noteRename(const std::string& from, const std::string& to);
  void noteRemoval(const std::string& path);

  /// How many operations were recorded: an acknowledgement holds for cuts from here on.
  size_t size() const;
  std::vector<Operation> recorded() const;

  /// Writes what is on the disk when the power is cut after the first `until` operations into
  /// `folder`, which is empty. The seed decides about everything that was not synced.
  void writeDisk(size_t until, uint32_t seed, const std::string& folder) const;

 private:
  std::optional<std::string> relative(const std::string& path) const;
  void add(Operation operation, const std::string& realPath);
  void noteFileLocked(const std::string& path, const std::string& realPath);

  const std::string m_folder;
  mutable std::mutex m_mutex;
  std::vector<Operation> m_operations;
  std::map<std::string, int> m_files;  ///< By path, as the program sees them.
  int m_numFiles = 0;
};

}  // namespace quire
