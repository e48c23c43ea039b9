#include "app/session/data_session.h"

#include <QDir>
#include <QFileInfo>
#include <QSysInfo>

#include <utility>

#include "app/session/text_announcer.h"
#include "app/store/data_folder.h"
#include "app/store/database.h"
#include "app/store/file_system.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

constexpr qint64 kMaxLockBytes = 64 << 10;     ///< A lock has three short lines.
constexpr qsizetype kMaxComputerLength = 255;  ///< Of a name that is shown.

/// Why the lock could not be taken, and what to do.
QString lockFault(const QString& folder, const QLockFile& lock) {
  if (lock.error() != QLockFile::LockFailedError) {
    return DataSession::tr(
               "The folder \"%1\" cannot be locked: it is read-only, or the disk is full. Make it "
               "writable, or start Quire with --data and another folder.")
        .arg(QDir::toNativeSeparators(folder));
  }
  const QString path = QDir::toNativeSeparators(lock.fileName());
  qint64 process = 0;
  QString computer;
  QString program;
  // Nobody can find out whether such locks are left by a crash, so they would stay for ever.
  if (!lock.getLockInfo(&process, &computer, &program)) {
    return DataSession::tr(
               "The file \"%1\" locks this folder and does not say for which program. Delete it if "
               "Quire runs nowhere with this folder.")
        .arg(path);
  }
  if (!computer.isEmpty() && computer != QSysInfo::machineHostName()) {
    return DataSession::tr(
               "Quire on the computer \"%1\" uses this folder or crashed there. Close it there. If "
               "Quire runs nowhere with this folder, delete the file \"%2\".")
        .arg(visibleLine(computer.left(kMaxComputerLength)), path);
  }
  return DataSession::tr(
      "Quire is already running with this folder. Use its window, or start Quire with --data and "
      "another folder.");
}

}  // namespace

DataSession::DataSession(const QString& folder, QObject* parent)
    : QObject(parent), m_folder(folder), m_lock(std::make_shared<QLockFile>(lockPath(folder))) {}

QString DataSession::lockPath(const QString& folder) {
  return QDir(folder).filePath(QStringLiteral("quire.lock"));
}

Result<void> DataSession::checkLockFile(const QString& folder) {
  const QFileInfo lock(lockPath(folder));
  if (!lock.exists() || (lock.isFile() && lock.size() <= kMaxLockBytes)) return {};
  const QString sentence = tr("The file \"%1\" is not a lock that Quire made. Delete it.")
                               .arg(QDir::toNativeSeparators(lock.filePath()));
  return Error{ErrorCode::kIo, sentence.toStdString()};
}

Result<DataSession::Prepared> DataSession::prepare(const QString& folder,
                                                   std::shared_ptr<QLockFile> lock) {
  if (const Result<void> made = ensureDataFolder(folder); !made) return made.error();
  if (const Result<void> checked = checkLockFile(folder); !checked) return checked.error();
  if (!lock) lock = std::make_shared<QLockFile>(lockPath(folder));
  lock->setStaleLockTime(0);
  if (!lock->isLocked() && !lock->tryLock()) {
    return Error{ErrorCode::kIo, lockFault(folder, *lock).toStdString()};
  }
  restrictToOwner(lock->fileName());
  if (const QString network = fileSystemOf(folder).network; !network.isEmpty()) {
    qWarning(
        "The chats are on a network file system (%s), where a lost connection can damage them.",
        qPrintable(network));
  }
  // This store is closed again: a connection belongs to its thread.
  const auto store = ConversationStore::open(folder);
  if (!store) return store.error();
  const auto highest = (*store)->highestId();
  if (!highest) return highest.error();
  Prepared prepared = {std::move(lock), *highest, {}, {}};
  // With defaults in place of what cannot be read, the next change would replace what is there.
  auto settings = (*store)->allSettings();
  if (!settings) return settings.error();
  prepared.settings = std::move(*settings);
  const auto ofModels = (*store)->allModelSettings();
  if (!ofModels) return ofModels.error();
  for (const ModelSettings& each : *ofModels) prepared.modelSettings.insert(each.path, each);
  return prepared;
}

Result<void> DataSession::open() {
  if (isOpen()) return {};
  auto prepared = prepare(m_folder, m_lock);
  return prepared ? open(std::move(*prepared)) : prepared.error();
}

Result<void> DataSession::open(Prepared prepared) {
  if (isOpen()) return {};
  auto store = ConversationStore::open(m_folder, /*recover=*/false);
  if (!store) return store.error();
  m_lock = std::move(prepared.lock);
  m_settings = std::move(prepared.settings);
  m_modelSettings = std::move(prepared.modelSettings);
  m_store = std::move(store).value();
  // Only the writer opens the file again if its disk was removed and is back.
  setLogIsTrusted(m_store->database(), false);
  m_ids = std::make_unique<IdSource>(prepared.highestId);
  m_writer = std::make_unique<StoreWriter>(m_folder);
  connect(m_writer.get(), &StoreWriter::failed, this,
          [this](quint64, const QString& sentence) { emit writeFailed(sentence); });
  connect(m_writer.get(), &StoreWriter::paused, this, &DataSession::writePaused);
  connect(m_writer.get(), &StoreWriter::resumed, this, &DataSession::writeResumed);
  return {};
}

void DataSession::close() {
  m_store.reset();
  m_writer.reset();
  m_ids.reset();
  m_put.clear();
}

QString DataSession::setting(const QString& key) const {
  return m_settings.value(key);
}

void DataSession::putSetting(const QString& key, const QString& value) {
  if (!m_writer || TextAnnouncer::isSpeaking()) return;
  m_settings.insert(key, value);
  m_put.insert(key);
  m_writer->putSetting(key, value);
  emit settingChanged(key, value);
}

// What was put since opening may not be in the store yet.
void DataSession::addStoredSettings() {
  if (!m_store) return;
  const auto stored = m_store->allSettings().value_or({});
  for (auto at = stored.cbegin(); at != stored.cend(); ++at) {
    if (!m_put.contains(at.key())) m_settings.insert(at.key(), at.value());
  }
}

ModelSettings DataSession::modelSettings(const QString& path) const {
  return m_modelSettings.value(path, {.path = path});
}

void DataSession::putModelSettings(const ModelSettings& settings) {
  if (!m_writer || settings.path.isEmpty()) return;
  m_modelSettings.insert(settings.path, settings);
  m_writer->write(&ConversationStore::putModelSettings, settings);
}

}  // namespace quire
