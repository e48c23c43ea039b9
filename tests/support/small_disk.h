#pragma once

#include <cstdint>
#include <string>

namespace quire {

/// A file system in memory of limited size, mounted where only this process sees it.
/// Thread: that of main().
class SmallDisk {
 public:
  /// Gives the process mounts of its own; to be called before it starts a thread. Why it cannot, in
  /// a few words, else empty. It needs Linux, and root's rights or user namespaces.
  static std::string prepare();

  /// Mounts it on the folder, which is empty.
  SmallDisk(const std::string& folder, int64_t bytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool isMounted() const { return m_isMounted; }
  /// False if a file is open for writing.
  bool remount(bool isReadOnly) const;
  /// Takes all space that is left, in the file "ballast".
  void fill() const;
  void empty() const;  ///< Removes what fill() wrote.

 private:
  const std::string m_folder;
  bool m_isMounted = false;
};

}  // namespace quire
