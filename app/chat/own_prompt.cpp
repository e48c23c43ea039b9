#include "app/chat/own_prompt.h"

#include "app/store/json_values.h"

namespace quire {
namespace {

constexpr const char* kField = "system_prompt";

}  // namespace

QString ownPromptOf(const GenerationSettings& settings) {
  if (settings.unknown.isEmpty()) return {};
  const Json object = boundedObject(settings.unknown.toStdString());
  const auto field = object.find(kField);
  QString prompt;
  if (field == object.end() || !readJson(*field, prompt)) return {};
  return prompt.left(kMaxOwnPrompt);
}

void setOwnPrompt(GenerationSettings& settings, const QString& prompt) {
  Json object = boundedObject(settings.unknown.toStdString());
  object.erase(kField);
  if (!prompt.trimmed().isEmpty()) object[kField] = prompt.left(kMaxOwnPrompt).toStdString();
  settings.unknown = object.empty() ? QByteArray() : QByteArray::fromStdString(dumpJson(object));
}

}  // namespace quire
