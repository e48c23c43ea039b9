#include "app/panes/lazy_loader.h"

#include <QQmlContext>
#include <QQmlError>

#include <utility>

namespace quire {
namespace {

void collect(const QQuickItem& item, QList<QPointer<QQuickItem>>* found) {
  for (QQuickItem* child : item.childItems()) {
    found->append(child);
    collect(*child, found);
  }
}

/// Deletes an item, if there is one, with the delegates in it, which a Repeater would delete an
/// event later. Until then their bindings would react to models that still exist and use ids that
/// do not.
void remove(QQuickItem* item) {
  QList<QPointer<QQuickItem>> inside;
  if (item) collect(*item, &inside);
  delete item;
  for (const QPointer<QQuickItem>& left : inside) delete left.data();
}

}  // namespace

LazyLoader::LazyLoader(QQuickItem* parent)
    : QQuickItem(parent), QQmlIncubator(QQmlIncubator::Asynchronous) {}

LazyLoader::~LazyLoader() {
  finish();
  for (QQuickItem* item : childItems()) remove(item);
  remove(m_item);  // It may have never been shown.
}

void LazyLoader::setWanted(bool isWanted) {
  if (isWanted == m_isWanted) return;
  m_isWanted = isWanted;
  emit isWantedChanged();
  if (isComponentComplete()) follow();
  emit isAwaitedChanged();
}

void LazyLoader::setKept(bool isKept) {
  if (isKept == m_isKept) return;
  m_isKept = isKept;
  emit isKeptChanged();
  if (isComponentComplete()) follow();
}

void LazyLoader::finish() {
  if (isLoading()) forceCompletion();
}

void LazyLoader::componentComplete() {
  QQuickItem::componentComplete();
  follow();
}

/// What is not wanted is not laid out again.
void LazyLoader::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  if (m_item && m_isWanted) m_item->setSize(now.size());
}

void LazyLoader::setInitialState(QObject* object) {
  object->setParent(this);
}

void LazyLoader::statusChanged(Status status) {
  if (status == Error) {
    for (const QQmlError& error : errors()) qWarning("%s", qUtf8Printable(error.toString()));
  }
  if (status == Ready) {
    m_item = qobject_cast<QQuickItem*>(object());
    follow();
  }
  if (status != Null) announceEmpty();  // When it is cleared, its item is still to be deleted.
}

void LazyLoader::announceEmpty() {
  if (std::exchange(m_wasEmpty, isEmpty()) != isEmpty()) emit isEmptyChanged();
}

void LazyLoader::follow() {
  if (m_isWanted && isNull()) {
    create();
  } else if (m_isWanted && m_item) {
    place();
  } else if (mayDelete()) {
    // Later, because a click in the item may have caused this.
    QMetaObject::invokeMethod(this, &LazyLoader::deleteUnwanted, Qt::QueuedConnection);
  }
}

void LazyLoader::create() {
  if (!m_delegate) return;
  m_delegate->create(*this, m_delegate->creationContext());
  if (!m_isOpen) finish();
}

/// Shows the item, which is whole.
void LazyLoader::place() {
  m_item->setSize(size());
  if (m_item->parentItem() == this) return;
  m_item->setParentItem(this);
  emit isAwaitedChanged();
  emit placed(m_item);
}

void LazyLoader::deleteUnwanted() {
  if (!mayDelete()) return;  // It is wanted again.
  clear();
  remove(std::exchange(m_item, nullptr));
  announceEmpty();
}

}  // namespace quire
