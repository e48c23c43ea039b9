#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <algorithm>

namespace quire {

/// Paces the display of streamed text: one clock for all chats of the window, so that eight streams
/// cause one round of layout, and no chat's rows change more than 30 times a second.
///
/// Thread: the window's.
/// Invariants: at least kIntervalMs pass between two `due`; after wake() `due` follows, without
/// delay (from the event loop) if the last one was at least kIntervalMs ago.
class TextClock : public QObject {
  Q_OBJECT

 public:
  static constexpr int kIntervalMs = 36;

  TextClock() {
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] {
      m_sinceLast.start();
      emit due();
    });
  }

  /// Called when there is text to show.
  void wake() {
    if (m_timer.isActive()) return;
    // elapsed() rounds down, so the wait is never too short.
    const qint64 waited = m_sinceLast.isValid() ? m_sinceLast.elapsed() : kIntervalMs;
    m_timer.start(static_cast<int>(std::max<qint64>(0, kIntervalMs - waited)));
  }
  /// Makes answers show text without waiting for the clock, for tests.
  void setImmediate(bool immediate) { m_isImmediate = immediate; }
  bool isImmediate() const { return m_isImmediate; }

 signals:
  void due();

 private:
  QTimer m_timer;
  QElapsedTimer m_sinceLast;
  bool m_isImmediate = false;
};

}  // namespace quire
