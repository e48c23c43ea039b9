#include "app/get_models/found_models.h"

#include "app/get_models/get_labels.h"
#include "app/store/visible_string.h"

namespace quire {

FoundModels::FoundModels(QObject* parent) : RoleListModel(parent) {
  setRoles(
      {{kName, "name", [this](int row) { return m_results[row].name; }},
       {kShownName, "shownName", [this](int row) { return visibleString(m_results[row].name); }},
       {kFacts, "facts", [this](int row) { return get_labels::result(m_results[row]); }}});
}

void FoundModels::set(const QList<HubResult>& results) {
  beginResetModel();
  m_results = results;
  endResetModel();
  emit changed();
}

}  // namespace quire
