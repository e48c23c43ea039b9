#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/disk_log.h"

namespace quire {

/// What a power cut leaves of a list of operations, under the model of DiskLog.
/// Invariants: the same operations and seed give the same disk; operations outlive this object.
class DiskAfterCut {
 public:
  explicit DiskAfterCut(uint32_t seed) : m_random(seed) {}

  void apply(const Operation& operation);
  /// Makes the files in `folder`, which is empty. Decides what survived of what was not synced.
  void write(const std::string& folder);

 private:
  struct File {
    std::string content;  ///< What is durable.
    timespec time = {};
    std::vector<const Operation*> pending;
  };
  using Names = std::map<std::string, int>;  ///< Path to file; -1: a folder.

  bool isLucky() { return (m_random() & 1) != 0; }
  static void change(File& file, const Operation& operation);
  void tear(File& file, const Operation& write);
  void loseSome(File& file);
  static void change(Names& names, const Operation& operation);
  void settleNames(const std::string& folder);

  std::mt19937 m_random;
  std::map<int, File> m_files;
  Names m_names;  ///< Those that are durable.
  std::vector<const Operation*> m_pendingNames;
};

}  // namespace quire
