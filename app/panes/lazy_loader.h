#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointer>
#include <QQmlComponent>
#include <QQmlIncubator>
#include <QQuickItem>

namespace quire {

/// Creates an item of `delegate` that fills it, when it is wanted: at once before `isOpen`, in
/// steps beside the window's events afterwards. Loader refuses bound inline components in Qt 6.4.
/// Loader and Instantiator also delete an item that is half created, and then Qt 6.4 crashes in
/// Menus, or evaluates bindings of deleted objects. This class always finishes the creation before
/// it deletes an item.
///
/// Thread: the window's.
class LazyLoader : public QQuickItem, private QQmlIncubator {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQmlComponent* delegate MEMBER m_delegate NOTIFY delegateChanged)
  Q_PROPERTY(bool isOpen MEMBER m_isOpen NOTIFY isOpenChanged REQUIRED)
  Q_PROPERTY(bool isWanted READ isWanted WRITE setWanted NOTIFY isWantedChanged REQUIRED)
  /// Wanted and not there yet.
  Q_PROPERTY(bool isAwaited READ isAwaited NOTIFY isAwaitedChanged)

 public:
  explicit LazyLoader(QQuickItem* parent = nullptr);
  ~LazyLoader() override;

  bool isWanted() const { return m_isWanted; }
  void setWanted(bool isWanted);
  bool isAwaited() const { return m_isWanted && !m_item; }

  /// Creates the rest at once. To be called before an item around it is removed: a delegate of a
  /// Repeater has lost its context when it is deleted.
  Q_INVOKABLE void finish();

 signals:
  void delegateChanged();
  void isOpenChanged();
  void isWantedChanged();
  void isAwaitedChanged();
  void placed(QQuickItem* made);

 protected:
  void componentComplete() override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  void setInitialState(QObject* object) override;
  void statusChanged(Status status) override;
  void follow();
  void create();

  QQmlComponent* m_delegate = nullptr;
  QPointer<QQuickItem> m_item;  ///< When it is whole.
  bool m_isOpen = false;
  bool m_isWanted = false;
};

}  // namespace quire
