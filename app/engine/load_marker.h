#pragma once

#include <QString>

#include <optional>

namespace quire {

/// The file `loading` in the user's data, which names the model that is being loaded. If it is
/// there at the start, the process ended during a load, and that model is not loaded automatically.
///
/// It outlives the process but need not outlive a power cut, so that nothing waits for the disk.
/// Thread: one, the loader's; unfinished() is for another object before the first load.
class LoadMarker {
 public:
  /// A load that was interrupted.
  struct Unfinished {
    QString path;
    bool isSameBoot = false;  ///< False: the machine was restarted, which may be the reason.
  };

  /// An empty `folder` marks nothing.
  explicit LoadMarker(const QString& folder);
  ~LoadMarker() { end(); }
  LoadMarker(const LoadMarker&) = delete;
  LoadMarker& operator=(const LoadMarker&) = delete;

  /// Writes the file, in place of whatever has its name but a folder; called before the first byte
  /// of the model is read. Errors are ignored.
  void begin(const QString& path);
  /// Removes the file: the model was loaded, could not be loaded, or the load was cancelled.
  void end();
  /// The load that an earlier process did not finish; nullopt if there is none.
  std::optional<Unfinished> unfinished() const;

 private:
  const QString m_file;
  bool m_isSet = false;  ///< By this object, which removes no other's.
};

}  // namespace quire
