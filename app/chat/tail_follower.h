#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractItemModel>
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
/// undone; `opening` only while following; the list's model is `model`, or none while `opening` and
/// that has no rows.
class TailFollower : public QObject {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQuickItem* view READ view WRITE setView NOTIFY viewChanged)
  /// The model to show, set here instead of in the list. A ListView first creates the rows at its
  /// beginning; with this property only those at its end are created, unless `opensAtStart`.
  Q_PROPERTY(QAbstractItemModel* model READ model WRITE setModel NOTIFY modelChanged)
  /// A model was set and the list is not at its end yet: it need not create a page of rows.
  Q_PROPERTY(bool opening READ isOpening NOTIFY openingChanged)
  Q_PROPERTY(bool following READ isFollowing NOTIFY followingChanged)
  /// The scale of the text. After it or the view's width changes, the kept line is found again by
  /// its relative position in its row.
  Q_PROPERTY(double textScale MEMBER m_textScale NOTIFY viewChanged)
  /// The view stays at its beginning when it grows beyond its height, until it is scrolled to its
  /// end.
  Q_PROPERTY(bool opensAtStart MEMBER m_opensAtStart NOTIFY viewChanged)

 public:
  using QObject::QObject;

  QQuickItem* view() const { return m_view; }
  void setView(QQuickItem* view);
  QAbstractItemModel* model() const { return m_model; }
  void setModel(QAbstractItemModel* model);
  bool isOpening() const { return m_opening; }
  bool isFollowing() const { return m_following; }

  /// Scrolls to the end and stays there.
  Q_INVOKABLE void follow();
  /// Stops following, because the view scrolls to another place.
  Q_INVOKABLE void letGo() { setFollowing(false); }

 signals:
  void viewChanged();
  void modelChanged();
  void openingChanged();
  void followingChanged();

 private slots:
  void onMoved();
  void onResized();
  void onWidthChanged();
  void onMovingChanged();
  void onFirstRows();

 private:
  /// Where the content ends, and the size of the view. If the list moves by itself, at least one of
  /// them changes.
  struct Extent {
    double end = 0.0;  ///< contentEnd().
    double width = 0.0;
    double height = 0.0;

    bool operator==(const Extent&) const = default;
  };
  struct Line {
    QPersistentModelIndex row;  ///< The row at the top of the view; invalid: none.
    double offset = 0.0;        ///< Distance from the row's top to the view's top, in pixels.
    double share = 0.0;         ///< The same as a fraction of the row's height.
    double width = 0.0;         ///< The view's width when `offset` was measured.
    double scale = 1.0;         ///< The text's scale at that time.
  };

  bool hasRows() const { return m_model && m_model->rowCount() > 0; }
  void showModel();
  void giveModel(QAbstractItemModel* model);
  void setOpening(bool opening);
  void finishOpening();
  void onLaidOut();
  double contentEnd() const;
  Extent extent() const;
  double distanceToEnd() const;
  bool isMoving() const;
  bool isUsersMove(double pixels, const Extent& before) const;
  bool isAtEnd() const;
  QQuickItem* bringToTop(int row) const;
  void noteLine();
  void holdLine();
  void setFollowing(bool following);
  void scheduleJump();
  Q_INVOKABLE void jump();

  QPointer<QQuickItem> m_view;
  QPointer<QAbstractItemModel> m_model;
  QPointer<QQuickItem> m_afterLayout;  ///< Calls onLaidOut() once the view has laid itself out.
  bool m_opening = false;
  bool m_following = true;
  bool m_opensAtStart = false;
  bool m_jumpScheduled = false;
  bool m_isJumping = false;  ///< jump() is moving the view.
  double m_lastY = 0.0;
  Extent m_extent;  ///< When the view last moved or changed its size.
  double m_textScale = 1.0;
  Line m_line;
  bool m_isHolding = false;  ///< holdLine() is moving the view.
  int m_numHolds = 0;        ///< Calls of holdLine() in this turn of the event loop.
};

}  // namespace quire
