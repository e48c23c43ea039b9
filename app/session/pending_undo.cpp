#include "app/session/pending_undo.h"

#include <utility>

namespace quire {
namespace {

constexpr int kUndoMs = 8000;

}  // namespace

PendingUndo::PendingUndo(QObject* parent) : QObject(parent) {
  m_timer.setSingleShot(true);
  m_timer.setInterval(kUndoMs);
  connect(&m_timer, &QTimer::timeout, this, &PendingUndo::finish);
}

void PendingUndo::offer(const QString& text, std::function<void()> undo,
                        std::function<void()> finish) {
  this->finish();
  m_text = text;
  m_undo = std::move(undo);
  m_finish = std::move(finish);
  m_timer.start();
  emit changed();
}

void PendingUndo::end(const std::function<void()>& act) {
  if (m_text.isEmpty()) return;
  const std::function<void()> last = act;
  m_timer.stop();
  m_text.clear();
  m_undo = m_finish = nullptr;
  if (last) last();
  emit changed();
}

}  // namespace quire
