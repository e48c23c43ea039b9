#pragma once

#include <filesystem>
#include <string>

namespace quire {

/// Remembers which models passed try_model(), so that a model is tried again only when one of its
/// files or the program changes. One digest a line, in $XDG_CACHE_HOME/quire/tried-models or
/// ~/.cache/quire/tried-models; the file may be deleted at any time. Without a folder to write to,
/// every load tries its model.
///
/// Invariants: nothing is believed of a file that is a link, or that others own or may write.
class TriedModels {
 public:
  /// Where the user's own are; empty if there is no home folder.
  static std::filesystem::path default_path();
  /// An empty `path` remembers nothing.
  explicit TriedModels(std::filesystem::path path) : m_path(std::move(path)) {}

  /// Stands for the content of the model's file or folder, without reading it: SHA-256 over the
  /// device, inode, size and times of all files that loading it may open, and of this program.
  /// ctime is among them, which no program can set. Empty if a file cannot be examined.
  static std::string identity(const std::filesystem::path& model);

  bool contains(const std::string& identity) const;
  /// Keeps the last 256. Errors are ignored: the model is tried again.
  void add(const std::string& identity) const;

 private:
  std::string read() const;

  std::filesystem::path m_path;
};

}  // namespace quire
