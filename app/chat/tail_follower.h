#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPersistentModelIndex>
#include <QPointer>
#include <QQuickItem>

namespace quire {

/// Keeps a list scrolled to its end while it grows, until the user scrolls up; scrolling to the end
/// resumes that. Otherwise it keeps the line at the top of the view in place when rows above change
/// their height.
///
/// Thread: the window's.
/// Invariants: a line is kept in place only while not following; the user's scrolling is never
/// undone.
class TailFollower : public QObject {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQuickItem* view READ view WRITE setView NOTIFY viewChanged)
  Q_PROPERTY(bool following READ isFollowing NOTIFY followingChanged)
  /// After a change of the text size or the width, the line is found by its share of its row's
  /// height.
  Q_PROPERTY(double textScale MEMBER m_textScale NOTIFY viewChanged)

 public:
  using QObject::QObject;

  QQuickItem* view() const { return m_view; }
  void setView(QQuickItem* view);
  bool isFollowing() const { return m_following; }

  /// Scrolls to the end and stays there.
  Q_INVOKABLE void follow();
  /// Stops following: the view scrolls elsewhere.
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
