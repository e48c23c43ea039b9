#include "app/hub/download_journal.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <limits>
#include <nlohmann/json.hpp>

#include "app/hub/hub_problem.h"
#include "app/hub/hub_replies.h"
#include "app/hub/part_file.h"
#include "app/hub/safe_path.h"
#include "engine/io/json_file.h"
#include "platform/file.h"
#include "platform/system.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr JsonLimits kJournalLimits = {.max_bytes = 8 << 20, .max_depth = 8, .max_values = 400'000};
const QString kJournalName = QStringLiteral("/download.json");

QString textOf(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return QString::fromStdString(found->get_ref<const std::string&>());
}

qint64 numberOf(const Json& object, const char* key) {
  if (!object.is_object()) return -1;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return -1;
  const auto number = found->get<uint64_t>();
  return number <= static_cast<uint64_t>(kMostFileBytes) ? static_cast<qint64>(number) : -1;
}

QString bootId() {
  return QString::fromStdString(platform::boot_id());
}

/// The journal's document; null: there is none that can be used.
Json readDocument(const QString& folder) {
  QFile file(folder + kJournalName);
  // Another program may have left a pipe there, which nothing would ever be read from.
  if (!QFileInfo(file).isFile() || !file.open(QIODevice::ReadOnly)) return {};
  const QByteArray text = file.read(static_cast<qint64>(kJournalLimits.max_bytes) + 1);
  auto json =
      parse_input({text.constData(), static_cast<size_t>(text.size())}, "it", kJournalLimits);
  if (!json || !json->is_object() || numberOf(*json, "version") != kVersion) return {};
  const auto files = json->find("files");
  if (files == json->end() || !files->is_array()) return {};
  return std::move(*json);
}

std::optional<PlannedFile> readFile(const Json& json) {
  PlannedFile file{.path = textOf(json, "path"),
                   .url = QUrl(textOf(json, "url")),
                   .bytes = numberOf(json, "bytes"),
                   .hash = {textOf(json, "kind") == QLatin1String("git") ? FileHash::Kind::kGitSha1
                                                                         : FileHash::Kind::kSha256,
                            textOf(json, "hash").toLatin1()}};
  if (!isSafePath(file.path) || file.bytes < 0 || !file.url.isValid()) return std::nullopt;
  return file;
}

Error journalError(const QString& path, const QString& reason) {
  return folderNotWritable(path.toStdString(), reason.toStdString());
}

}  // namespace

DownloadJournal::~DownloadJournal() {
  if (m_lock >= 0) platform::close_file(m_lock);
}

Result<void> DownloadJournal::open() {
  const QString staging = m_plan.stagingPath();
  if (!QDir().mkpath(filesPath())) return journalError(staging, qt_error_string());
  m_lock = platform::open_file(
      platform::utf8_path((staging + QStringLiteral("/lock")).toStdString()),
      {.write = true, .create = true, .follow_link = false, .is_private = true});
  if (m_lock < 0) return journalError(staging, qt_error_string());
  if (!platform::try_lock(m_lock)) {
    return make_error(ErrorCode::kIo,
                      "%1 is being downloaded already, by another program or window. Wait for it",
                      {m_plan.title.toStdString()});
  }
  read();
  if (const auto discarded = discardOthers(); !discarded) return discarded.error();
  return save();
}

/// Removes what lies under the names of files and is of another hash, or of none that is known:
/// once the journal has the plan's hashes, nothing else would tell.
Result<void> DownloadJournal::discardOthers() {
  for (const PlannedFile& file : m_plan.files) {
    if (m_parts.value(file.path).hash == file.hash.hex) continue;
    const QString path = filesPath() + u'/' + file.path;
    for (const QString& one : {path, path + QStringLiteral(".part")}) {
      QFile left(one);
      if (left.exists() && !left.remove()) return journalError(one, left.errorString());
    }
  }
  return {};
}

