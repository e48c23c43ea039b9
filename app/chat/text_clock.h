#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace quire {

/// Paces the display of streamed text: one clock for all chats of the window, so that eight streams
/// cause one round of layout, and no chat's rows change more than 30 times a second.
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
  /// Shows text at once, for tests.
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
