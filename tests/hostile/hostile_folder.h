#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <random>
#include <string>

#include "tests/hostile/hostile_files.h"

namespace quire::test {

/// The corpus while it is written.
/// Thread: one.
class HostileFolder {
 public:
  HostileFolder(std::filesystem::path root, uint32_t seed)
      : m_root(std::move(root)), m_random(seed) {}

  /// A file of these bytes: ROOT/kind/title, which its message is to name.
  HostileFile& file(const std::string& kind, const std::string& title, const std::string& place,
                    const std::string& bytes);
  /// Adds what the caller writes below ROOT/kind/title; `name`: the file within it that is at
  /// fault. The folder exists.
  HostileFile& folder(const std::string& kind, const std::string& title, const std::string& place,
                      const std::string& name);
  /// Adds what the caller puts at ROOT/kind/title, which may be no file at all.
  HostileFile& entry(const std::string& kind, const std::string& title, const std::string& place);

  uint32_t random() { return m_random(); }
  const std::filesystem::path& root() const { return m_root; }
  const std::deque<HostileFile>& files() const { return m_files; }

 private:
  const std::filesystem::path m_root;
  std::mt19937 m_random;
  std::deque<HostileFile> m_files;  ///< Which keeps references to its elements.
};

/// Runs statements on a database as another program would: without the store's own checks.
void changeDatabase(const std::filesystem::path& database, const std::string& sql);
void writeFile(const std::filesystem::path& path, const std::string& bytes);
std::string readFile(const std::filesystem::path& path);
/// Lengthens a file by a hole.
void makeSparse(const std::filesystem::path& path, uint64_t bytes);
std::string repeated(const std::string& text, size_t count);

void addGgufFiles(HostileFolder& to);
void addGgufVocabularies(HostileFolder& to);
void addSplitFiles(HostileFolder& to);
void addSafetensors(HostileFolder& to);
void addConfigs(HostileFolder& to);
void addTokenizerFiles(HostileFolder& to);
void addSentencePieces(HostileFolder& to);
void addTemplates(HostileFolder& to);
void addJsonInputs(HostileFolder& to);
void addExports(HostileFolder& to);
void addDocuments(HostileFolder& to);
void addDatabases(HostileFolder& to);
void addOddFiles(HostileFolder& to);
void addAdapters(HostileFolder& to);
void addQuantized(HostileFolder& to);
void addLargeHeaders(HostileFolder& to);

}  // namespace quire::test
