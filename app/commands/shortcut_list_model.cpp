#include "app/commands/shortcut_list_model.h"

#include <algorithm>

namespace quire {

ShortcutListModel::ShortcutListModel(const CommandList& commands, QObject* parent)
    : RoleListModel(parent), m_commands(commands) {
  setRoles({{kText, "text", [this](int row) { return CommandList::text(*m_rows[row]); }},
            {kGroup, "group", [this](int row) { return CommandList::group(*m_rows[row]); }},
            {kKeys, "keys", [this](int row) { return CommandList::keyTexts(*m_rows[row]); }},
            {kIsFirst, "isFirst", [this](int row) {
               return row == 0 || qstrcmp(m_rows[row - 1]->group, m_rows[row]->group) != 0;
             }}});
  connect(&commands, &CommandList::rowsInserted, this, &ShortcutListModel::update);
  connect(&commands, &CommandList::dataChanged, this, &ShortcutListModel::update);
  update();
}

void ShortcutListModel::setQuery(const QString& query) {
  if (query == m_query) return;
  m_query = query;
  update();
}

bool ShortcutListModel::fits(const Command& command) const {
  const QString all = CommandList::text(command) + u' ' + CommandList::group(command) + u' ' +
                      CommandList::keyTexts(command).join(u' ');
  const QStringList words = m_query.split(u' ', Qt::SkipEmptyParts);
  return std::all_of(words.cbegin(), words.cend(),
                     [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

void ShortcutListModel::update() {
  beginResetModel();
  m_rows.clear();
  QList<QByteArrayView> groups;  // In the order of their first commands.
  for (const Command& command : m_commands.commands()) {
    if (!groups.contains(command.group)) groups.append(command.group);
  }
  for (const QByteArrayView group : groups) {
    for (const Command& command : m_commands.commands()) {
      const bool isOfGroup = group == command.group && !command.keys.isEmpty();
      if (isOfGroup && fits(command)) m_rows.append(&command);
    }
  }
  endResetModel();
  emit queryChanged();
}

}  // namespace quire
