#include "app/session/data_session.h"

#include <QDir>

#include <utility>

#include "app/session/text_announcer.h"
#include "app/store/data_folder.h"
#include "app/store/file_system.h"

namespace quire {

DataSession::DataSession(const QString& folder, QObject* parent)
    : QObject(parent), m_folder(folder) {}

Result<DataSession::Lock> DataSession::prepare(const QString& folder) {
  if (const Result<void> made = ensureDataFolder(folder); !made) return made.error();
  auto lock = std::make_shared<QLockFile>(QDir(folder).filePath(QStringLiteral("quire.lock")));
  lock->setStaleLockTime(0);
  if (!lock->tryLock()) {
    const bool isHeld = lock->error() == QLockFile::LockFailedError;
    const QString sentence =
        isHeld
            ? tr("Quire is already running with this folder. Use its window, or start Quire "
                 "with --data and another folder.")
            : tr("The folder \"%1\" cannot be locked: it is read-only, or the disk is full. Make "
                 "it writable, or start Quire with --data and another folder.")
                  .arg(QDir::toNativeSeparators(folder));
    return Error{ErrorCode::kIo, sentence.toStdString()};
  }
  restrictToOwner(lock->fileName());
  if (const QString network = fileSystemOf(folder).network; !network.isEmpty()) {
    qWarning(
        "The chats are on a network file system (%s), where a lost connection can damage them.",
        qPrintable(network));
  }
  // The store is opened here only to check and migrate it: a connection belongs to its thread.
  if (const auto store = ConversationStore::open(folder); !store) return store.error();
  return lock;
}

Result<void> DataSession::open(Lock lock) {
  if (isOpen()) return {};
  if (!lock) {
    auto prepared = prepare(m_folder);
    if (!prepared) return prepared.error();
    lock = std::move(*prepared);
  }
  auto store = ConversationStore::open(m_folder, /*recover=*/false);
  if (!store) return store.error();
  const auto highest = (*store)->highestId();
  if (!highest) return highest.error();
  m_lock = std::move(lock);
  m_store = std::move(store).value();
  m_ids = std::make_unique<IdSource>(*highest);
  m_writer = std::make_unique<StoreWriter>(m_folder);
  connect(m_writer.get(), &StoreWriter::failed, this,
          [this](quint64, const QString& sentence) { emit writeFailed(sentence); });
  connect(m_writer.get(), &StoreWriter::paused, this, &DataSession::writePaused);
  connect(m_writer.get(), &StoreWriter::resumed, this, &DataSession::writeResumed);
  return {};
}

QString DataSession::setting(const QString& key) const {
  if (!m_store) return {};
  if (const auto written = m_settings.constFind(key); written != m_settings.cend()) return *written;
  return m_store->setting(key).value_or(std::nullopt).value_or(QString());
}

void DataSession::putSetting(const QString& key, const QString& value) {
  if (!m_writer || TextAnnouncer::isSpeaking()) return;
  m_settings.insert(key, value);
  m_writer->putSetting(key, value);
  emit settingChanged(key, value);
}

ModelSettings DataSession::modelSettings(const QString& path) const {
  if (const auto known = m_modelSettings.constFind(path); known != m_modelSettings.cend()) {
    return *known;
  }
  ModelSettings settings{.path = path};
  if (path.isEmpty() || !m_store) return settings;
  const auto stored = m_store->modelSettings(path);
  if (stored && *stored) settings = **stored;
  m_modelSettings.insert(path, settings);
  return settings;
}

void DataSession::putModelSettings(const ModelSettings& settings) {
  if (!m_writer || settings.path.isEmpty()) return;
  m_modelSettings.insert(settings.path, settings);
  m_writer->write(&ConversationStore::putModelSettings, settings);
}

}  // namespace quire
