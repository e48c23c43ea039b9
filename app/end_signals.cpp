#include "app/end_signals.h"

#include <QCoreApplication>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

namespace quire {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

/// Where the handler writes to, because it may do little else. Never closed: a handler may run
/// while the object is destroyed.
std::array<int, 2> signalPipe = {-1, -1};

constexpr int64_t kGraceMs = 5000;  ///< For saving, if it is asked to end again.

/// When the first signal came; 0 before it.
std::atomic<int64_t> firstMs = 0;
static_assert(std::atomic<int64_t>::is_always_lock_free, "A handler takes no locks.");

int64_t monotonicMs() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// A session that ends sends SIGTERM and at once SIGHUP, a closed terminal SIGHUP twice. Only a
/// user types SIGINT twice.
void onSignal(int number) {
  const int error = errno;
  const int64_t nowMs = monotonicMs();
  int64_t none = 0;
  if (firstMs.compare_exchange_strong(none, nowMs)) {
    const char byte = 1;
    static_cast<void>(!::write(signalPipe[1], &byte, 1));
  } else if (number == SIGINT || nowMs - firstMs >= kGraceMs) {
    ::signal(number, SIG_DFL);
    ::raise(number);  // It comes when this handler has returned.
  }
  errno = error;
}

/// In place of `expected`: another choice, such as to ignore the signal, stays.
void replaceHandler(void (*expected)(int), void (*handler)(int)) {
  for (const int number : kSignals) {
    struct sigaction now = {};
    if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler != expected) continue;
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace

EndSignals::EndSignals() {
  if (signalPipe[0] < 0 && ::pipe2(signalPipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  m_notifier = std::make_unique<QSocketNotifier>(signalPipe[0], QSocketNotifier::Read);
  QObject::connect(m_notifier.get(), &QSocketNotifier::activated, [] {
    char byte = 0;
    static_cast<void>(!::read(signalPipe[0], &byte, 1));
    QCoreApplication::quit();
  });
  firstMs = 0;
  replaceHandler(SIG_DFL, onSignal);
}

EndSignals::~EndSignals() {
  replaceHandler(onSignal, SIG_DFL);
}

}  // namespace quire
