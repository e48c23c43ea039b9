#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPersistentModelIndex>
#include <QPointer>
#include <QQuickItem>

namespace quire {

/// Keeps a list at its end while it grows, but only as long as the reader is there: scrolling up
/// lets go, coming back to the end takes hold again. Elsewhere the line at the top of the view
/// stays where it is, whatever changes its height above it. Thread: the window's.
class TailFollower : public QObject {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQuickItem* view READ view WRITE setView NOTIFY viewChanged)
  Q_PROPERTY(bool following READ isFollowing NOTIFY followingChanged)
  /// With another size of the text, or another width, the line is found again by its share of its
  /// row's height.
  Q_PROPERTY(double textScale MEMBER m_textScale NOTIFY viewChanged)

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
  QQuickItem* itemAt(int row) const;
  void noteLine();
  Q_INVOKABLE void holdLine();
  void setFollowing(bool following);
  void scheduleJump();
  Q_INVOKABLE void jump();

  QPointer<QQuickItem> m_view;
  bool m_following = true;
  bool m_jumpScheduled = false;
  double m_lastY = 0.0;
  double m_lastHeight = 0.0;
  double m_textScale = 1.0;

  QPersistentModelIndex m_line;  ///< The row at the top of the view,
  double m_lineOffset = 0.0;     ///< how far down in it the view begins,
  double m_lineShare = 0.0;      ///< of its height,
  double m_lineY = 0.0;          ///< where the row was in the list,
  double m_lineWidth = 0.0;      ///< and the width and scale at which that was.
  double m_lineScale = 1.0;
  int m_holdsLeft = 0;
};

}  // namespace quire
