#include "tests/support/disk_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/disk_after_cut.h"

namespace quire {

namespace fs = std::filesystem;
using Kind = Operation::Kind;

std::optional<std::string> DiskLog::relative(const std::string& path) const {
  if (path == m_folder) return std::string();
  if (!path.starts_with(m_folder + "/")) return std::nullopt;
  return path.substr(m_folder.size() + 1);
}

void DiskLog::add(Operation operation, const std::string& realPath) {
  struct stat state {};
  if (operation.file >= 0 && ::stat(realPath.c_str(), &state) == 0) operation.time = state.st_mtim;
  m_operations.push_back(std::move(operation));
}

void DiskLog::noteFileLocked(const std::string& path, const std::string& realPath) {
  if (m_files.contains(path)) return;
  m_files[path] = m_numFiles;
  add({.kind = Kind::kCreate, .file = m_numFiles++, .path = path}, realPath);
}

void DiskLog::noteOpened(const std::string& path) {
  const std::lock_guard lock(m_mutex);
  if (const auto known = relative(path)) noteFileLocked(*known, path);
}

void DiskLog::noteWrite(const std::string& path, int64_t offset, std::string data) {
  const std::lock_guard lock(m_mutex);
  const auto known = relative(path);
  if (!known) return;
  noteFileLocked(*known, path);
  add({.kind = Kind::kWrite, .file = m_files[*known], .offset = offset, .data = std::move(data)},
      path);
}

void DiskLog::noteTruncate(const std::string& path, int64_t bytes) {
  const std::lock_guard lock(m_mutex);
  const auto known = relative(path);
  if (!known || !m_files.contains(*known)) return;
  add({.kind = Kind::kTruncate, .file = m_files[*known], .offset = bytes}, path);
}

void DiskLog::noteTime(const std::string& path) {
  const std::lock_guard lock(m_mutex);
  const auto known = relative(path);
  if (!known || !m_files.contains(*known)) return;
  add({.kind = Kind::kSetTime, .file = m_files[*known]}, path);
}

void DiskLog::noteSync(const std::string& path, bool succeeded) {
  const std::lock_guard lock(m_mutex);
  const auto known = relative(path);
  if (!known) return;
  if (fs::is_directory(path)) {
    if (succeeded) add({.kind = Kind::kSyncFolder, .path = *known}, path);
  } else if (m_files.contains(*known)) {
    add({.kind = succeeded ? Kind::kSync : Kind::kSyncFailed, .file = m_files[*known]}, path);
  }
}

void DiskLog::noteFolder(const std::string& path) {
  const std::lock_guard lock(m_mutex);
  if (const auto known = relative(path)) add({.kind = Kind::kMakeFolder, .path = *known}, path);
}

void DiskLog::noteRename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(m_mutex);
  const auto source = relative(from);
  const auto target = relative(to);
  if (!source || !target || !m_files.contains(*source)) return;
  m_files[*target] = m_files[*source];
  m_files.erase(*source);
  add({.kind = Kind::kRename, .path = *source, .target = *target}, to);
}

void DiskLog::noteRemoval(const std::string& path) {
  const std::lock_guard lock(m_mutex);
  const auto known = relative(path);
  if (!known || m_files.erase(*known) == 0) return;
  add({.kind = Kind::kRemove, .path = *known}, path);
}

size_t DiskLog::size() const {
  const std::lock_guard lock(m_mutex);
  return m_operations.size();
}

std::vector<Operation> DiskLog::recorded() const {
  const std::lock_guard lock(m_mutex);
  return m_operations;
}

void DiskLog::writeDisk(size_t until, uint32_t seed, const std::string& folder) const {
  DiskAfterCut disk(seed);
  {
    const std::lock_guard lock(m_mutex);
    for (size_t i = 0; i < until && i < m_operations.size(); ++i) disk.apply(m_operations[i]);
  }
  disk.write(folder);
}

}  // namespace quire
