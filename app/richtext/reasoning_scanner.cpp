#include "app/richtext/reasoning_scanner.h"

#include <QStringList>

#include <algorithm>
#include <utility>

namespace quire {
namespace {

const QStringList& openers() {
  static const QStringList kMarks = {"<think>",
                                     "<thinking>",
                                     "<thought>",
                                     "<reasoning>",
                                     "[THINK]",
                                     "◁think▷",
                                     "<|START_THINKING|>",
                                     "<|begin_of_thought|>",
                                     "<seed:think>",
                                     "<|channel>thought",
                                     "<|channel|>analysis<|message|>",
                                     "<|channel|>commentary<|message|>"};
  return kMarks;
}

const QStringList& closers() {
  static const QStringList kMarks = {
      "</think>",      "</thinking>", "</thought>",       "</reasoning>",
      "[/THINK]",      "◁/think▷",    "<|END_THINKING|>", "<|end_of_thought|>",
      "</seed:think>", "<channel|>",  "<|end|>",          "<|channel|>final<|message|>"};
  return kMarks;
}

/// Other marks between reasoning and answer, which are dropped.
const QStringList& skipped() {
  static const QStringList kMarks = {"<|start|>assistant",      "<|channel|>final<|message|>",
                                     "<|START_RESPONSE|>",      "<|begin_of_solution|>",
                                     "<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>"};
  return kMarks;
}

/// The length of the first of `marks` with which `text` begins; 0 if there is none; -1 if `text` is
/// an incomplete mark.
qsizetype markAt(QStringView text, const QStringList& marks) {
  for (const QString& mark : marks) {
    if (text.startsWith(mark)) return mark.size();
  }
  const bool mayBecome =
      std::any_of(marks.begin(), marks.end(), [&](const QString& m) { return m.startsWith(text); });
  return mayBecome ? -1 : 0;
}

/// The position of an incomplete closing mark at the end of `text`; the size of `text` if there is
/// none.
qsizetype begunCloser(const QString& text) {
  qsizetype at = text.size();
  for (const QString& mark : closers()) {
    for (qsizetype n = std::min(mark.size() - 1, text.size()); n > 0; --n) {
      if (!text.endsWith(QStringView(mark).left(n))) continue;
      at = std::min(at, text.size() - n);
      break;
    }
  }
  return at;
}

}  // namespace

void ReasoningScanner::add(QList<Piece>& pieces, const QString& text, bool isThought) {
  if (!text.isEmpty()) pieces.append({text, isThought});
}

void ReasoningScanner::beginThinking() {
  m_state = State::Thought;
  m_hasThought = true;
}

bool ReasoningScanner::isStrayEnd(QStringView line) {
  const QStringView text = line.trimmed();
  return std::any_of(closers().begin(), closers().begin() + 9,
                     [&](const QString& mark) { return text.startsWith(mark); });
}

QList<ReasoningScanner::Piece> ReasoningScanner::append(QStringView text) {
  QList<Piece> pieces;
  m_held += text;
  while (!m_held.isEmpty()) {
    if (m_state == State::Answer) {
      add(pieces, std::exchange(m_held, QString()), false);
    } else if (!(m_state == State::Start ? scanStart(pieces) : scanThought(pieces))) {
      break;
    }
  }
  return pieces;
}

/// False if more text is needed.
bool ReasoningScanner::scanStart(QList<Piece>&) {
  const QStringView text = QStringView(m_held).trimmed();
  if (text.isEmpty()) return false;
  const QStringView begin = QStringView(m_held).mid(m_held.indexOf(text[0]));
  const qsizetype opener = markAt(begin, openers());
  const qsizetype skip = markAt(begin, skipped());
  if (opener > 0 || skip > 0) {
    if (opener > 0) beginThinking();
    m_held = begin.mid(std::max(opener, skip)).toString();
    return true;
  }
  if (opener < 0 || skip < 0) return false;
  m_state = State::Answer;
  return true;
}

bool ReasoningScanner::scanThought(QList<Piece>& pieces) {
  qsizetype first = -1;
  qsizetype length = 0;
  for (const QString& mark : closers()) {
    const qsizetype at = m_held.indexOf(mark);
    if (at < 0 || (first >= 0 && at >= first)) continue;
    first = at;
    length = mark.size();
  }
  if (first >= 0) {
    add(pieces, m_held.left(first), true);
    m_held.remove(0, first + length);
    m_state = State::Start;
    return true;
  }
  const qsizetype sure = begunCloser(m_held);
  add(pieces, m_held.left(sure), true);
  m_held.remove(0, sure);
  return false;
}

QList<ReasoningScanner::Piece> ReasoningScanner::finish() {
  QList<Piece> pieces;
  add(pieces, std::exchange(m_held, QString()), m_state == State::Thought);
  return pieces;
}

}  // namespace quire
