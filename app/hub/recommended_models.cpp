#include "app/hub/recommended_models.h"

#include <QFile>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/hub/hub_name.h"
#include "app/hub/hub_replies.h"
#include "engine/io/json_file.h"

/// A static library must register its resources. Qt's macro does not compile in a namespace.
static void openResources() {
  Q_INIT_RESOURCE(recommended);
}

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr JsonLimits kRecommendedLimits = {
    .max_bytes = 1 << 20, .max_depth = 8, .max_values = 10'000};
constexpr int kMostOffered = 3;

QString stringOf(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return QString::fromStdString(found->get_ref<const std::string&>()).left(1000);
}

qint64 sizeOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return 0;
  const auto bytes = found->get<uint64_t>();
  return bytes <= static_cast<uint64_t>(kMostFileBytes) ? static_cast<qint64>(bytes) : 0;
}

QString summaryOf(const Json& model, const QString& language) {
  const auto summary = model.find("summary");
  if (summary == model.end()) return {};
  const QString translated = stringOf(*summary, language.toUtf8().constData());
  return translated.isEmpty() ? stringOf(*summary, "en") : translated;
}

Error damaged(const QString& what) {
  return Error{ErrorCode::kCorruptFile, "recommended.json: " + what.toStdString()};
}

Result<RecommendedModel> readModel(const Json& json, const QString& language) {
  if (!json.is_object()) return damaged(QStringLiteral("a model is no object"));
  RecommendedModel model{.name = stringOf(json, "name"),
                         .title = stringOf(json, "title"),
                         .summary = summaryOf(json, language),
                         .licence = stringOf(json, "licence"),
                         .bytes = sizeOf(json, "bytes"),
                         .freeBytes = sizeOf(json, "free_bytes")};
  if (!readHubName(model.name))
    return damaged(model.name + QStringLiteral(" is no name of a model"));
  if (model.title.isEmpty() || model.summary.isEmpty() || model.licence.isEmpty()) {
    return damaged(model.name + QStringLiteral(" lacks its title, summary or licence"));
  }
  if (model.bytes <= 0 || model.freeBytes < model.bytes) {
    return damaged(model.name + QStringLiteral(" has a wrong size"));
  }
  return model;
}

}  // namespace

Result<QList<RecommendedModel>> readRecommended(const QByteArray& text, const QString& language) {
  const auto json = parse_input({text.constData(), static_cast<size_t>(text.size())},
                                "recommended.json", kRecommendedLimits);
  if (!json) return json.error();
  const QDate asOf = QDate::fromString(stringOf(*json, "as_of"), Qt::ISODate);
  if (!asOf.isValid()) return damaged(QStringLiteral("the date is missing"));
  const auto list = json->find("models");
  if (list == json->end() || !list->is_array())
    return damaged(QStringLiteral("the list is missing"));
  QList<RecommendedModel> models;
  for (const Json& one : *list) {
    auto model = readModel(one, language);
    if (!model) return model.error();
    model->asOf = asOf;
    models.append(*model);
  }
  return models;
}

QList<RecommendedModel> chooseRecommended(const QList<RecommendedModel>& models, qint64 freeBytes) {
  QList<RecommendedModel> chosen;
  qint64 most = kMostFileBytes;
  while (chosen.size() < kMostOffered) {
    const RecommendedModel* largest = nullptr;
    for (const RecommendedModel& model : models) {
      if (model.freeBytes > freeBytes || model.bytes > most) continue;
      if (largest == nullptr || model.bytes > largest->bytes) largest = &model;
    }
    if (largest == nullptr) break;
    chosen.prepend(*largest);
    most = largest->bytes / 2;
  }
  return chosen;
}

QList<RecommendedModel> recommendedModels(qint64 freeBytes, const QString& language) {
  openResources();
  QFile file(QStringLiteral(":/quire/models/recommended.json"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  const auto models = readRecommended(file.readAll(), language);
  return models ? chooseRecommended(*models, freeBytes) : QList<RecommendedModel>();
}

}  // namespace quire
