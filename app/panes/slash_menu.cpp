#include "app/panes/slash_menu.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <utility>

#include "app/commands/command_list.h"
#include "app/personas/persona_labels.h"

namespace quire {
namespace {

const QString kPromptsKey = QStringLiteral("composer.prompts");
constexpr qsizetype kTitleLength = 60;

QString titleOf(const QString& prompt) {
  const QString line = prompt.trimmed().section(u'\n', 0, 0).simplified();
  return line.size() <= kTitleLength ? line : line.left(kTitleLength - 1) + u'…';
}

}  // namespace

SlashMenu::SlashMenu(const PersonaListModel& personas, DataSession& session, Target target,
                     QObject* parent)
    : RoleListModel(parent), m_personas(personas), m_session(session), m_target(std::move(target)) {
  const auto of = [this](auto member) {
    return [this, member](int row) -> QVariant { return m_rows[row].*member; };
  };
  const auto isKind = [this](Kind kind) {
    return [this, kind](int row) -> QVariant { return m_rows[row].kind == kind; };
  };
  setRoles({{kTitle, "title", of(&Entry::title)},
            {kDetail, "detail", of(&Entry::detail)},
            {kIconName, "iconName", of(&Entry::iconName)},
            {kColor, "colorIndex", of(&Entry::color)},
            {kIsPersona, "isPersona", isKind(Kind::Persona)},
            {kIsPrompt, "isPrompt", isKind(Kind::Prompt)},
            {kSection, "section", [this](int row) { return sectionOf(m_rows[row]); }}});
}

QString SlashMenu::sectionOf(const Entry& entry) {
  return entry.kind == Kind::Persona ? tr("Personas") : tr("Saved prompts");
}

void SlashMenu::follow(const QString& text, int cursor) {
  m_text = text;
  const int at = std::clamp(cursor, 0, static_cast<int>(text.size()));
  const int begin = at == 0 ? 0 : static_cast<int>(text.lastIndexOf(u'\n', at - 1)) + 1;
  const qsizetype lineEnd = text.indexOf(u'\n', at);
  const bool isAtEnd = at == (lineEnd < 0 ? text.size() : lineEnd);
  const bool isSlash = begin < at && text[begin] == u'/' && isAtEnd && at - begin - 1 <= kMaxQuery;
  if (!isSlash) {
    m_begin = m_dismissed = -1;
    return setRows({});
  }
  m_begin = begin;
  m_end = at;
  if (m_dismissed == begin) return setRows({});
  m_dismissed = -1;
  show(text.mid(begin + 1, at - begin - 1));
}

/// The text of the composer without the line of the slash.
QString SlashMenu::otherText() const {
  QString text = m_text;
  return text.remove(m_begin, m_end - m_begin).trimmed();
}

QList<SlashMenu::Entry> SlashMenu::allEntries() const {
  QList<Entry> entries;
  const RecordId current = m_target.persona();
  for (const PersonaRecord& persona : m_personas.personas()) {
    entries.append({.kind = Kind::Persona,
                    .persona = persona.id,
                    .title = persona.name,
                    .detail = persona.id == current ? tr("Current persona") : tr("Switch persona"),
                    .iconName = personaIcon(persona.icon),
                    .color = persona.color});
  }
  if (current != 0) {
    entries.append({.kind = Kind::Persona,
                    .title = tr("No persona"),
                    .detail = tr("Switch persona"),
                    .iconName = personaIcon({})});
  }
  for (qsizetype i = 0; i < m_prompts.size(); ++i) {
    entries.append({.kind = Kind::Prompt,
                    .prompt = static_cast<int>(i),
                    .title = titleOf(m_prompts[i]),
                    .detail = tr("Saved prompt"),
                    .iconName = QStringLiteral("file")});
  }
  const QString other = otherText();
  const bool canSave = !other.isEmpty() && other.size() <= kMaxPromptLength &&
                       m_prompts.size() < kMaxPrompts && !m_prompts.contains(other);
  if (canSave) {
    entries.append({.kind = Kind::Save,
                    .title = tr("Save as a prompt"),
                    .detail = titleOf(other),
                    .iconName = QStringLiteral("plus")});
  }
  return entries;
}

void SlashMenu::show(const QString& query) {
  readPrompts();
  QList<std::pair<int, Entry>> matches;
  for (const Entry& entry : allEntries()) {
    if (const auto match = fuzzyMatch(query, entry.title)) matches.append({match->score, entry});
  }
  std::ranges::stable_sort(matches, std::ranges::greater(), &std::pair<int, Entry>::first);
  // The best match is first, with all of its section.
  const QString best = matches.isEmpty() ? QString() : sectionOf(matches.first().second);
  std::ranges::stable_partition(matches,
                                [&](const auto& match) { return sectionOf(match.second) == best; });
  QList<Entry> rows;
  for (const auto& [score, entry] : matches) rows.append(entry);
  setRows(rows);
}

void SlashMenu::setRows(const QList<Entry>& rows) {
  if (rows.isEmpty() && m_rows.isEmpty()) return;
  beginResetModel();
  m_rows = rows;
  m_currentRow = 0;
  endResetModel();
  emit changed();
}

void SlashMenu::setCurrentRow(int row) {
  if (row == m_currentRow || row < 0 || row >= numRows()) return;
  m_currentRow = row;
  emit changed();
}

QString SlashMenu::currentText() const {
  return isOpen() ? m_rows[m_currentRow].title : QString();
}

bool SlashMenu::handleKey(int key, int modifiers) {
  if (!isOpen()) return false;
  const int count = numRows();
  const bool isShift = (modifiers & Qt::ShiftModifier) != 0;
  switch (key) {
    case Qt::Key_Up:
      setCurrentRow((m_currentRow + count - 1) % count);
      return true;
    case Qt::Key_Down:
      setCurrentRow((m_currentRow + 1) % count);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Tab:
      if (isShift) return false;
      choose(m_currentRow);
      return true;
    case Qt::Key_Delete:
      if (!isShift || m_rows[m_currentRow].kind != Kind::Prompt) return false;
      removePrompt(m_currentRow);
      return true;
    case Qt::Key_Escape:
      close();
      return true;
    default:
      return false;
  }
}

void SlashMenu::choose(int row) {
  if (row < 0 || row >= numRows()) return;
  const Entry entry = m_rows[row];
  const QString other = otherText();
  const int begin = m_begin;
  const int end = m_end;
  setRows({});
  if (entry.kind == Kind::Save) {
    m_prompts.append(other);
    savePrompts();
  }
  emit replaced(begin, end, entry.kind == Kind::Prompt ? m_prompts.value(entry.prompt) : QString());
  if (entry.kind == Kind::Persona) m_target.setPersona(entry.persona);
}

void SlashMenu::removePrompt(int row) {
  if (row < 0 || row >= numRows() || m_rows[row].kind != Kind::Prompt) return;
  m_prompts.removeAt(m_rows[row].prompt);
  savePrompts();
  show(m_text.mid(m_begin + 1, m_end - m_begin - 1));
  setCurrentRow(std::min(row, numRows() - 1));
}

void SlashMenu::close() {
  m_dismissed = m_begin;
  setRows({});
}

void SlashMenu::readPrompts() {
  if (m_arePromptsRead || !m_session.isOpen()) return;
  m_arePromptsRead = true;
  const auto stored = QJsonDocument::fromJson(m_session.setting(kPromptsKey).toUtf8());
  for (const QJsonValue& value : stored.array()) {
    const QString prompt = value.toString();
    const bool isUsable = !prompt.trimmed().isEmpty() && prompt.size() <= kMaxPromptLength;
    if (isUsable && m_prompts.size() < kMaxPrompts) m_prompts.append(prompt);
  }
}

void SlashMenu::savePrompts() {
  if (!m_session.isOpen()) return;
  const QJsonDocument stored(QJsonArray::fromStringList(m_prompts));
  m_session.putSetting(kPromptsKey, QString::fromUtf8(stored.toJson(QJsonDocument::Compact)));
}

}  // namespace quire
