#include "app/engine/load_marker.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include "engine/io/private_file.h"
#include "platform/file.h"
#include "platform/program.h"
#include "platform/system.h"

namespace quire {
namespace {

constexpr qint64 kMaxBytes = 64 << 10;
const QString kPath = QStringLiteral("path");
const QString kProcess = QStringLiteral("process");
const QString kBoot = QStringLiteral("boot");

QString bootId() {
  return QString::fromStdString(platform::boot_id());
}

}  // namespace

LoadMarker::LoadMarker(const QString& folder)
    : m_file(folder.isEmpty() ? QString() : QDir(folder).filePath(QStringLiteral("loading"))) {}

void LoadMarker::begin(const QString& path) {
  if (m_file.isEmpty()) return;
  const QJsonObject content = {
      {kPath, path}, {kProcess, static_cast<qint64>(platform::process_id())}, {kBoot, bootId()}};
  const std::string text = QJsonDocument(content).toJson(QJsonDocument::Compact).toStdString();
  // An earlier mark stays if it cannot be replaced.
  if (replace_private_file(platform::utf8_path(m_file.toStdString()), text)) m_isSet = true;
}

void LoadMarker::end() {
  if (m_isSet) QFile::remove(m_file);
  m_isSet = false;
}

std::optional<LoadMarker::Unfinished> LoadMarker::unfinished() const {
  QFile file(m_file);
  // Opening a pipe would wait for its other end.
  if (m_file.isEmpty() || !QFileInfo(m_file).isFile() || !file.open(QIODevice::ReadOnly)) return {};
  const QJsonObject content = QJsonDocument::fromJson(file.read(kMaxBytes)).object();
  const QString path = content[kPath].toString();
  const bool isOwn = content[kProcess].toInteger() == platform::process_id() &&
                     content[kBoot].toString() == bootId();
  if (path.isEmpty() || isOwn) return {};
  return Unfinished{path, content[kBoot].toString() == bootId()};
}

}  // namespace quire
