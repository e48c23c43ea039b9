#include "app/models/endpoint_models.h"

#include "app/store/visible_string.h"

namespace quire {
namespace {

constexpr int kFew = 3;
constexpr qsizetype kMostModelNameCharacters = 256;

}  // namespace

EndpointModels::EndpointModels(QObject* parent) : RoleListModel(parent) {
  setRoles({{kName, "name", [this](int row) { return m_shown[row]; }},
            {kIsChosen, "isChosen", [this](int row) { return m_chosen.contains(m_shown[row]); }}});
}

void EndpointModels::show() {
  beginResetModel();
  m_shown.clear();
  for (const QString& name : m_names) {
    if (name.contains(m_filter.trimmed(), Qt::CaseInsensitive)) m_shown.append(name);
  }
  endResetModel();
  emit changed();
}

void EndpointModels::clear() {
  m_names.clear();
  m_chosen.clear();
  m_filter.clear();
  show();
}

void EndpointModels::setFilter(const QString& filter) {
  if (filter == m_filter) return;
  m_filter = filter;
  show();
}

QString EndpointModels::summary() const {
  return tr("%1 of %2 chosen").arg(m_chosen.size()).arg(m_names.size());
}

void EndpointModels::setFound(const QStringList& names) {
  if (m_chosen.isEmpty() && names.size() <= kFew) m_chosen = names;
  m_names = m_chosen;
  for (const QString& name : names) {
    if (!m_names.contains(name)) m_names.append(name);
  }
  show();
}

void EndpointModels::setChosen(const QStringList& names) {
  m_chosen = names;
  m_names = names;
  show();
}

void EndpointModels::toggle(const QString& name) {
  if (!m_names.contains(name)) return;
  if (m_chosen.removeAll(name) == 0) m_chosen.append(name);
  announceRows({kIsChosen});
  emit changed();
}

void EndpointModels::add(const QString& typed) {
  const QString name = visibleString(typed.trimmed().left(kMostModelNameCharacters));
  if (name.isEmpty()) return;
  if (!m_names.contains(name)) m_names.prepend(name);
  if (!m_chosen.contains(name)) m_chosen.append(name);
  m_filter.clear();
  show();
}

}  // namespace quire
