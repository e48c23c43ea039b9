#include "app/chat/spoken_caret.h"

#include <QAccessible>

#include "app/session/announcement.h"

namespace quire {

SpokenCaret::SpokenCaret(QObject* parent) : QObject(parent), m_isHeard(&QAccessible::isActive) {}

void SpokenCaret::speak(const QString& text) {
  if (!m_isHeard()) return;
  m_text = text;
  emit spoken();
  announce(m_speaker, m_text);
}

void SpokenCaret::tellShown(const QString& line) {
  speak(tr("Caret shown. %1").arg(line));
}

void SpokenCaret::tellHidden() {
  speak(tr("Caret hidden"));
}

void SpokenCaret::tellLine(const QString& line) {
  speak(line.trimmed().isEmpty() ? tr("Empty line") : line);
}

void SpokenCaret::tellUnit(const TimelineModel& timeline, const TextPosition& at, TextUnit unit) {
  const QList<MarkdownBlock> blocks = timeline.selectableBlocks(at.message);
  if (at.block < blocks.size()) speak(unitText(blocks[at.block], at.offset, unit));
}

QString SpokenCaret::unitText(const MarkdownBlock& block, qsizetype offset, TextUnit unit) {
  const QString text = selectableText(block);
  const auto end = caretStep(block, offset, TextUnit::Character, true);
  if (!end) return tr("End of paragraph");
  const QString character = text.mid(offset, *end - offset);
  if (character == QLatin1String("\n")) return tr("New line");
  if (character == QLatin1String("\t")) return tr("Tab");
  if (character.trimmed().isEmpty()) return tr("Space");
  if (unit == TextUnit::Character) return character;
  const auto [from, to] = unitAt(block, offset, unit);
  return text.mid(from, to - from).trimmed();
}

}  // namespace quire
