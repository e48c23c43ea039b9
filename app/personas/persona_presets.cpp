#include "app/personas/persona_presets.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace quire {
namespace {

GenerationSettings settingsOf(const QJsonObject& object) {
  return generationSettingsFromJson(QString::fromUtf8(QJsonDocument(object).toJson()));
}

PersonaPreset presetOf(const QJsonObject& object, const QString& language) {
  QJsonObject words = object.value(language).toObject();
  if (words.isEmpty()) words = object.value(u"en").toObject();
  PersonaPreset preset;
  preset.isFirst = object.value(u"first").toBool();
  PersonaRecord& persona = preset.persona;
  persona.presetId = object.value(u"id").toString();
  persona.name = words.value(u"name").toString();
  persona.description = words.value(u"description").toString();
  persona.systemPrompt = words.value(u"prompt").toString();
  persona.icon = object.value(u"icon").toString();
  persona.color = qBound(0, object.value(u"color").toInt(), kNumChatColors - 1);
  persona.settings = settingsOf(object.value(u"settings").toObject());
  return preset;
}

}  // namespace

Result<QList<PersonaPreset>> parsePersonaPresets(const QByteArray& json, const QString& language) {
  QJsonParseError error;
  const QJsonDocument document = QJsonDocument::fromJson(json, &error);
  if (!document.isArray()) {
    return Error{ErrorCode::kCorruptFile, "The persona presets are not a JSON list: " +
                                              error.errorString().toStdString() + "."};
  }
  QList<PersonaPreset> presets;
  for (const QJsonValue& value : document.array()) {
    const PersonaPreset preset = presetOf(value.toObject(), language);
    if (preset.persona.presetId.isEmpty() || preset.persona.name.isEmpty()) {
      return Error{ErrorCode::kCorruptFile, "A persona preset has no id or no name."};
    }
    presets.append(preset);
  }
  return presets;
}

}  // namespace quire
