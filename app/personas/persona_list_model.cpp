#include "app/personas/persona_list_model.h"

#include <algorithm>
#include <functional>

#include "app/personas/persona_labels.h"

namespace quire {
namespace {

/// The description; without one, the system prompt without its first sentence ("You are ...").
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

PersonaListModel::PersonaListModel(QObject* parent) : RoleListModel(parent) {
  const auto of = [this](auto value) {
    return [this, value](int row) -> QVariant { return std::invoke(value, m_personas[row]); };
  };
  const auto reportOf = [this](int row) { return report(m_personas[row].id); };
  setRoles({{kPersonaId, "personaId", of(&PersonaRecord::id)},
            {kName, "name", of(&PersonaRecord::name)},
            {kSummary, "summary", of(summaryOf)},
            {kColor, "colorIndex", of(&PersonaRecord::color)},
            {kIconName, "iconName", [this](int row) { return personaIcon(m_personas[row].icon); }},
            {kDescription, "description", of(&PersonaRecord::description)},
            {kExcerpt, "excerpt", of(excerptOf)},
            {kAdapterText, "adapterText",
             [this](int row) { return adapterText(m_personas[row].adapterPath); }},
            {kIsPinned, "isPinned", of(&PersonaRecord::pinned)},
            {kIsWarm, "isWarm", [=](int row) { return isWarm(reportOf(row)); }},
            {kWarmthText, "warmthText", [=](int row) { return warmthText(reportOf(row)); }},
            {kUsageText, "usageText", [=, this](int row) {
               return usageText(reportOf(row), numChats(m_personas[row].id));
             }}});
}

QString PersonaListModel::countText() const {
  return tr("%n persona(s)", nullptr, count());
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
  const auto found = std::ranges::find(m_personas, id, &PersonaRecord::id);
  return found == m_personas.cend() ? -1 : static_cast<int>(found - m_personas.cbegin());
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
  announceRows({kUsageText});
}

void PersonaListModel::announce(int row) {
  if (row >= 0) emit dataChanged(index(row), index(row));
}

PersonaFilter::PersonaFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
    connect(this, signal, this, &PersonaFilter::emptyChanged);
  }
  connect(this, &QAbstractItemModel::modelReset, this, &PersonaFilter::emptyChanged);
}

void PersonaFilter::setSearchText(const QString& text) {
  const QStringList words = text.split(u' ', Qt::SkipEmptyParts);
  if (words == m_words) return;
  m_words = words;
  invalidateFilter();
  emit searchChanged();
  emit emptyChanged();
}

QString PersonaFilter::emptyText() const {
  if (rowCount() > 0) return {};
  if (m_words.isEmpty()) {
    return tr("There are no personas. Make one, or begin with one of the presets.");
  }
  return tr("No persona has “%1” in its name, its description or its prompt.").arg(searchText());
}

bool PersonaFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const auto* list = qobject_cast<const PersonaListModel*>(sourceModel());
  if (!list || parent.isValid()) return false;
  const PersonaRecord& persona = list->personas()[row];
  const QString text = persona.name + u'\n' + persona.description + u'\n' + persona.systemPrompt;
  return std::ranges::all_of(
      m_words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace quire