void DownloadJournal::read() {
  const Json json = readDocument(m_plan.stagingPath());
  if (json.is_null()) return;
  const QString boot = textOf(json, "boot");
  m_isOfThisBoot = !boot.isEmpty() && boot == bootId();
  for (const Json& file : json["files"]) {
    m_parts[textOf(file, "path")] = {textOf(file, "hash").toLatin1(),
                                     textOf(file, "etag").toLatin1(),
                                     std::max<qint64>(numberOf(file, "synced"), 0)};
  }
}

qint64 DownloadJournal::trustedBytes(const PlannedFile& file) const {
  const auto part = m_parts.constFind(file.path);
  if (part == m_parts.cend() || part->hash != file.hash.hex) return 0;
  return m_isOfThisBoot ? std::numeric_limits<qint64>::max() : part->syncedBytes;
}

Result<void> DownloadJournal::save() {
  Json files = Json::array();
  for (const PlannedFile& file : m_plan.files) {
    const Part part = m_parts.value(file.path);
    const bool isOfFile = part.hash == file.hash.hex;
    if (!isOfFile) m_parts[file.path] = {};
    files.push_back({{"path", file.path.toStdString()},
                     {"url", file.url.toString(QUrl::FullyEncoded).toStdString()},
                     {"bytes", static_cast<uint64_t>(file.bytes)},
                     {"kind", file.hash.kind == FileHash::Kind::kGitSha1 ? "git" : "sha256"},
                     {"hash", file.hash.hex.toStdString()},
                     {"etag", isOfFile ? part.etag.toStdString() : std::string()},
                     {"synced", static_cast<uint64_t>(isOfFile ? part.syncedBytes : 0)}});
  }
  const Json json = {{"version", static_cast<uint64_t>(kVersion)},
                     {"boot", bootId().toStdString()},
                     {"title", m_plan.title.toStdString()},
                     {"source", m_plan.source.toStdString()},
                     {"page", m_plan.page.toString().toStdString()},
                     {"target", m_plan.target.toStdString()},
                     {"is_folder", m_plan.isFolder},
                     {"files", std::move(files)}};
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace);
  QSaveFile file(m_plan.stagingPath() + kJournalName);
  const bool isWritten = file.open(QIODevice::WriteOnly) &&
                         file.write(text.data(), static_cast<qint64>(text.size())) ==
                             static_cast<qint64>(text.size()) &&
                         // commit() does not notice that a full disk took nothing.
                         file.flush() && file.commit();
  if (!isWritten) return journalError(m_plan.stagingPath(), file.errorString());
  return {};
}

bool DownloadJournal::isEmpty() const {
  QDirIterator files(filesPath(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
  while (files.hasNext()) {
    files.next();
    if (files.fileInfo().size() > 0) return false;
  }
  return true;
}

void DownloadJournal::remove() {
  QDir(m_plan.stagingPath()).removeRecursively();
  QDir(m_plan.folder).rmdir(QStringLiteral(".incoming"));  // If it was the last.
}

QList<DownloadPlan> unfinishedDownloads(const QString& folder) {
  QList<DownloadPlan> plans;
  QDirIterator entries(folder + QStringLiteral("/.incoming"), QDir::Dirs | QDir::NoDotAndDotDot);
  while (entries.hasNext()) {
    const QString staging = entries.next();
    const Json json = readDocument(staging);
    if (json.is_null()) continue;
    DownloadPlan plan{.title = textOf(json, "title"),
                      .source = textOf(json, "source"),
                      .page = QUrl(textOf(json, "page")),
                      .folder = folder,
                      .target = textOf(json, "target"),
                      .isFolder = json.value("is_folder", Json(false)) == Json(true)};
    bool isWhole = isSafePath(plan.target);
    for (const Json& one : json["files"]) {
      const auto file = readFile(one);
      isWhole = isWhole && file.has_value();
      if (file) plan.files.append(*file);
    }
    if (isWhole && !plan.files.isEmpty() && plan.stagingPath() == staging) plans.append(plan);
  }
  return plans;
}

}  // namespace quire
