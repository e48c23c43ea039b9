#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>

namespace quire {

/// The last deletion, while it can still be undone: for eight seconds, or until the next one.
/// Thread: the window's.
/// Invariants: each offer ends once, by its `undo` or by its `finish`.
class PendingUndo : public QObject {
  Q_OBJECT

 public:
  explicit PendingUndo(QObject* parent = nullptr);

  /// Finishes the previous offer and makes a new one. `text` is a sentence for the user; `finish`
  /// does what cannot be undone.
  void offer(const QString& text, std::function<void()> undo, std::function<void()> finish = {});
  bool isPending() const { return !m_text.isEmpty(); }
  QString text() const { return m_text; }  ///< Empty if nothing can be undone.
  void undo() { end(m_undo); }
  void finish() { end(m_finish); }

 signals:
  void changed();

 private:
  void end(const std::function<void()>& act);

  QString m_text;
  std::function<void()> m_undo;
  std::function<void()> m_finish;
  QTimer m_timer;
};

}  // namespace quire
