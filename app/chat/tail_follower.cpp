#include "app/chat/tail_follower.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "app/chat/text_areas.h"

namespace quire {
namespace {

constexpr double kAtEndPixels = 24.0;
/// A move up of more pixels is the user's, even if the rows changed at the same time.
constexpr double kSurePixels = 100.0;
/// The most times that rows which a move creates may cause another move, while the position is held
/// and while the end is followed.
constexpr int kMaxHolds = 4;
constexpr int kMaxMoves = 4;
/// Items of a list from which on its pool is worth using: about half a page.
constexpr qsizetype kPooledRows = 10;

/// An item that is polished after the view: when the view has placed its rows and before they are
/// painted.
class AfterLayout : public QQuickItem {
 public:
  AfterLayout(QQuickItem* view, const std::function<void()>& then)
      : QQuickItem(view), m_then(then) {}

 protected:
  void updatePolish() override { m_then(); }

 private:
  const std::function<void()> m_then;
};

}  // namespace

void TailFollower::setView(QQuickItem* view) {
  if (view == m_view) return;
  if (m_view) disconnect(m_view, nullptr, this, nullptr);
  delete m_afterLayout;
  m_view = view;
  m_opening = false;
  m_line = {};
  if (m_view) {
    m_afterLayout = new AfterLayout(m_view, [self = QPointer(this)] {
      if (self) self->onLaidOut();
    });
    // Flickable has no public C++ header: its signals are connected by name.
    connect(m_view, SIGNAL(contentYChanged()), this, SLOT(onMoved()));
    connect(m_view, SIGNAL(contentHeightChanged()), this, SLOT(onResized()));
    connect(m_view, SIGNAL(originYChanged()), this, SLOT(onResized()));
    connect(m_view, SIGNAL(heightChanged()), this, SLOT(onResized()));
    connect(m_view, SIGNAL(widthChanged()), this, SLOT(onWidthChanged()));
    connect(m_view, SIGNAL(movingChanged()), this, SLOT(onMovingChanged()));
    if (m_model) showModel();
  }
  emit viewChanged();
}

void TailFollower::setModel(QAbstractItemModel* model) {
  if (model == m_model) return;
  if (m_model) disconnect(m_model, nullptr, this, nullptr);
  m_model = model;
  if (m_view) showModel();
  emit modelChanged();
}

void TailFollower::showModel() {
  QMetaObject::invokeMethod(m_view, "cancelFlick");
  setFollowing(!m_opensAtStart);
  setOpening(m_following && m_model);
  // The rows of the model before are in the list's pool until its next layout. With a page of them
  // a jump costs less now; without, it is an event of its own.
  const auto* content = m_view->property("contentItem").value<QQuickItem*>();
  const bool canReuse = content && content->childItems().size() >= kPooledRows;
  giveModel(m_opening && !hasRows() ? nullptr : m_model);
  m_line = {};
  if (!m_opening) return;
  if (hasRows()) return canReuse ? jump() : onFirstRows();
  connect(m_model, &QAbstractItemModel::rowsInserted, this, &TailFollower::onFirstRows,
          Qt::SingleShotConnection);
}

void TailFollower::giveModel(QAbstractItemModel* model) {
  const bool wasJumping = std::exchange(m_isJumping, true);
  m_view->setProperty("model", QVariant::fromValue(model));
  m_isJumping = wasJumping;
}

/// Schedules the jump to the end for the next turn of the event loop, and for the next layout if
/// that comes first.
void TailFollower::onFirstRows() {
  scheduleJump();
  if (m_afterLayout) m_afterLayout->polish();
}

void TailFollower::setOpening(bool opening) {
  if (opening == m_opening) return;
  m_opening = opening;
  emit openingChanged();
}

void TailFollower::finishOpening() {
  if (!m_opening || !m_model) return;
  // Not given while it was empty: a list creates a whole page of the rows that are inserted later.
  if (m_view->property("model").value<QAbstractItemModel*>() != m_model) giveModel(m_model);
  setOpening(false);
}

void TailFollower::onLaidOut() {
  if (m_opening && m_view && hasRows()) return jump();
  holdLine();
}

/// Where the content ends: below the last row if it has an item. `contentHeight` is only an
/// estimate of that while rows are created, and the list changes it after it has moved them.
double TailFollower::contentEnd() const {
  const int last = m_view->property("count").toInt() - 1;
  const QQuickItem* item = last < 0 ? nullptr : rowItem(m_view, last);
  if (item) return item->y() + item->height();
  return m_view->property("originY").toDouble() + m_view->property("contentHeight").toDouble();
}

TailFollower::Extent TailFollower::extent() const {
  return {.end = contentEnd(), .width = m_view->width(), .height = m_view->height()};
}

double TailFollower::distanceToEnd() const {
  return contentEnd() + m_view->property("bottomMargin").toDouble() -
         (m_view->property("contentY").toDouble() + m_view->height());
}

bool TailFollower::isMoving() const {
  return m_view->property("moving").toBool();
}

/// A view that shows everything is at its beginning and at its end.
bool TailFollower::isAtEnd() const {
  const bool isWhole = m_view->property("contentHeight").toDouble() <= m_view->height();
  return distanceToEnd() <= kAtEndPixels && !(m_opensAtStart && isWhole);
}

void TailFollower::setFollowing(bool following) {
  if (following == m_following) return;
  m_following = following;
  m_line = {};
  if (!m_following && m_view) {
    finishOpening();
    noteLine();
  }
  emit followingChanged();
}

void TailFollower::follow() {
  setFollowing(true);
  scheduleJump();
}

/// Whether a move up to where the content does not end is the user's. The list itself moves up only
/// to the end of rows that have become lower, and the rows change with it.
bool TailFollower::isUsersMove(double pixels, const Extent& before) const {
  return pixels > 0.0 && (isMoving() || m_extent == before || pixels > kSurePixels);
}

void TailFollower::onMoved() {
  const double y = m_view->property("contentY").toDouble();
  const double lastY = std::exchange(m_lastY, y);
  const Extent before = std::exchange(m_extent, extent());
  if (m_isHolding) return;  // The end of the list is only an estimate then.
  if (isAtEnd()) {
    setFollowing(true);
  } else if (!m_isJumping && isUsersMove(lastY - y, before)) {
    setFollowing(false);
  } else if (m_following) {
    scheduleJump();
  }
  if (!m_following) noteLine();
}

void TailFollower::onResized() {
  m_extent = extent();
  if (m_following) return scheduleJump();
  if (m_line.row.isValid() && m_afterLayout) m_afterLayout->polish();
}

/// A kept line is found again when the rows have their new heights.
void TailFollower::onWidthChanged() {
  if (m_following) onResized();
}

/// What came during the user's scrolling, if that did not leave the end.
void TailFollower::onMovingChanged() {
  if (m_following && !isMoving()) scheduleJump();
}

/// Jumps once for all changes of one turn of the event loop, after the view has laid them out.
void TailFollower::scheduleJump() {
  if (m_jumpScheduled || m_isJumping) return;
  m_jumpScheduled = true;
  QMetaObject::invokeMethod(this, &TailFollower::jump, Qt::QueuedConnection);
}

void TailFollower::jump() {
  m_jumpScheduled = false;
  // A jump would end the user's scrolling before it has left the end.
  if (!m_view || !m_following || isMoving()) return;
  m_isJumping = true;
  if (hasRows()) finishOpening();
  // Rows that a move creates may be higher or lower than the list expected, so one move may not
  // reach the end.
  for (int i = 0; i < kMaxMoves; ++i) {
    QMetaObject::invokeMethod(m_view, "positionViewAtEnd");
    // positionViewAtEnd leaves out the margin below the last row.
    const double rest = distanceToEnd();
    if (rest > 0.0 && rest <= m_view->property("bottomMargin").toDouble()) {
      m_view->setProperty("contentY", m_view->property("contentY").toDouble() + rest);
    }
    if (distanceToEnd() < 1.0) break;
  }
  m_isJumping = false;
}

/// Scrolls to a row that the view has released because it was far out of sight.
QQuickItem* TailFollower::bringToTop(int row) const {
  QMetaObject::invokeMethod(m_view, "positionViewAtIndex", Q_ARG(int, row), Q_ARG(int, 0));
  return rowItem(m_view, row);
}

/// Stores the line at the top of the view.
void TailFollower::noteLine() {
  m_line = {};
  const double y = m_view->property("contentY").toDouble();
  // Kept, the footer of an answer without text would pull the view down with it.
  if (m_opensAtStart && y <= m_view->property("originY").toDouble()) return;
  int row = -1;
  QMetaObject::invokeMethod(m_view, "indexAt", Q_RETURN_ARG(int, row),
                            Q_ARG(double, m_view->width() / 2), Q_ARG(double, y + 1));
  const QQuickItem* item = row < 0 ? nullptr : rowItem(m_view, row);
  if (!m_model || !item) return;
  m_line = {.row = QPersistentModelIndex(m_model->index(row, 0)),
            .offset = y - item->y(),
            .share = item->height() > 0.0 ? (y - item->y()) / item->height() : 0.0,
            .width = m_view->width(),
            .scale = m_textScale};
}

/// Scrolls the stored line to the top again, unless the user is scrolling.
void TailFollower::holdLine() {
  if (!m_view || m_following || !m_line.row.isValid()) return;
  if (isMoving()) return noteLine();
  if (m_numHolds == 0) {
    QMetaObject::invokeMethod(
        this, [this] { m_numHolds = 0; }, Qt::QueuedConnection);
  }
  if (++m_numHolds > kMaxHolds) return;
  m_isHolding = true;
  const int row = m_line.row.row();
  const QQuickItem* known = rowItem(m_view, row);
  const QQuickItem* item = known ? known : bringToTop(row);
  if (item) {
    if (m_line.width != m_view->width() || m_line.scale != m_textScale) {
      m_line.offset = m_line.share * item->height();
      m_line.width = m_view->width();
      m_line.scale = m_textScale;
    }
    const double y = std::round(item->y() + std::min(m_line.offset, item->height()));
    if (std::abs(y - m_view->property("contentY").toDouble()) >= 1.0) {
      m_view->setProperty("contentY", y);
    }
  }
  m_isHolding = false;
}

}  // namespace quire
