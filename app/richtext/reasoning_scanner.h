#pragma once

#include <QList>
#include <QString>
#include <QStringView>

namespace quire {

/// Separates a model's reasoning from its answer in a stream: <think>…</think>, and the other marks
/// that models use at the start of an answer. An incomplete mark at the end of the stream is held
/// back until it is complete or known to be text.
///
/// Invariants: all text except the marks is returned; the result does not depend on the pieces in
/// which the text arrives.
class ReasoningScanner {
 public:
  struct Piece {
    QString text;
    bool isThought = false;
  };

  QList<Piece> append(QStringView text);
  QList<Piece> finish();
  /// The text begins inside the reasoning, because the prompt has opened it.
  void beginThinking();

  bool isThinking() const { return m_state == State::Thought; }
  bool hasThought() const { return m_hasThought; }
  /// Whether a line begins with a closing mark, which ends reasoning that the prompt has opened.
  static bool isStrayEnd(QStringView line);

 private:
  enum class State { Start, Thought, Answer };

  bool scanStart();
  bool scanThought(QList<Piece>& pieces);
  static void add(QList<Piece>& pieces, const QString& text, bool isThought);

  State m_state = State::Start;
  QString m_held;
  qsizetype m_at = 0;  ///< In m_held: what stands before it has been read. 0 between calls.
  bool m_hasThought = false;
};

}  // namespace quire
