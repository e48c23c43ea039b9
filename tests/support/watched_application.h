#pragma once

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QString>

#include <memory>

namespace quire {

/// How long the window's thread was away from its event loop.
struct Blockage {
  double ms = 0.0;
  double computedMs = 0.0;  ///< Of these; the rest it slept: for a lock, a page, a disk.
  double wallMs = 0.0;      ///< By the clock on the wall: with what others had of the processors.
  QString event;            ///< "UpdateRequest of QQuickWindow".
};

/// The application object of tests that watch over the window's thread: measures each event that it
/// handles, events within events counted to the outer one. Time in which the thread was ready to
/// run but another program had the processor is not counted, as far as the system tells it, so that
/// a busy machine does not fail a test; nor is, of an event in which it never slept, what it did
/// not compute; nor, of one in which it did, what another thread of the process stood ready so, or
/// the host of a virtual machine took of a processor: it may have waited for a thread that was to
/// run there (Qt draws with several). What waited for whom nobody tells, so the longest wait and
/// the longest such time both count: a disk's may be excused with them.
///
/// Thread: the window's.
class WatchedApplication : public QGuiApplication {
 public:
  WatchedApplication(int& argc, char** argv);
  ~WatchedApplication() override;

  bool notify(QObject* receiver, QEvent* event) override;

  /// While one of these lives nothing is counted: a window is being opened, say, which has a target
  /// of its own. Does nothing under another application object.
  class Uncounted {
   public:
    Uncounted();
    ~Uncounted();
    Uncounted(const Uncounted&) = delete;
    Uncounted& operator=(const Uncounted&) = delete;

   private:
    WatchedApplication* m_application;
  };

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
  class ReadyThreads;

  int m_depth = 0;
  int m_uncounted = 0;  ///< How many Uncounted live.
  Blockage m_worst;
  QList<double> m_long;  ///< Of events over some milliseconds, in order.
  std::unique_ptr<SchedulerClock> m_scheduler;
  std::unique_ptr<ReadyThreads> m_ready;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSlowdown = 10.0;  ///< Of a build that watches every access to memory.
#else
constexpr double kSlowdown = 1.0;
#endif

/// The longest that the window's thread may be blocked (targets.md).
constexpr double kMaxBlockedMs = 50.0 * kSlowdown;

}  // namespace quire
