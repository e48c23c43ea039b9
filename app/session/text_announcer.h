#pragma once

#include <QList>
#include <QMetaMethod>
#include <QObject>
#include <QPointer>
#include <QSet>
#include <QTimer>

namespace quire {

/// Says of every property and every row of a tree of objects, and of what it leads to, that it
/// changed: words made in C++ are then read anew, in the language of now. A slice at a time, so
/// that the window goes on meanwhile.
///
/// Thread: the window's.
/// Invariants: an object is told once in a round; objects that go meanwhile are left out.
class TextAnnouncer : public QObject {
  Q_OBJECT

 public:
  explicit TextAnnouncer(QObject& root, QObject* parent = nullptr);

  /// Begins a round; one that is under way begins again.
  void announce();
  bool isBusy() const { return !m_waiting.isEmpty() || !m_signals.isEmpty(); }
  /// Whether the signal that is heard now is of a round: nothing but words has changed, and nothing
  /// is to be done about it than to read them. Asked on the window's thread.
  static bool isSpeaking();

 private:
  struct Signal {
    QPointer<QObject> object;
    QMetaMethod method;
  };
  void announceSlice();
  void visit(QObject* object);
  void emitNext();

  QPointer<QObject> m_root;
  QTimer m_timer;
  QList<QPointer<QObject>> m_waiting;
  QList<Signal> m_signals;  ///< Of the object that was visited last.
  QSet<QObject*> m_seen;
};

}  // namespace quire
