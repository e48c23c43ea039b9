#include "app/viewmodels/session/text_announcer.h"

#include <QAbstractItemModel>
#include <QDeadlineTimer>
#include <QMetaMethod>
#include <QMetaProperty>
#include <QScopedValueRollback>

#include "app/viewmodels/session/interface_language.h"

namespace quire {
namespace {

bool s_isSpeaking = false;
constexpr int kSliceMs = 5;  // A frame and a key have room beside it.

void announceRows(QAbstractItemModel* model) {
  const int rows = model->rowCount();
  if (rows == 0) return;
  QMetaObject::invokeMethod(model, "dataChanged", Q_ARG(QModelIndex, model->index(0, 0)),
                            Q_ARG(QModelIndex, model->index(rows - 1, 0)));
}

/// Emits each of its properties' signals once; the objects that it leads to.
QList<QObject*> announceProperties(QObject* object) {
  QList<QObject*> found;
  QSet<int> emitted;
  const QMetaObject& meta = *object->metaObject();
  for (int i = QObject::staticMetaObject.propertyCount(); i < meta.propertyCount(); ++i) {
    const QMetaProperty property = meta.property(i);
    if (property.metaType().flags().testFlag(QMetaType::PointerToQObject)) {
      if (auto* next = property.read(object).value<QObject*>()) found.append(next);
    }
    if (!property.hasNotifySignal() || emitted.contains(property.notifySignalIndex())) continue;
    emitted.insert(property.notifySignalIndex());
    const QMetaMethod signal = property.notifySignal();
    if (signal.parameterCount() == 0) signal.invoke(object);
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
  m_waiting = {m_root};
  m_timer.start();
}

void TextAnnouncer::announceSlice() {
  const QDeadlineTimer deadline(kSliceMs);
  while (!m_waiting.isEmpty() && !deadline.hasExpired()) {
    // A language that announced its change again would be asked to announce it for ever.
    QObject* object = m_waiting.takeFirst();
    if (object && !m_seen.contains(object) && !qobject_cast<InterfaceLanguage*>(object))
      announceOne(object);
  }
  if (!m_waiting.isEmpty()) return;
  m_timer.stop();
  m_seen.clear();
}

bool TextAnnouncer::isSpeaking() {
  return s_isSpeaking;
}

void TextAnnouncer::announceOne(QObject* object) {
  const QScopedValueRollback speaking(s_isSpeaking, true);
  m_seen.insert(object);
  const QPointer<QObject> alive = object;
  for (QObject* next : announceProperties(object)) m_waiting.append(next);
  if (!alive) return;
  for (QObject* child : object->children()) m_waiting.append(child);
  if (auto* model = qobject_cast<QAbstractItemModel*>(object)) announceRows(model);
}

}  // namespace quire
