#include "app/session/text_announcer.h"

#include <QAbstractItemModel>
#include <QDeadlineTimer>
#include <QMetaProperty>
#include <QScopedValueRollback>

namespace quire {
namespace {

constexpr int kSliceMs = 5;  // Leaves time for a frame and a key press.

void announceRows(QAbstractItemModel* model) {
  const int rows = model->rowCount();
  if (rows == 0) return;
  QMetaObject::invokeMethod(model, "dataChanged", Q_ARG(QModelIndex, model->index(0, 0)),
                            Q_ARG(QModelIndex, model->index(rows - 1, 0)));
}

/// The objects that its properties point to.
QList<QObject*> objectsOf(const QObject* object) {
  QList<QObject*> found;
  const QMetaObject& meta = *object->metaObject();
  for (int i = QObject::staticMetaObject.propertyCount(); i < meta.propertyCount(); ++i) {
    const QMetaProperty property = meta.property(i);
    if (!property.metaType().flags().testFlag(QMetaType::PointerToQObject)) continue;
    if (auto* next = property.read(object).value<QObject*>()) found.append(next);
  }
  return found;
}

/// The signals of its properties, each once.
QList<QMetaMethod> signalsOf(const QObject* object) {
  QList<QMetaMethod> found;
  const QMetaObject& meta = *object->metaObject();
  for (int i = QObject::staticMetaObject.propertyCount(); i < meta.propertyCount(); ++i) {
    const QMetaMethod signal = meta.property(i).notifySignal();
    if (signal.isValid() && signal.parameterCount() == 0 && !found.contains(signal))
      found.append(signal);
  }
  return found;
}

}  // namespace

TextAnnouncer::TextAnnouncer(QObject& root, QObject* parent) : QObject(parent), m_root(&root) {
  m_timer.setInterval(0);
  connect(&m_timer, &QTimer::timeout, this, &TextAnnouncer::announceSlice);
}

void TextAnnouncer::announce() {
  m_seen.clear();
  m_signals.clear();
  m_waiting = {m_root};
  m_timer.start();
}

void TextAnnouncer::announceSlice() {
  const QDeadlineTimer deadline(kSliceMs);
  while (isBusy() && !deadline.hasExpired()) {
    if (m_signals.isEmpty()) {
      visit(m_waiting.takeFirst());
    } else {
      emitNext();
    }
  }
  if (isBusy()) return;
  m_timer.stop();
  m_seen.clear();
}

void TextAnnouncer::visit(QObject* object) {
  if (!object || m_seen.contains(object)) return;
  m_seen.insert(object);
  for (QObject* next : objectsOf(object)) m_waiting.append(next);
  for (QObject* child : object->children()) m_waiting.append(child);
  for (const QMetaMethod& signal : signalsOf(object)) m_signals.append({object, signal});
  const QScopedValueRollback speaking(s_isSpeaking, true);
  if (auto* model = qobject_cast<QAbstractItemModel*>(object)) announceRows(model);
}

void TextAnnouncer::emitNext() {
  const Signal next = m_signals.takeFirst();
  const QScopedValueRollback speaking(s_isSpeaking, true);
  if (next.object) next.method.invoke(next.object);
}

}  // namespace quire
