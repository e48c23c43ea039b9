#pragma once

#include <QList>
#include <QString>
#include <QStringView>

namespace quire {

/// Tells a model's reasoning from its answer in a stream: <think>…</think> and the other marks that
/// models use at an answer's start. Marks that are cut apart by the stream are held back until they
/// are whole or turn out to be text.
///
/// Invariants: all text comes out again, but for the marks; the pieces do not depend on how it
/// arrived.
class ReasoningScanner {
 public:
  struct Piece {
    QString text;
    bool isThought = false;
  };

  QList<Piece> append(QStringView text);
  QList<Piece> finish();
  /// The prompt has opened the reasoning already: the text begins inside it.
  void beginThinking();

  bool isThinking() const { return m_state == State::Thought; }
  bool hasThought() const { return m_hasThought; }
  /// Whether this line is the end of reasoning whose beginning was never seen.
  static bool isStrayEnd(QStringView line);

 private:
  enum class State { Start, Thought, Answer };

  bool scanStart(QList<Piece>& pieces);
  bool scanThought(QList<Piece>& pieces);
  static void add(QList<Piece>& pieces, const QString& text, bool isThought);

  State m_state = State::Start;
  QString m_held;
  bool m_hasThought = false;
};

}  // namespace quire
