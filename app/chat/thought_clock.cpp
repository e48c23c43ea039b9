#include "app/chat/thought_clock.h"

#include <QLocale>

#include <algorithm>

namespace quire {

void ThoughtClock::note(RecordId answer, bool isThinking) {
  const auto running = m_running.find(answer);
  if (isThinking && running == m_running.end()) m_running[answer].start();
  if (isThinking || running == m_running.end()) return;
  m_seconds[answer] += static_cast<double>(running->nsecsElapsed()) * 1e-9;
  m_running.erase(running);
}

std::optional<double> ThoughtClock::seconds(RecordId answer) const {
  return m_seconds.contains(answer) ? std::optional(m_seconds.value(answer)) : std::nullopt;
}

double ThoughtClock::estimate(const MessageRecord& answer, qsizetype thoughtLength) {
  if (answer.text().isEmpty()) return 0.0;
  const double writing = std::max(0.0, answer.totalMs - answer.firstTokenMs) / 1000.0;
  return writing * static_cast<double>(thoughtLength) / static_cast<double>(answer.text().size());
}

QString ThoughtClock::text(double seconds, bool isEstimate) {
  constexpr double kMinute = 60.0;
  constexpr double kShown = 0.05;
  if (seconds < kShown) return tr("Thought");
  const QString form = isEstimate ? tr("Thought for about %1") : tr("Thought for %1");
  if (seconds < kMinute) {
    return form.arg(tr("%1 s").arg(QLocale().toString(seconds, 'f', seconds < 10.0 ? 1 : 0)));
  }
  const int whole = static_cast<int>(seconds);
  return form.arg(tr("%1 min %2 s").arg(whole / 60).arg(whole % 60));
}

}  // namespace quire
