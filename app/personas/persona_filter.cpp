#include "app/personas/persona_filter.h"

#include <algorithm>

#include "app/personas/persona_list_model.h"

namespace quire {

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
