#include "app/viewmodels/personas/persona_list_model.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace quire {
namespace {

constexpr int kNumColors = 4;

/// What a persona does, for a card: its system prompt without the sentence that says who it is.
QString summaryOf(const QString& systemPrompt) {
  const QString text = systemPrompt.simplified();
  const qsizetype end = text.indexOf(QStringLiteral(". "));
  return end > 0 && text.startsWith(QStringLiteral("You are")) ? text.mid(end + 2) : text;
}

}  // namespace

int PersonaListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QVariant PersonaListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_personas.size()) return {};
  const PersonaRecord& persona = m_personas[index.row()];
  switch (role) {
    case kPersonaId:
      return persona.id;
    case kName:
      return persona.name;
    case kSummary:
      return summaryOf(persona.systemPrompt);
    case kColor:
      return persona.color;
    default:
      return {};
  }
}

QHash<int, QByteArray> PersonaListModel::roleNames() const {
  return {
      {kPersonaId, "personaId"}, {kName, "name"}, {kSummary, "summary"}, {kColor, "colorIndex"}};
}

void PersonaListModel::setPersonas(const QList<PersonaRecord>& personas) {
  beginResetModel();
  m_personas = personas;
  endResetModel();
  emit countChanged();
}

const PersonaRecord* PersonaListModel::find(RecordId id) const {
  for (const PersonaRecord& persona : m_personas) {
    if (persona.id == id) return &persona;
  }
  return nullptr;
}

Result<QList<PersonaRecord>> parsePersonaPresets(const QByteArray& json) {
  QJsonParseError error;
  const QJsonDocument document = QJsonDocument::fromJson(json, &error);
  if (!document.isArray()) {
    return Error{ErrorCode::kCorruptFile, "The persona presets are not a JSON list: " +
                                              error.errorString().toStdString() + "."};
  }
  QList<PersonaRecord> presets;
  for (const QJsonValue& value : document.array()) {
    const QJsonObject object = value.toObject();
    PersonaRecord preset;
    preset.presetId = object.value(u"id").toString();
    preset.name = object.value(u"name").toString();
    preset.systemPrompt = object.value(u"system_prompt").toString();
    preset.color = qBound(0, object.value(u"icon_colour").toInt(), kNumColors - 1);
    const QJsonValue temperature = object.value(u"temperature");
    if (temperature.isDouble()) preset.settings.temperature = temperature.toDouble();
    if (preset.presetId.isEmpty() || preset.name.isEmpty()) {
      return Error{ErrorCode::kCorruptFile, "A persona preset has no id or no name."};
    }
    presets.append(preset);
  }
  return presets;
}

}  // namespace quire
