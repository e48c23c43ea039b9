#include "app/models/scan/model_facts.h"

#include "app/error_strings.h"

namespace quire {
namespace {

const QString kKind = QStringLiteral("kind");
const QString kArchitecture = QStringLiteral("architecture");
const QString kQuantisation = QStringLiteral("quantisation");
const QString kFormat = QStringLiteral("format");
const QString kParameters = QStringLiteral("parameters");
const QString kFileBytes = QStringLiteral("fileBytes");
const QString kContext = QStringLiteral("context");
const QString kVocabulary = QStringLiteral("vocabulary");
const QString kObstacle = QStringLiteral("obstacle");

constexpr int kNumKinds = 3;

}  // namespace

/// The numbers are far below 2^53, so JSON's doubles represent them exactly.
QJsonObject toJson(const ModelFacts& facts) {
  return {{kKind, static_cast<int>(facts.kind)},
          {kArchitecture, facts.architecture},
          {kQuantisation, facts.quantisation},
          {kFormat, facts.format},
          {kParameters, static_cast<double>(facts.parameters)},
          {kFileBytes, static_cast<double>(facts.fileBytes)},
          {kContext, facts.contextLength},
          {kVocabulary, facts.vocabulary},
          {kObstacle, toJson(facts.obstacle)}};
}

std::optional<ModelFacts> factsFromJson(const QJsonObject& json) {
  const int kind = json[kKind].toInt(-1);
  const double parameters = json[kParameters].toDouble(-1.0);
  const double bytes = json[kFileBytes].toDouble(-1.0);
  constexpr double kMost = 9e15;
  if (kind < 0 || kind >= kNumKinds || !(parameters >= 0.0 && parameters < kMost) ||
      !(bytes >= 0.0 && bytes < kMost))
    return std::nullopt;
  ModelFacts facts;
  facts.kind = static_cast<ModelKind>(kind);
  facts.architecture = json[kArchitecture].toString();
  facts.quantisation = json[kQuantisation].toString();
  facts.format = json[kFormat].toString();
  facts.parameters = static_cast<qint64>(parameters);
  facts.fileBytes = static_cast<quint64>(bytes);
  facts.contextLength = json[kContext].toInt();
  facts.vocabulary = json[kVocabulary].toString();
  facts.obstacle = errorFromJson(json[kObstacle].toObject());
  return facts;
}

}  // namespace quire
