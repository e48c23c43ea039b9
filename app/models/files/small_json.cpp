#include "app/models/files/small_json.h"

#include <QJsonDocument>

#include <nlohmann/json.hpp>

#include "app/models/scan/file_identity.h"

namespace quire {

QJsonObject readSmallJson(const QString& path, const JsonLimits& limits) {
  const QByteArray text = readSmallFile(path, static_cast<qint64>(limits.max_bytes));
  const std::string_view view(text.constData(), static_cast<size_t>(text.size()));
  if (!parse_json(view, path.toStdString(), limits)) return {};
  return QJsonDocument::fromJson(text).object();
}

}  // namespace quire
