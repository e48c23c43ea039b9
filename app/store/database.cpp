#include "app/store/database.h"

#include <QDir>
#include <QFileInfo>
#include <QSqlDriver>
#include <QUuid>

#include <sqlite3.h>
#include <cmath>
#include <utility>

#include "app/store/backup/backups.h"
#include "app/store/data_folder.h"
#include "app/store/schema.h"
#include "app/store/store_strings.h"

namespace quire {
namespace {

// Primary result codes, https://www.sqlite.org/rescode.html. SQLite itself is reached through Qt,
// save where Qt has no way to.
constexpr int kSqliteBusy = 5;
constexpr int kSqliteLocked = 6;
constexpr int kSqliteNoMemory = 7;
constexpr int kSqliteReadOnly = 8;
constexpr int kSqliteIoError = 10;
constexpr int kSqliteCorrupt = 11;
constexpr int kSqliteCorruptIndex = 267;  // Of the full-text index, which is made anew by itself.
constexpr int kSqliteFull = 13;
constexpr int kSqliteCannotOpen = 14;
constexpr int kSqliteConstraint = 19;
constexpr int kSqliteNotADatabase = 26;

constexpr int kBusyTimeoutMs = 5000;
constexpr const char* kWritingOptions = "QSQLITE_BUSY_TIMEOUT=5000";
constexpr const char* kReadingOptions = "QSQLITE_BUSY_TIMEOUT=5000;QSQLITE_OPEN_READONLY";

Error makeError(ErrorCode code, const QString& sentence) {
  return {code, sentence.toStdString()};
}

Error damaged(const QString& path, const QString& detail) {
  return makeError(
      ErrorCode::kCorruptFile,
      StoreWords::tr("The file \"%1\" is damaged or not a database (%2). Put a backup in "
                     "its place, or move it away to start with an empty history.")
          .arg(path, detail));
}

QString pathIn(const QString& folder) {
  return QDir(folder).absoluteFilePath(QStringLiteral("quire.db"));
}

}  // namespace

Database::Database(QString path, const QString& connectionName)
    : m_path(std::move(path)),
      m_connectionName(connectionName),
      m_handle(QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connectionName)) {
  m_handle.setDatabaseName(m_path);
}

Database::~Database() {
  m_handle.close();
  m_handle = QSqlDatabase();  // removeDatabase wants no copy alive.
  QSqlDatabase::removeDatabase(m_connectionName);
}

Result<std::unique_ptr<Database>> Database::connect(const QString& path, const char* options) {
  if (!QSqlDatabase::isDriverAvailable(QStringLiteral("QSQLITE"))) {
    return makeError(ErrorCode::kIo,
                     StoreWords::tr("Qt's SQLite driver is missing. Install it (Debian and Ubuntu: "
                                    "libqt6sql6-sqlite) and start Quire again."));
  }
  const QString name =
      QStringLiteral("quire-") + QUuid::createUuid().toString(QUuid::WithoutBraces);
  std::unique_ptr<Database> database(new Database(path, name));
  database->m_handle.setConnectOptions(QLatin1String(options));
  if (!database->m_handle.open()) return database->error(database->m_handle.lastError());
  return database;
}

Result<std::unique_ptr<Database>> Database::open(const QString& folder, bool recover) {
  if (auto made = ensureDataFolder(folder); !made) return made.error();
  const QString path = pathIn(folder);
  // The last connection to close removes the log; what the first to open finds of one was left by
  // a kill or a crash.
  const bool uncleanStop = recover && QFileInfo(path + QStringLiteral("-wal")).size() > 0;
  if (auto made = ensurePrivateFile(path); !made) return made.error();
  auto database = connect(path, kWritingOptions);
  if (!database) return database.error();
  if (auto configured = (*database)->configure(uncleanStop); !configured) return configured.error();
  return database;
}

Result<std::unique_ptr<Database>> Database::openForReading(const QString& folder) {
  return openFileForReading(pathIn(folder));
}

Result<std::unique_ptr<Database>> Database::openFileForReading(const QString& path) {
  const auto nothing = [&] {
    return makeError(ErrorCode::kNotFound,
                     StoreWords::tr("There are no conversations in \"%1\". Name the folder that "
                                    "holds Quire's data (quire.db) with --data.")
                         .arg(QFileInfo(path).path()));
  };
  if (!QFileInfo::exists(path)) return nothing();
  auto database = connect(path, kReadingOptions);
  if (!database) return database.error();
  if (auto checked = (*database)->checkOwner(); !checked) return checked.error();
  if (auto checked = checkSchemaVersion(**database); !checked) return checked.error();
  const auto version = (*database)->scalar(QStringLiteral("PRAGMA user_version"));
  if (!version) return version.error();
  if (version->toInt() == 0) return nothing();  // Made this moment, or a creation cut short.
  if (auto seen = readAsNewest(**database); !seen) return seen.error();
  return database;
}

