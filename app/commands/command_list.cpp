#include "app/commands/command_list.h"

#include <QCoreApplication>
#include <QKeySequence>

#include "kernels/base/check.h"

namespace quire {
namespace {

QString translated(const char* text) {
  return QCoreApplication::translate("quire::Commands", text);
}

QString shown(const QString& key) {
  return QKeySequence::fromString(key, QKeySequence::PortableText)
      .toString(QKeySequence::NativeText);
}

}  // namespace

CommandList::CommandList(QObject* parent) : RoleListModel(parent) {
  const auto key = [this](int row, int which) {
    return m_commands[row].run ? m_commands[row].keys.value(which) : QString();
  };
  setRoles({{kCommandId, "commandId", [this](int row) { return m_commands[row].id; }},
            {kText, "text", [this](int row) { return text(m_commands[row]); }},
            {kGroup, "group", [this](int row) { return group(m_commands[row]); }},
            {kKey, "key", [key](int row) { return key(row, 0); }},
            {kOtherKey, "otherKey", [key](int row) { return key(row, 1); }}});
}

void CommandList::add(const Command& command) {
  CHECK(!m_rows.contains(command.id));
  const int row = rowCount();
  beginInsertRows({}, row, row);
  m_commands.append(command);
  m_rows.insert(command.id, row);
  endInsertRows();
}

const Command* CommandList::find(const QString& id) const {
  const auto row = m_rows.constFind(id);
  return row == m_rows.cend() ? nullptr : &m_commands[*row];
}

bool CommandList::canRun(const Command& command) const {
  return command.run && (!command.isEnabled || command.isEnabled());
}

void CommandList::run(const QString& id) {
  const Command* command = find(id);
  if (!command || !canRun(*command)) return;
  const auto action = command->run;  // The list may grow while it is done.
  action();
}

QString CommandList::keyText(const QString& id) const {
  const Command* command = find(id);
  return command ? keyText(*command) : QString();
}

QString CommandList::text(const Command& command) {
  return translated(command.text);
}

QString CommandList::group(const Command& command) {
  return translated(command.group);
}

QString CommandList::keyText(const Command& command) {
  return command.keys.isEmpty() ? QString() : shown(command.keys.first());
}

QStringList CommandList::keyTexts(const Command& command) {
  QStringList texts;
  for (const QString& key : command.keys) texts.append(shown(key));
  return texts;
}

}  // namespace quire
