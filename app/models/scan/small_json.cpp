#include "app/models/scan/small_json.h"

#include <QJsonDocument>

#include <string>

#include <nlohmann/json.hpp>

#include "app/models/scan/file_identity.h"
#include "engine/io/private_file.h"
#include "platform/file.h"

namespace quire {

QJsonObject readSmallJson(const QString& path, const JsonLimits& limits) {
  const QByteArray text = readSmallFile(path, static_cast<qint64>(limits.max_bytes));
  const std::string_view view(text.constData(), static_cast<size_t>(text.size()));
  if (!parse_json(view, path.toStdString(), limits)) return {};
  return QJsonDocument::fromJson(text).object();
}

bool replaceSmallJson(const QString& path, const QJsonObject& root) {
  const std::string text = QJsonDocument(root).toJson(QJsonDocument::Compact).toStdString();
  return replace_private_file(platform::utf8_path(path.toStdString()), text);
}

}  // namespace quire
