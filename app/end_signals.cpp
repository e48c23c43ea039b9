#include "app/end_signals.h"

#include <QCoreApplication>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>

namespace quire {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

/// Where the handler writes to, because it may do little else. Never closed: a handler may run
/// while the object is destroyed.
std::array<int, 2> signalPipe = {-1, -1};

void onSignal(int) {
  const char byte = 1;
  static_cast<void>(!::write(signalPipe[1], &byte, 1));
  for (const int number : kSignals) ::signal(number, SIG_DFL);
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
  replaceHandler(SIG_DFL, onSignal);
}

EndSignals::~EndSignals() {
  replaceHandler(onSignal, SIG_DFL);
}

}  // namespace quire
