#pragma once

#include <QList>
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
  bool isBusy() const { return !m_waiting.isEmpty(); }
  /// Whether the signal that is heard now is of a round: nothing but words has changed, and nothing
  /// is to be done about it than to read them. Asked on the window's thread.
  static bool isSpeaking();

 private:
  void announceSlice();
  void announceOne(QObject* object);

  QPointer<QObject> m_root;
  QTimer m_timer;
  QList<QPointer<QObject>> m_waiting;
  QSet<QObject*> m_seen;
};

}  // namespace quire
