#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPersistentModelIndex>
#include <QPointer>
#include <QQuickItem>

namespace quire {

/// Keeps a list at its end while it grows, but only as long as the reader is there: scrolling up
/// lets go, coming back to the end takes hold again. Elsewhere the line at the top of the view
/// stays where it is, whatever changes its height above it.
///
/// Thread: the window's.
/// Invariants: a line is held only while not following, and it is always the one that the reader
/// reached last: a move that is not this object's own is the reader's, and is never undone.
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
  struct Line {
    QPersistentModelIndex row;  ///< The row at the top of the view; invalid: none.
    double offset = 0.0;        ///< How far down in it the view begins, in pixels,
    double share = 0.0;         ///< and as a share of its height.
    double width = 0.0;         ///< The view's, and the text's scale, that `offset` was taken at.
    double scale = 1.0;
  };

  double distanceToEnd() const;
  QQuickItem* itemAt(int row) const;
  QQuickItem* bringToTop(int row) const;
  void noteLine();
  void holdLine();
  void setFollowing(bool following);
  void scheduleJump();
  Q_INVOKABLE void jump();

  QPointer<QQuickItem> m_view;
  QPointer<QQuickItem> m_afterLayout;  ///< Calls holdLine() once the view has laid itself out.
  bool m_following = true;
  bool m_jumpScheduled = false;
  double m_lastY = 0.0;
  double m_lastHeight = 0.0;
  double m_textScale = 1.0;
  Line m_line;
  bool m_isHolding = false;  ///< The move that is under way is this object's own.
  int m_numHolds = 0;        ///< In this turn of the event loop.
};

}  // namespace quire
