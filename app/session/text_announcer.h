#pragma once

#include <QList>
#include <QMetaMethod>
#include <QObject>
#include <QPointer>
#include <QSet>
#include <QTimer>

namespace quire {

/// Emits the change signals of every property and row of a tree of objects, and of the objects that
/// its properties point to, so that QML reads texts made in C++ again in the new language. It works
/// in slices, so that the window stays responsive.
///
/// Thread: the window's.
/// Invariants: an object is visited once in a round; objects that are deleted during a round are
/// skipped.
class TextAnnouncer : public QObject {
  Q_OBJECT

 public:
  explicit TextAnnouncer(QObject& root, QObject* parent = nullptr);

  /// Starts a round; a running round ends.
  void announce();
  bool isBusy() const { return !m_waiting.isEmpty() || !m_signals.isEmpty(); }
  /// Whether the current signal comes from a round: only texts have changed, so that a handler
  /// should save and compute nothing.
  static bool isSpeaking() { return s_isSpeaking; }

 private:
  struct Signal {
    QPointer<QObject> object;
    QMetaMethod method;
  };
  void announceSlice();
  void visit(QObject* object);
  void emitNext();

  static inline bool s_isSpeaking = false;
  QPointer<QObject> m_root;
  QTimer m_timer;
  QList<QPointer<QObject>> m_waiting;
  QList<Signal> m_signals;  ///< Of the object visited last.
  QSet<QObject*> m_seen;
};

}  // namespace quire
