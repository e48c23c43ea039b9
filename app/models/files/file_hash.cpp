#include "app/models/files/file_hash.h"

#include <QCryptographicHash>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>

#include "app/models/scan/small_json.h"
#include "platform/file.h"

namespace quire {
namespace {

constexpr qint64 kSliceBytes = 1 << 20;
constexpr JsonLimits kCacheLimits = {.max_bytes = 16 << 20, .max_depth = 8, .max_values = 200'000};
constexpr qsizetype kMostEntries = 20'000;

}  // namespace

QByteArray hashOf(const StoredFile& file, ExpectedHash::Kind kind, const std::stop_token& stop,
                  const BytesRead& read) {
  const bool isGit = kind == ExpectedHash::Kind::kGitSha1;
  // By a link another file could be read.
  const int handle =
      platform::open_file(platform::utf8_path(file.path.toStdString()), {.follow_link = false});
  QFile opened;
  if (handle < 0 || !opened.open(handle, QIODevice::ReadOnly | QIODevice::Unbuffered,
                                 QFileDevice::AutoCloseHandle)) {
    if (handle >= 0) platform::close_file(handle);
    return {};
  }
  QCryptographicHash hash(isGit ? QCryptographicHash::Sha1 : QCryptographicHash::Sha256);
  if (isGit) {
    hash.addData("blob " + QByteArray::number(file.bytes));
    hash.addData(QByteArrayView("\0", 1));
  }
  QByteArray slice(kSliceBytes, Qt::Uninitialized);
  qint64 done = 0;
  while (done < file.bytes) {
    if (stop.stop_requested()) return {};
    const qint64 got = opened.read(slice.data(), std::min(kSliceBytes, file.bytes - done));
    if (got <= 0) return {};
    hash.addData(QByteArrayView(slice.constData(), got));
    // A file that is read once should not displace the pages that chats use.
    platform::drop_from_cache(handle, static_cast<uint64_t>(done), static_cast<uint64_t>(got));
    done += got;
    if (read) read(got);
  }
  return isUnchanged(file) ? hash.result().toHex() : QByteArray();
}

HashCache::HashCache(const QString& path) : m_path(path) {
  const QJsonObject root = readSmallJson(path, kCacheLimits);
  for (auto at = root.begin(); at != root.end(); ++at) {
    const QJsonArray entry = at.value().toArray();
    const QByteArray hash = entry.at(3).toString().toLatin1();
    if (entry.size() != 4 || hash.size() != 64) continue;
    m_entries[at.key()] = {entry.at(0).toString().toLongLong(), entry.at(1).toString().toLongLong(),
                           entry.at(2).toString().toULongLong(), hash};
  }
}

std::optional<QByteArray> HashCache::find(const StoredFile& file) const {
  const auto entry = m_entries.constFind(file.path);
  if (entry == m_entries.cend() || entry->bytes != file.bytes ||
      entry->modifiedNs != file.modifiedNs || entry->inode != file.identity.inode) {
    return std::nullopt;
  }
  return entry->sha256;
}

void HashCache::put(const StoredFile& file, const QByteArray& sha256) {
  if (m_entries.size() >= kMostEntries) m_entries.clear();
  m_entries[file.path] = {file.bytes, file.modifiedNs, file.identity.inode, sha256};
  m_isChanged = true;
}

void HashCache::save() const {
  if (m_path.isEmpty() || !m_isChanged) return;
  QJsonObject root;
  for (auto at = m_entries.cbegin(); at != m_entries.cend(); ++at) {
    root[at.key()] = QJsonArray{QString::number(at->bytes), QString::number(at->modifiedNs),
                                QString::number(at->inode), QString::fromLatin1(at->sha256)};
  }
  // It names the user's files, so no other user may read it.
  static_cast<void>(replaceSmallJson(m_path, root));
}

}  // namespace quire
