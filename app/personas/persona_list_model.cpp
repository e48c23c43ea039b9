#include "app/personas/persona_list_model.h"

#include "app/personas/persona_labels.h"

namespace quire {
namespace {

/// What a persona does, for a card: its description, or its system prompt without the sentence that
/// says who it is.
QString summaryOf(const PersonaRecord& persona) {
  if (!persona.description.isEmpty()) return persona.description;
  const QString text = persona.systemPrompt.simplified();
  const qsizetype end = text.indexOf(QStringLiteral(". "));
  return end > 0 && text.startsWith(QStringLiteral("You are")) ? text.mid(end + 2) : text;
}

/// The first lines of the prompt, for a card.
QString excerptOf(const PersonaRecord& persona) {
  constexpr qsizetype kCharacters = 320;
  return persona.systemPrompt.left(kCharacters).simplified();
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
      return summaryOf(persona);
    case kColor:
      return persona.color;
    case kIconName:
      return personaIcon(persona.icon);
    case kDescription:
      return persona.description;
    case kExcerpt:
      return excerptOf(persona);
    case kIsPinned:
      return persona.pinned;
    case kIsWarm:
      return isWarm(report(persona.id));
    case kWarmthText:
      return warmthText(report(persona.id));
    case kUsageText:
      return usageText(report(persona.id), numChats(persona.id));
    default:
      return {};
  }
}

QHash<int, QByteArray> PersonaListModel::roleNames() const {
  return {{kPersonaId, "personaId"},   {kName, "name"},          {kSummary, "summary"},
          {kColor, "colorIndex"},      {kIconName, "iconName"},  {kDescription, "description"},
          {kExcerpt, "excerpt"},       {kIsPinned, "isPinned"},  {kIsWarm, "isWarm"},
          {kWarmthText, "warmthText"}, {kUsageText, "usageText"}};
}

QString PersonaListModel::countText() const {
  return count() == 1 ? tr("1 persona") : tr("%1 personas").arg(count());
}

void PersonaListModel::setPersonas(const QList<PersonaRecord>& personas) {
  beginResetModel();
  m_personas = personas;
  endResetModel();
  emit countChanged();
  emit changed();
}

const PersonaRecord* PersonaListModel::find(RecordId id) const {
  const int row = rowOf(id);
  return row < 0 ? nullptr : &m_personas[row];
}

int PersonaListModel::rowOf(RecordId id) const {
  for (qsizetype row = 0; row < m_personas.size(); ++row) {
    if (m_personas[row].id == id) return static_cast<int>(row);
  }
  return -1;
}

void PersonaListModel::put(const PersonaRecord& persona, int row) {
  const int present = rowOf(persona.id);
  if (present >= 0) {
    m_personas[present] = persona;
    announce(present);
    emit changed();
    return;
  }
  const int place = row < 0 || row > count() ? count() : row;
  beginInsertRows({}, place, place);
  m_personas.insert(place, persona);
  endInsertRows();
  emit countChanged();
  emit changed();
}

std::optional<PersonaRecord> PersonaListModel::take(RecordId id) {
  const int row = rowOf(id);
  if (row < 0) return std::nullopt;
  beginRemoveRows({}, row, row);
  const PersonaRecord persona = m_personas.takeAt(row);
  endRemoveRows();
  emit countChanged();
  emit changed();
  return persona;
}

void PersonaListModel::move(int from, int to) {
  if (from == to || from < 0 || to < 0 || from >= count() || to >= count()) return;
  beginMoveRows({}, from, from, {}, to > from ? to + 1 : to);
  m_personas.move(from, to);
  endMoveRows();
  for (int row = 0; row < count(); ++row) m_personas[row].position = row;
}

void PersonaListModel::setReport(RecordId id, const PersonaReport& report) {
  m_reports.insert(id, report);
  announce(rowOf(id));
}

void PersonaListModel::setUsage(const QHash<RecordId, int>& numChats) {
  if (numChats == m_numChats) return;
  m_numChats = numChats;
  if (count() > 0) emit dataChanged(index(0), index(count() - 1), {kUsageText});
}

void PersonaListModel::announce(int row) {
  if (row >= 0) emit dataChanged(index(row), index(row));
}

}  // namespace quire
