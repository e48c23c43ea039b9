#include "app/models/quantize_memory.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>

namespace quire {
namespace {

constexpr QLatin1String kName("name");
constexpr QLatin1String kModel("model");
constexpr QLatin1String kOutput("output");
constexpr QLatin1String kType("type");
constexpr QLatin1String kText("text");
constexpr QLatin1String kCompares("compares");

}  // namespace

QString toSetting(const StartedQuantize& started) {
  const QuantizeRequest& request = started.request;
  const QJsonObject json = {{kName, started.modelName},    {kModel, request.modelPath},
                            {kOutput, request.outputPath}, {kType, request.type},
                            {kText, request.textPath},     {kCompares, request.compares}};
  return QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact));
}

std::optional<StartedQuantize> startedQuantize(const QString& setting) {
  const QJsonObject json = QJsonDocument::fromJson(setting.toUtf8()).object();
  StartedQuantize started = {.modelName = json[kName].toString(),
                             .request = {.modelPath = json[kModel].toString(),
                                         .outputPath = json[kOutput].toString(),
                                         .type = json[kType].toString(),
                                         .textPath = json[kText].toString(),
                                         .compares = json[kCompares].toBool()}};
  const bool hasPaths = QDir::isAbsolutePath(started.request.modelPath) &&
                        QDir::isAbsolutePath(started.request.outputPath);
  if (!hasPaths) return std::nullopt;
  return started;
}

}  // namespace quire
