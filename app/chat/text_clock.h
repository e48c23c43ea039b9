#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace quire {

/// When text that has come is shown: one clock for all chats of the window, so that eight streams
/// cause one round of layout and not eight, and no chat's rows change more than 30 times a second
/// however often its backend has something to say.
///
/// Thread: the window's.
/// Invariants: between two `due` there are at least kIntervalMs; after wake() one comes, at once
/// (from the event loop) if the last was long ago.
class TextClock : public QObject {
  Q_OBJECT

 public:
  static constexpr int kIntervalMs = 36;

  explicit TextClock(QObject* parent = nullptr);

  /// There is text to show.
  void wake();
  /// Text is shown as it comes: for tests that hand it out by themselves.
  void setImmediate(bool immediate) { m_isImmediate = immediate; }
  bool isImmediate() const { return m_isImmediate; }

 signals:
  void due();

 private:
  void tick();

  QTimer m_timer;
  QElapsedTimer m_sinceLast;
  bool m_isImmediate = false;
};

}  // namespace quire
