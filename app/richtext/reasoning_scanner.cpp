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

/// The characters with which a closing mark may begin.
const QString& closerStarts() {
  static const QString kStarts = [] {
    QString starts;
    for (const QString& mark : closers()) {
      if (!starts.contains(mark[0])) starts += mark[0];
    }
    return starts;
  }();
  return kStarts;
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
  while (m_at < m_held.size()) {
    if (m_state == State::Answer) {
      add(pieces, m_held.mid(std::exchange(m_at, m_held.size())), false);
    } else if (!(m_state == State::Start ? scanStart() : scanThought(pieces))) {
      break;
    }
  }
  m_held.remove(0, std::exchange(m_at, 0));
  return pieces;
}

/// False if more text is needed.
bool ReasoningScanner::scanStart() {
  qsizetype at = m_at;
  while (at < m_held.size() && m_held[at].isSpace()) ++at;
  const QStringView begin = QStringView(m_held).mid(at);
  if (begin.isEmpty()) return false;
  const qsizetype opener = markAt(begin, openers());
  const qsizetype skip = markAt(begin, skipped());
  if (opener > 0 || skip > 0) {
    if (opener > 0) beginThinking();
    m_at = at + std::max(opener, skip);
    return true;
  }
  if (opener < 0 || skip < 0) return false;
  m_state = State::Answer;
  return true;
}

/// False if more text is needed. Looks at each character once, however many marks there are.
bool ReasoningScanner::scanThought(QList<Piece>& pieces) {
  qsizetype end = m_at;
  qsizetype length = 0;
  for (; end < m_held.size(); ++end) {
    if (!closerStarts().contains(m_held[end])) continue;
    length = markAt(QStringView(m_held).mid(end), closers());
    if (length != 0) break;
  }
  add(pieces, m_held.mid(m_at, end - m_at), true);
  m_at = end + std::max<qsizetype>(0, length);
  if (length <= 0) return false;
  m_state = State::Start;
  return true;
}

QList<ReasoningScanner::Piece> ReasoningScanner::finish() {
  QList<Piece> pieces;
  add(pieces, std::exchange(m_held, QString()), m_state == State::Thought);
  return pieces;
}

}  // namespace quire
