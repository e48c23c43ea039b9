#pragma once

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QString>

#include <memory>

namespace quire {

/// How long the window's thread was away from its event loop.
struct Blockage {
  double ms = 0.0;
  QString event;  ///< "UpdateRequest of QQuickWindow".
};

/// The application object of tests that watch over the window's thread: measures each event that it
/// handles, events within events counted to the outer one. Time in which the thread was ready to
/// run but another program had the processor is not counted, as far as the system tells it, so that
/// a busy machine does not fail a test.
///
/// Thread: the window's.
class WatchedApplication : public QGuiApplication {
 public:
  WatchedApplication(int& argc, char** argv);
  ~WatchedApplication() override;

  bool notify(QObject* receiver, QEvent* event) override;

  /// The worst since the last reset().
  const Blockage& worst() const { return m_worst; }
  /// How many events took longer than the limit since the last reset().
  int numOver(double limitMs) const;
  void reset();

  static WatchedApplication& instance() {
    return *static_cast<WatchedApplication*>(QCoreApplication::instance());
  }

 private:
  class SchedulerClock;

  int m_depth = 0;
  Blockage m_worst;
  QList<double> m_long;  ///< Of events over some milliseconds, in order.
  std::unique_ptr<SchedulerClock> m_scheduler;
};

/// The longest that the window's thread may be blocked (targets.md).
constexpr double kMaxBlockedMs = 50.0;

}  // namespace quire
