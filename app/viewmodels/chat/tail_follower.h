#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>
#include <QQuickItem>

namespace quire {

/// Keeps a list at its end while it grows, but only as long as the reader is there: scrolling up
/// lets go, coming back to the end takes hold again. Thread: the window's.
class TailFollower : public QObject {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQuickItem* view READ view WRITE setView NOTIFY viewChanged)
  Q_PROPERTY(bool following READ isFollowing NOTIFY followingChanged)

 public:
  using QObject::QObject;

  QQuickItem* view() const { return m_view; }
  void setView(QQuickItem* view);
  bool isFollowing() const { return m_following; }

  /// To the end, and stay there.
  Q_INVOKABLE void follow();
  /// The reader is led elsewhere.
  Q_INVOKABLE void letGo() { setFollowing(false); }

 signals:
  void viewChanged();
  void followingChanged();

 private slots:
  void onMoved();
  void onResized();

 private:
  double distanceToEnd() const;
  void setFollowing(bool following);
  void scheduleJump();
  Q_INVOKABLE void jump();

  QPointer<QQuickItem> m_view;
  bool m_following = true;
  bool m_jumpScheduled = false;
  double m_lastY = 0.0;
  double m_lastHeight = 0.0;
};

}  // namespace quire
