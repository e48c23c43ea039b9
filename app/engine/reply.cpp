#include "app/engine/reply.h"

#include <QCoreApplication>
#include <QThread>
#include <QTimer>

namespace quire {

Receiver::Receiver(QObject* object)
    : m_target(new Target, [](Target* target) {
        // At the end of the application its queue is cleared under a lock, so nothing can be
        // posted.
        QCoreApplication::instance() ? target->deleteLater() : delete target;
      }) {
  m_target->object = object;
  m_target->moveToThread(object->thread());
}

void Receiver::post(std::function<void()> function, int delayMs) const {
  const auto run = [target = m_target, function = std::move(function)] {
    if (target->object) function();
  };
  QMetaObject::invokeMethod(
      m_target.get(),
      [target = m_target.get(), delayMs, run] {
        if (delayMs <= 0) return run();
        QTimer::singleShot(delayMs, Qt::PreciseTimer, target, run);
      },
      Qt::QueuedConnection);
}

bool Receiver::isCurrentThread() const {
  return QThread::currentThread() == m_target->thread();
}

}  // namespace quire
