#include "tests/support/disk_after_cut.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace quire {
namespace {

namespace fs = std::filesystem;
using Kind = Operation::Kind;

std::string folderOf(const std::string& path) {
  return fs::path(path).parent_path().string();
}

void put(std::string& content, size_t offset, std::string_view data) {
  content.resize(std::max(content.size(), offset + data.size()));
  content.replace(offset, data.size(), data);
}

}  // namespace

void DiskAfterCut::apply(const Operation& operation) {
  switch (operation.kind) {
    case Kind::kCreate:
      m_files[operation.file].time = operation.time;
      m_pendingNames.push_back(&operation);
      break;
    case Kind::kMakeFolder:
    case Kind::kRename:
    case Kind::kRemove:
      m_pendingNames.push_back(&operation);
      break;
    case Kind::kWrite:
    case Kind::kTruncate:
    case Kind::kSetTime:
      m_files[operation.file].pending.push_back(&operation);
      break;
    case Kind::kSync: {
      File& file = m_files[operation.file];
      for (const Operation* pending : file.pending) change(file, *pending);
      file.pending.clear();
      break;
    }
    case Kind::kSyncFailed:
      loseSome(m_files[operation.file]);
      break;
    case Kind::kSyncFolder:
      settleNames(operation.path);
      break;
  }
}

void DiskAfterCut::change(File& file, const Operation& operation) {
  if (operation.kind == Kind::kWrite) {
    put(file.content, static_cast<size_t>(operation.offset), operation.data);
  } else if (operation.kind == Kind::kTruncate) {
    file.content.resize(static_cast<size_t>(operation.offset));
  }
  file.time = operation.time;
}

/// Some of the sectors of a write.
void DiskAfterCut::tear(File& file, const Operation& write) {
  constexpr size_t kSector = 512;
  const std::string_view data = write.data;
  const auto begin = static_cast<size_t>(write.offset);
  for (size_t at = 0; at < data.size();) {
    const size_t count = std::min(kSector - (begin + at) % kSector, data.size() - at);
    if (isLucky()) put(file.content, begin + at, data.substr(at, count));
    at += count;
  }
}

void DiskAfterCut::loseSome(File& file) {
  // Nothing, everything, a random half, or torn: a half alone would seldom keep a whole commit.
  const unsigned fate = m_random() % 4;
  for (const Operation* pending : file.pending) {
    const bool isTorn = fate == 3 && pending->kind == Kind::kWrite && isLucky();
    const bool isKept = fate == 1 || (fate >= 2 && isLucky());
    if (isTorn) {
      tear(file, *pending);
    } else if (isKept) {
      change(file, *pending);
    }
  }
  file.pending.clear();
}

void DiskAfterCut::change(Names& names, const Operation& operation) {
  switch (operation.kind) {
    case Kind::kCreate:
      names[operation.path] = operation.file;
      break;
    case Kind::kMakeFolder:
      names[operation.path] = -1;
      break;
    case Kind::kRename:
      if (!names.contains(operation.path)) break;
      names[operation.target] = names[operation.path];
      names.erase(operation.path);
      break;
    default:
      names.erase(operation.path);
  }
}

/// All changes to names in this folder become durable. Renames stay within a folder.
void DiskAfterCut::settleNames(const std::string& folder) {
  std::erase_if(m_pendingNames, [&](const Operation* operation) {
    if (folderOf(operation->path) != folder) return false;
    change(m_names, *operation);
    return true;
  });
}

void DiskAfterCut::write(const std::string& folder) {
  std::map<std::string, std::vector<const Operation*>> pending;
  for (const Operation* operation : m_pendingNames) {
    pending[folderOf(operation->path)].push_back(operation);
  }
  for (const auto& [name, operations] : pending) {
    const size_t count = m_random() % (operations.size() + 1);
    for (size_t i = 0; i < count; ++i) change(m_names, *operations[i]);
  }
  for (auto& [id, file] : m_files) loseSome(file);
  // In the order of their paths, so that folders come before what is in them.
  for (const auto& [path, id] : m_names) {
    const fs::path place = fs::path(folder) / path;
    if (!fs::is_directory(place.parent_path())) continue;  // Its folder's name was lost.
    if (id < 0) {
      fs::create_directory(place);
      continue;
    }
    const File& file = m_files[id];
    std::ofstream(place, std::ios::binary) << file.content;
    const timespec times[2] = {file.time, file.time};
    ::utimensat(AT_FDCWD, place.c_str(), times, 0);
  }
}

}  // namespace quire
