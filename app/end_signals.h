#pragma once

#include <QSocketNotifier>

#include <memory>

namespace quire {

/// Ends the application as its user would when another program asks for that: at the first SIGINT,
/// SIGTERM or SIGHUP it calls QCoreApplication::quit(), which closes the windows first. A SIGINT
/// after it ends the program at once, and so do the others after five seconds, in which they do
/// nothing. A signal that is ignored (nohup) stays ignored.
///
/// Thread: the application's. One exists at a time.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

 private:
  std::unique_ptr<QSocketNotifier> m_notifier;
};

}  // namespace quire