Result<void> Database::configure(bool uncleanStop) {
  // Whose file it is comes first: nothing is written into another program's, or a newer Quire's.
  if (auto checked = checkOwner(); !checked) return checked;
  if (auto checked = checkSchemaVersion(*this); !checked) return checked;
  for (const char* pragma : {"journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"}) {
    if (auto set = scalar(QStringLiteral("PRAGMA ") + QLatin1String(pragma)); !set) {
      return set.error();
    }
  }
  const bool isSuspect = isDamageNoted(m_path);
  if (uncleanStop || isSuspect) {
    if (auto checked = checkStructure(); !checked) return checked;
    if (isSuspect) forgetDamage(m_path);
  }
  if (auto kept = keepBeforeMigration(); !kept) return kept;
  if (auto migrated = migrate(*this); !migrated) return migrated;
  return exec(QStringLiteral("PRAGMA foreign_keys=ON"));
}

/// An older version's store is copied before it is changed: the way back to the Quire before.
Result<void> Database::keepBeforeMigration() const {
  const auto version = scalar(QStringLiteral("PRAGMA user_version"));
  if (!version) return version.error();
  const int newest = static_cast<int>(schemaMigrations().size());
  if (version->toInt() == 0 || version->toInt() == newest) return {};
  const auto made = makeBackup(*this, Backup::Kind::Migration, QDateTime::currentDateTime());
  if (!made) return made.error();
  return {};
}

Result<void> Database::checkOwner() const {
  auto owner = scalar(QStringLiteral("PRAGMA application_id"));
  if (!owner) return owner.error();
  if (owner->toInt() == kApplicationId) return {};
  auto tables = scalar(QStringLiteral("SELECT count(*) FROM sqlite_schema"));
  if (!tables) return tables.error();
  if (owner->toInt() == 0 && tables->toInt() == 0) return {};  // New, or a creation cut short.
  return makeError(ErrorCode::kUnsupported,
                   StoreWords::tr("The file \"%1\" is another program's database. Choose another "
                                  "folder with --data, or move the file away.")
                       .arg(m_path));
}

Result<void> Database::checkStructure() const {
  auto verdict = scalar(QStringLiteral("PRAGMA quick_check(1)"));
  if (!verdict) return verdict.error();
  if (verdict->toString() != QLatin1String("ok")) return damaged(m_path, verdict->toString());
  return {};
}

Result<void> Database::exec(const QString& sql) const {
  QSqlQuery query(m_handle);
  if (!query.exec(sql)) return error(query.lastError());
  return {};
}

Result<QVariant> Database::scalar(const QString& sql) const {
  QSqlQuery query(m_handle);
  query.setForwardOnly(true);
  if (!query.exec(sql)) return error(query.lastError());
  if (query.next()) return query.value(0);
  if (query.lastError().isValid()) return error(query.lastError());
  return QVariant();
}

Result<void> Database::transaction(const std::function<Result<void>()>& body) const {
  // IMMEDIATE: waits for another writer here, where waiting is allowed, and not half way through.
  if (auto begun = exec(QStringLiteral("BEGIN IMMEDIATE")); !begun) return begun;
  auto result = body();
  if (result) result = exec(QStringLiteral("COMMIT"));
  // After some failures (a full disk) SQLite has rolled back by itself; a second one does no harm.
  if (!result) static_cast<void>(exec(QStringLiteral("ROLLBACK")));
  return result;
}

bool Database::truncateLog() const {
  static_cast<void>(scalar(QStringLiteral("PRAGMA busy_timeout=0")));
  const auto busy = scalar(QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)"));
  static_cast<void>(scalar(QStringLiteral("PRAGMA busy_timeout=%1").arg(kBusyTimeoutMs)));
  return busy && busy->toInt() == 0;
}

