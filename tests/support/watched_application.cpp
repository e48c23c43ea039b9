#include "tests/support/watched_application.h"

#include <QEvent>
#include <QMetaEnum>
#include <QThread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace quire {
namespace {

constexpr double kWorthKeepingMs = 4.0;

QString nameOf(QObject* receiver, QEvent* event) {
  const char* type = QMetaEnum::fromType<QEvent::Type>().valueToKey(event->type());
  return QStringLiteral("%1 of %2")
      .arg(QString::fromLatin1(type ? type : "event"),
           QString::fromLatin1(receiver->metaObject()->className()));
}

}  // namespace

/// What the scheduler knows of this thread: how long it ran, and stood ready without a processor.
class WatchedApplication::SchedulerClock {
 public:
  SchedulerClock() {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", syscall(SYS_gettid));
    m_file = open(path, O_RDONLY | O_CLOEXEC);
  }
  ~SchedulerClock() {
    if (m_file >= 0) close(m_file);
  }
  SchedulerClock(const SchedulerClock&) = delete;
  SchedulerClock& operator=(const SchedulerClock&) = delete;

  /// Milliseconds since the thread began; 0 where the system does not tell.
  struct Times {
    double ran = 0.0;
    double waited = 0.0;    ///< Ready to run, but another had the processor.
    int64_t numSleeps = 0;  ///< How often it gave the processor up by itself.
  };
  Times now() const {
    char text[128];
    const ssize_t size = m_file < 0 ? -1 : pread(m_file, text, sizeof text - 1, 0);
    if (size <= 0) return {};
    text[size] = '\0';
    uint64_t waited = 0;
    if (std::sscanf(text, "%*u %" SCNu64, &waited) != 1) return {};
    timespec ran{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return {static_cast<double>(ran.tv_sec) * 1e3 + static_cast<double>(ran.tv_nsec) * 1e-6,
            static_cast<double>(waited) * 1e-6, usage.ru_nvcsw};
  }

 private:
  int m_file = -1;
};

/// How long the other threads of the process stood ready without a processor, and how long each
/// processor was the host's, by samples that a thread of its own takes.
class WatchedApplication::ReadyThreads {
 public:
  using Clock = std::chrono::steady_clock;

  ReadyThreads() : m_sampler([this](const std::stop_token& stop) { sample(stop); }) {}

  /// Milliseconds of the one that did longest since `since`, at most a minute ago, and of the
  /// processor that was taken longest: a thread that has one by the guest's account may not have
  /// had it by the host's.
  double longestSince(Clock::time_point since) const {
    Sample after = readSample();
    const std::lock_guard lock(m_mutex);
    if (m_samples.empty()) return 0.0;
    const auto later = std::find_if(m_samples.begin(), m_samples.end(),
                                    [&](const Sample& sample) { return sample.at > since; });
    const Sample& before = later == m_samples.begin() ? *later : *std::prev(later);
    for (auto sample = m_samples.rbegin(); sample != m_samples.rend(); ++sample) {
      if (sample->at <= since) break;
      // Those that have ended are here alone.
      for (const auto& [thread, waited] : sample->waits)
        after.waits[thread] = std::max(after.waits[thread], waited);
    }
    after.waits.erase(syscall(SYS_gettid));
    return longestGrowth(before.waits, after.waits) + longestGrowth(before.stolen, after.stolen);
  }

 private:
  using Waits = std::map<long, double>;  ///< Milliseconds, by thread or processor.
  struct Sample {
    Clock::time_point at;
    Waits waits;   ///< By thread.
    Waits stolen;  ///< By processor.
  };
  static constexpr std::chrono::milliseconds kPause{10};
  /// Samples of a minute: an event may take that long on a busy machine.
  static constexpr size_t kNumKept = 6000;

  static Waits readWaits() {
    Waits waits;
    std::error_code error;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
      std::ifstream file(task.path() / "schedstat");
      uint64_t ran = 0, waited = 0;
      if (file >> ran >> waited)
        waits[std::stol(task.path().filename())] = static_cast<double>(waited) * 1e-6;
    }
    return waits;
  }

  /// What a virtual machine's host kept for others.
  static Waits readStolen() {
    static const double kTickMs = 1e3 / static_cast<double>(sysconf(_SC_CLK_TCK));
    Waits stolen;
    std::ifstream file("/proc/stat");
    for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
      long processor = 0;
      uint64_t ticks = 0;
      if (line[3] == ' ') continue;  // Their sum. Fields: proc(5), /proc/stat.
      if (std::sscanf(line.c_str(), "cpu%ld %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &processor,
                      &ticks) == 2)
        stolen[processor] = static_cast<double>(ticks) * kTickMs;
    }
    return stolen;
  }

  static Sample readSample() { return {Clock::now(), readWaits(), readStolen()}; }

  /// Of the member that grew most.
  static double longestGrowth(const Waits& before, const Waits& after) {
    double longest = 0.0;
    for (const auto& [key, ms] : after) {
      const auto found = before.find(key);
      longest = std::max(longest, ms - (found == before.end() ? 0.0 : found->second));
    }
    return longest;
  }

  void sample(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      Sample sample = readSample();
      {
        const std::lock_guard lock(m_mutex);
        m_samples.push_back(std::move(sample));
        if (m_samples.size() > kNumKept) m_samples.pop_front();
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  mutable std::mutex m_mutex;
  std::deque<Sample> m_samples;
  std::jthread m_sampler;
};

WatchedApplication::WatchedApplication(int& argc, char** argv)
    : QGuiApplication(argc, argv),
      m_scheduler(std::make_unique<SchedulerClock>()),
      m_ready(std::make_unique<ReadyThreads>()) {}

WatchedApplication::~WatchedApplication() = default;

WatchedApplication::Uncounted::Uncounted()
    : m_application(dynamic_cast<WatchedApplication*>(QCoreApplication::instance())) {
  if (m_application) ++m_application->m_uncounted;
}

WatchedApplication::Uncounted::~Uncounted() {
  if (m_application) --m_application->m_uncounted;
}

bool WatchedApplication::notify(QObject* receiver, QEvent* event) {
  if (m_depth > 0 || m_uncounted > 0 || QThread::currentThread() != thread()) {
    return QGuiApplication::notify(receiver, event);
  }
  ++m_depth;
  const QString name = nameOf(receiver, event);  // The receiver may not live to the end.
  const SchedulerClock::Times before = m_scheduler->now();
  const auto begin = ReadyThreads::Clock::now();
  QElapsedTimer timer;
  timer.start();
  const bool handled = QGuiApplication::notify(receiver, event);
  const double wallMs = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
  --m_depth;
  if (wallMs < kWorthKeepingMs) return handled;
  const SchedulerClock::Times after = m_scheduler->now();
  const double ranMs = after.ran - before.ran;
  // A thread that never slept was only kept from running, by a virtual machine's host for one.
  const bool hasSlept = after.numSleeps != before.numSleeps || ranMs == 0.0;
  double ms = hasSlept ? wallMs - (after.waited - before.waited) : ranMs;
  if (hasSlept && ms > kMaxBlockedMs) ms = std::max(ranMs, ms - m_ready->longestSince(begin));
  if (ms >= kWorthKeepingMs) m_long.append(ms);
  if (ms > m_worst.ms) m_worst = {ms, ranMs, wallMs, name};
  return handled;
}

int WatchedApplication::numOver(double limitMs) const {
  return static_cast<int>(
      std::count_if(m_long.begin(), m_long.end(), [&](double ms) { return ms > limitMs; }));
}

void WatchedApplication::reset() {
  m_worst = {};
  m_long.clear();
}

}  // namespace quire
