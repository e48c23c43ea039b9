#include "app/commands/command_list.h"

#include <QCoreApplication>
#include <QKeySequence>

#include <algorithm>

#include "kernels/base/check.h"

namespace quire {
namespace {

QString translated(const char* text) {
  return QCoreApplication::translate("quire::Commands", text);
}

constexpr int kLetter = 1;
constexpr int kNeighbour = 4;
constexpr int kWordStart = 6;
constexpr int kTextStart = 4;

bool beginsWord(const QString& text, int at) {
  return at == 0 || !text[at - 1].isLetterOrNumber();
}

/// The first positions of `letters` in the text in their order, from `from` on; empty: no match.
QList<int> findFrom(const QString& letters, const QString& text, int from) {
  QList<int> positions;
  int at = from;
  for (const QChar letter : letters) {
    while (at < text.size() && text[at].toCaseFolded() != letter) ++at;
    if (at == text.size()) return {};
    positions.append(at++);
  }
  return positions;
}

int scoreOf(const QList<int>& positions, const QString& text) {
  int score = positions.first() == 0 ? kTextStart : 0;
  for (qsizetype i = 0; i < positions.size(); ++i) {
    score += kLetter;
    if (beginsWord(text, positions[i])) score += kWordStart;
    if (i > 0 && positions[i] == positions[i - 1] + 1) score += kNeighbour;
  }
  return score;
}

QString lettersOf(const QString& query) {
  QString letters;
  for (const QChar c : query) {
    if (!c.isSpace()) letters.append(c.toCaseFolded());
  }
  return letters;
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
  CHECK(!find(command.id));
  const int row = rowCount();
  beginInsertRows({}, row, row);
  m_commands.append(command);
  endInsertRows();
}

const Command* CommandList::find(const QString& id) const {
  const auto found = std::ranges::find(m_commands, id, &Command::id);
  return found == m_commands.cend() ? nullptr : &*found;
}

bool CommandList::canRun(const Command& command) const {
  return command.run && (!command.isEnabled || command.isEnabled());
}

void CommandList::run(const QString& id) {
  const Command* command = find(id);
  if (!command || !canRun(*command)) return;
  const auto action = command->run;  // A copy, because it may add commands to the list.
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

QStringList CommandList::keyTexts(const Command& command) {
  QStringList texts;
  for (const QString& key : command.keys) {
    texts.append(QKeySequence::fromString(key, QKeySequence::PortableText)
                     .toString(QKeySequence::NativeText));
  }
  return texts;
}

std::optional<FuzzyMatch> fuzzyMatch(const QString& query, const QString& text) {
  const QString letters = lettersOf(query);
  if (letters.isEmpty()) return FuzzyMatch{};
  std::optional<FuzzyMatch> best;
  for (int from = 0; from < text.size(); ++from) {
    if (text[from].toCaseFolded() != letters[0]) continue;
    const QList<int> positions = findFrom(letters, text, from);
    if (positions.isEmpty()) break;
    const int score = scoreOf(positions, text);
    if (!best || score > best->score) best = FuzzyMatch{score, positions};
  }
  return best;
}

QString markedText(const QString& text, const QList<int>& positions) {
  QString marked;
  qsizetype done = 0;
  for (qsizetype i = 0; i < positions.size();) {
    const qsizetype start = positions[i];
    qsizetype end = start;
    while (i < positions.size() && positions[i] == end) ++i, ++end;
    marked += text.mid(done, start - done).toHtmlEscaped() + QLatin1String("<b>") +
              text.mid(start, end - start).toHtmlEscaped() + QLatin1String("</b>");
    done = end;
  }
  return marked + text.mid(done).toHtmlEscaped();
}

}  // namespace quire