namespace {

/// Null if Qt brought an SQLite of its own: that one's connections are not for our functions.
sqlite3* nativeHandle(const Database& database) {
  const auto id = database.scalar(QStringLiteral("SELECT sqlite_source_id()"));
  if (!id || id->toString() != QLatin1String(sqlite3_sourceid())) return nullptr;
  const QVariant handle = database.handle().driver()->handle();
  if (!handle.isValid() || qstrcmp(handle.typeName(), "sqlite3*") != 0) return nullptr;
  return *static_cast<sqlite3* const*>(handle.data());
}

/// Asks every so many steps of SQLite's machine.
class Interruption {
 public:
  Interruption(sqlite3* handle, std::function<bool()> wanted)
      : m_handle(handle), m_wanted(std::move(wanted)) {
    constexpr int kSteps = 1000;
    sqlite3_progress_handler(m_handle, kSteps, &Interruption::ask, this);
  }
  ~Interruption() { sqlite3_progress_handler(m_handle, 0, nullptr, nullptr); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  static int ask(void* self) { return static_cast<Interruption*>(self)->m_wanted() ? 1 : 0; }

  sqlite3* m_handle;
  std::function<bool()> m_wanted;
};

}  // namespace

std::shared_ptr<void> Database::interruptWhen(std::function<bool()> wanted) const {
  sqlite3* const native = nativeHandle(*this);
  if (native == nullptr) return nullptr;
  return std::make_shared<Interruption>(native, std::move(wanted));
}

/// The one in use, not a backup of it.
bool Database::isStore() const {
  return m_path == pathIn(QFileInfo(m_path).path());
}

bool Database::isReadOnly() const {
  return m_handle.connectOptions() == QLatin1String(kReadingOptions);
}

Error Database::error(const QSqlError& sqlError) const {
  const QString detail =
      sqlError.databaseText().isEmpty() ? sqlError.text() : sqlError.databaseText();
  const int code = sqlError.nativeErrorCode().toInt();
  switch (code & 0xff) {
    case kSqliteCorrupt:
      if (code != kSqliteCorruptIndex && isStore()) noteDamage(m_path);
      return damaged(m_path, detail);
    case kSqliteNotADatabase:
      return damaged(m_path, detail);
    case kSqliteNoMemory:
      return makeError(ErrorCode::kOutOfMemory,
                       StoreWords::tr("There is not enough memory to write \"%1\". Close other "
                                      "programs; what was saved before is safe.")
                           .arg(m_path));
    case kSqliteFull:
      return makeError(
          ErrorCode::kIo,
          StoreWords::tr("The disk is full: \"%1\" could not be written. Free some space "
                         "and try again; what was saved before is safe.")
              .arg(m_path));
    case kSqliteBusy:
    case kSqliteLocked:
      return makeError(ErrorCode::kIo,
                       StoreWords::tr("Another program holds \"%1\" locked. Close it "
                                      "and try again.")
                           .arg(m_path));
    case kSqliteReadOnly:
    case kSqliteIoError:
    case kSqliteCannotOpen:
      return makeError(
          ErrorCode::kIo,
          (isReadOnly()
               ? StoreWords::tr("The file \"%1\" cannot be read: %2. Check its disk and the "
                                "folder's permissions, or choose another folder with --data.")
               : StoreWords::tr("The file \"%1\" cannot be written: %2. Check its disk and the "
                                "folder's permissions, or choose another folder with --data."))
              .arg(m_path, detail));
    case kSqliteConstraint:
      return makeError(ErrorCode::kInvalidArgument,
                       QStringLiteral("A record was refused by \"%1\": %2.").arg(m_path, detail));
    default:
      return makeError(ErrorCode::kInternal, QStringLiteral("\"%1\": %2.").arg(m_path, detail));
  }
}

Statement::Statement(const Database& database, const QString& sql)
    : m_database(database), m_query(database.handle()) {
  m_query.setForwardOnly(true);
  m_prepared = m_query.prepare(sql);
}

// Qt binds null strings and byte arrays as NULL; Quire's columns hold empty ones instead.
Statement& Statement::bind(const QString& text) {
  m_query.addBindValue(text.isNull() ? QStringLiteral("") : text);
  return *this;
}

Statement& Statement::bind(const QByteArray& blob) {
  m_query.addBindValue(blob.isNull() ? QByteArray("") : blob);
  return *this;
}

Statement& Statement::bind(qint64 number) {
  m_query.addBindValue(number);
  return *this;
}

Statement& Statement::bind(double number) {
  m_query.addBindValue(std::isfinite(number) ? number : 0.0);
  return *this;
}

Statement& Statement::bind(const std::optional<double>& number) {
  if (number) return bind(*number);
  m_query.addBindValue(QVariant());
  return *this;
}

Statement& Statement::bindReference(qint64 id) {
  m_query.addBindValue(id == 0 ? QVariant() : QVariant(id));
  return *this;
}

Result<void> Statement::run() {
  if (!m_prepared || !m_query.exec()) return m_database.error(m_query.lastError());
  return {};
}

Result<void> Statement::forEach(const std::function<void(const QSqlQuery&)>& row) {
  if (auto ran = run(); !ran) return ran;
  while (m_query.next()) row(m_query);
  if (m_query.lastError().isValid()) return m_database.error(m_query.lastError());
  return {};
}

}  // namespace quire
