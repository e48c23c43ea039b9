#pragma once

#include <QHash>
#include <QLockFile>
#include <QObject>
#include <QSet>
#include <QString>

#include <memory>

#include "app/store/conversation_store.h"
#include "app/store/id_source.h"
#include "app/store/store_writer.h"

namespace quire {

/// The user's data folder while it is open: its lock, a store to read from, the writer, the source
/// of ids for new records, and the settings.
///
/// Thread: the window's. Reads through a store of its own; writes only through the StoreWriter.
/// Invariants: store(), writer() and ids() may be called exactly while isOpen().
class DataSession : public QObject {
  Q_OBJECT

 public:
  explicit DataSession(const QString& folder, QObject* parent = nullptr);

  /// A folder that is locked, with what the window's thread need not read again.
  struct Prepared {
    std::shared_ptr<QLockFile> lock;  ///< Keeps other programs out of the folder.
    RecordId highestId = 0;
    QHash<QString, QString> settings;
    QHash<QString, ModelSettings> modelSettings;  ///< By path.
  };

  /// Whether the folder's lock is one that Quire may have made, or is not there: QLockFile would
  /// wait for a pipe, and read any other file until a line ends. Error: kIo with the path. Thread:
  /// any.
  static Result<void> checkLockFile(const QString& folder);
  static QString lockPath(const QString& folder);

  /// Locks the folder, creates, checks or migrates the store in it, which takes time in proportion
  /// to its size, and reads the settings. It takes `lock`, of
  /// lockPath(), if one is given, which stays locked after an error of the store. Thread: any.
  /// Errors: as ConversationStore::open, and kIo if the folder cannot be locked, usually because
  /// another Quire holds the lock.
  static Result<Prepared> prepare(const QString& folder, std::shared_ptr<QLockFile> lock = {});
  /// This session's lock for prepare().
  std::shared_ptr<QLockFile> lock() const { return m_lock; }
  /// Whether other programs are kept out of the folder, also if its store could not be opened: then
  /// it may be repaired. Not to be asked while prepare() runs.
  bool isLocked() const { return m_lock->isLocked(); }
  /// Opens the folder as prepare() left it.
  Result<void> open(Prepared prepared);
  /// As above, after prepare().
  Result<void> open();
  /// Closes the store, after everything is written, and keeps the lock.
  void close();
  bool isOpen() const { return m_store != nullptr; }
  const QString& folder() const { return m_folder; }

  ConversationStore& store() { return *m_store; }
  StoreWriter& writer() { return *m_writer; }
  IdSource& ids() { return *m_ids; }

  /// The stored value; empty if there is none, or the folder is not open. Reads no file.
  QString setting(const QString& key) const;
  /// Stores a setting and emits settingChanged. Does nothing while the folder is not open, or in a
  /// handler that a TextAnnouncer calls, because only texts have changed then.
  void putSetting(const QString& key, const QString& value);
  /// Takes over the settings that an import has written to the store.
  void addStoredSettings();

  /// The user's settings for a model; only the path is set if none were ever stored. Reads no file.
  ModelSettings modelSettings(const QString& path) const;
  const QHash<QString, ModelSettings>& allModelSettings() const { return m_modelSettings; }
  void putModelSettings(const ModelSettings& settings);

  /// Waits until everything is written, at most `timeoutMs`.
  void flush(int timeoutMs) {
    if (m_writer) m_writer->flush(timeoutMs);
  }
  /// Lets a paused writer try again at once.
  void retryWriting() {
    if (m_writer) m_writer->retry();
  }

 signals:
  void settingChanged(const QString& key, const QString& value);
  /// A write failed for good; the sentence is for the user.
  void writeFailed(const QString& sentence);
  /// Nothing can be written for now; the writer keeps its queue and tries again.
  void writePaused(const QString& sentence);
  void writeResumed();

 private:
  const QString m_folder;
  std::shared_ptr<QLockFile> m_lock;
  std::unique_ptr<StoreWriter> m_writer;
  std::unique_ptr<ConversationStore> m_store;  ///< Ends before the writer's, which moves the log.
  std::unique_ptr<IdSource> m_ids;
  QHash<QString, QString> m_settings;             ///< All settings, stored or put since opening.
  QSet<QString> m_put;                            ///< The keys of those put since opening.
  QHash<QString, ModelSettings> m_modelSettings;  ///< All, by path.
};

}  // namespace quire
