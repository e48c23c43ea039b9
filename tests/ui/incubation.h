#pragma once

#include <QDeadlineTimer>
#include <QQmlEngine>
#include <QQmlIncubationController>

namespace quire {

/// Finishes the objects that an engine still incubates, before it is deleted: Qt 6.4 would leak
/// them, with a warning that fails a test. The program waits for them less long than a busy machine
/// may take.
inline void finishIncubation(QQmlEngine& engine) {
  constexpr int kLongestMs = 60'000;  // A protection against an object that never gets ready.
  constexpr int kSliceMs = 20;
  QQmlIncubationController* controller = engine.incubationController();
  const QDeadlineTimer deadline(kLongestMs);
  while (controller && controller->incubatingObjectCount() > 0 && !deadline.hasExpired())
    controller->incubateFor(kSliceMs);
}

}  // namespace quire
