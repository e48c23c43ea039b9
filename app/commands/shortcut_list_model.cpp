#include "app/commands/shortcut_list_model.h"

#include <algorithm>

namespace quire {

ShortcutListModel::ShortcutListModel(const CommandList& commands, QObject* parent)
    : QAbstractListModel(parent), m_commands(commands) {
  connect(&commands, &CommandList::rowsInserted, this, &ShortcutListModel::update);
  connect(&commands, &CommandList::dataChanged, this, &ShortcutListModel::update);
  update();
}

int ShortcutListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QHash<int, QByteArray> ShortcutListModel::roleNames() const {
  return {{kText, "text"}, {kGroup, "group"}, {kKeys, "keys"}, {kIsFirst, "isFirst"}};
}

QVariant ShortcutListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_rows.size()) return {};
  const int row = index.row();
  const Command& command = *m_rows[row];
  switch (role) {
    case kText:
      return CommandList::text(command);
    case kGroup:
      return CommandList::group(command);
    case kKeys:
      return CommandList::keyTexts(command);
    case kIsFirst:
      return row == 0 || qstrcmp(m_rows[row - 1]->group, command.group) != 0;
    default:
      return {};
  }
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
  QList<QByteArrayView> groups;  // In the order in which they were first named.
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
