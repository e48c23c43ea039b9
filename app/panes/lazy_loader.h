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
/// it deletes an item: one that is no longer wanted in the same steps, without showing it.
///
/// Thread: the window's.
class LazyLoader : public QQuickItem, private QQmlIncubator {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQmlComponent* delegate MEMBER m_delegate NOTIFY delegateChanged)
  Q_PROPERTY(bool isOpen MEMBER m_isOpen NOTIFY isOpenChanged REQUIRED)
  Q_PROPERTY(bool isWanted READ isWanted WRITE setWanted NOTIFY isWantedChanged REQUIRED)
  /// What is not wanted is not deleted yet: it may be wanted again.
  Q_PROPERTY(bool isKept READ isKept WRITE setKept NOTIFY isKeptChanged)
  /// Nothing was created, or it was deleted again.
  Q_PROPERTY(bool isEmpty READ isEmpty NOTIFY isEmptyChanged)
  /// Wanted and not there yet.
  Q_PROPERTY(bool isAwaited READ isAwaited NOTIFY isAwaitedChanged)

 public:
  explicit LazyLoader(QQuickItem* parent = nullptr);
  ~LazyLoader() override;

  bool isWanted() const { return m_isWanted; }
  void setWanted(bool isWanted);
  bool isKept() const { return m_isKept; }
  void setKept(bool isKept);
  bool isEmpty() const { return isNull() || isError(); }
  bool isAwaited() const { return m_isWanted && !m_item; }

  /// Creates the rest at once. To be called before an item around it is removed: a delegate of a
  /// Repeater has lost its context when it is deleted.
  Q_INVOKABLE void finish();

 signals:
  void delegateChanged();
  void isOpenChanged();
  void isWantedChanged();
  void isKeptChanged();
  void isEmptyChanged();
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
  void place();
  bool mayDelete() const { return !m_isWanted && !m_isKept && isReady(); }
  void deleteUnwanted();
  void announceEmpty();

  QQmlComponent* m_delegate = nullptr;
  QPointer<QQuickItem> m_item;  ///< When it is whole.
  bool m_isOpen = false;
  bool m_isWanted = false;
  bool m_isKept = false;
  bool m_wasEmpty = true;  ///< As it was announced last.
};

}  // namespace quire
