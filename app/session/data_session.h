#pragma once

#include <QHash>
#include <QLockFile>
#include <QObject>
#include <QString>

#include <memory>

#include "app/store/conversation_store.h"
#include "app/store/id_source.h"
#include "app/store/store_writer.h"

namespace quire {

/// The user's data folder while it is open: one program for one folder, a store to read from, the
/// writer, ids for new records, and the settings.
///
/// Thread: the window's. Reads through a store of its own; writes only through the StoreWriter.
/// Invariants: store(), writer() and ids() are there exactly while isOpen().
class DataSession : public QObject {
  Q_OBJECT

 public:
  explicit DataSession(const QString& folder, QObject* parent = nullptr);

  using Lock = std::shared_ptr<QLockFile>;

  /// Locks the folder, and creates, checks or migrates the store in it, which takes time in
  /// proportion to its size. Any thread. Errors: as ConversationStore::open, and kIo if the folder
  /// cannot be locked, above all because another Quire has it.
  static Result<Lock> prepare(const QString& folder);
  /// Opens what was prepared; without a lock prepares it, too.
  Result<void> open(Lock lock = nullptr);
  bool isOpen() const { return m_store != nullptr; }
  const QString& folder() const { return m_folder; }

  ConversationStore& store() { return *m_store; }
  StoreWriter& writer() { return *m_writer; }
  IdSource& ids() { return *m_ids; }

  /// As it was stored; empty if it was not, or nothing is open.
  QString setting(const QString& key) const;
  /// Also announces it; nothing happens while nothing is open, or in a handler that a TextAnnouncer
  /// calls: only texts have changed then.
  void putSetting(const QString& key, const QString& value);

  /// The user's settings for a model, as they were put last; with nothing set if they never were.
  ModelSettings modelSettings(const QString& path) const;
  void putModelSettings(const ModelSettings& settings);

  /// Waits until everything is written, at most `timeoutMs`.
  void flush(int timeoutMs);
  /// Ends a pause of the writer, if the reason for it has gone.
  void retryWriting();

 signals:
  void settingChanged(const QString& key, const QString& value);
  /// Something could not be written; the sentence is for the user.
  void writeFailed(const QString& sentence);
  /// Nothing can be written for now; what is to be written is kept and tried again.
  void writePaused(const QString& sentence);
  void writeResumed();

 private:
  const QString m_folder;
  Lock m_lock;  ///< One program for one folder.
  std::unique_ptr<ConversationStore> m_store;
  std::unique_ptr<StoreWriter> m_writer;
  std::unique_ptr<IdSource> m_ids;
  mutable QHash<QString, ModelSettings> m_modelSettings;  ///< Read or put since opening.
  QHash<QString, QString> m_settings;  ///< Those written since opening: the disk may be behind.
};

}  // namespace quire
