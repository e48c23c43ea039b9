#include "app/personas/preset_list_model.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

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

PresetListModel::PresetListModel(QObject* parent) : RoleListModel(parent) {
  const auto of = [this](auto member) {
    return [this, member](int row) -> QVariant { return m_presets[row].persona.*member; };
  };
  setRoles({{kPresetId, "presetId", of(&PersonaRecord::presetId)},
            {kName, "name", of(&PersonaRecord::name)},
            {kDescription, "description", of(&PersonaRecord::description)},
            {kIconName, "iconName", of(&PersonaRecord::icon)},
            {kColor, "colorIndex", of(&PersonaRecord::color)},
            {kIsAdded, "isAdded",
             [this](int row) { return m_added.contains(m_presets[row].persona.presetId); }}});
}

void PresetListModel::setPresets(const QList<PersonaPreset>& presets) {
  beginResetModel();
  m_presets = presets;
  endResetModel();
}

void PresetListModel::setAdded(const QStringList& presetIds) {
  if (presetIds == m_added) return;
  m_added = presetIds;
  announceRows({kIsAdded});
}

const PersonaRecord* PresetListModel::find(const QString& presetId) const {
  const auto found = std::ranges::find(
      m_presets, presetId, [](const PersonaPreset& preset) { return preset.persona.presetId; });
  return found == m_presets.cend() ? nullptr : &found->persona;
}

}  // namespace quire
