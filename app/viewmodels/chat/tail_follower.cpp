#include "app/viewmodels/chat/tail_follower.h"

#include <QAbstractItemModel>
#include <QTimer>

#include <cmath>
#include <utility>

namespace quire {
namespace {

constexpr double kAtEndPixels = 24.0;
/// A move up that far is the reader's, though rows that it brings into being change the size too.
constexpr double kSurePixels = 100.0;
constexpr int kHolds = 5;  ///< Frames.
constexpr int kFrameMs = 16;

}  // namespace

void TailFollower::setView(QQuickItem* view) {
  if (view == m_view) return;
  if (m_view) disconnect(m_view, nullptr, this, nullptr);
  m_view = view;
  if (m_view) {
    // Flickable has no public C++ header: its signals are connected by name.
    connect(m_view, SIGNAL(contentYChanged()), this, SLOT(onMoved()));
    connect(m_view, SIGNAL(contentHeightChanged()), this, SLOT(onResized()));
    connect(m_view, SIGNAL(originYChanged()), this, SLOT(onResized()));
    connect(m_view, SIGNAL(heightChanged()), this, SLOT(onResized()));
  }
  emit viewChanged();
}

double TailFollower::distanceToEnd() const {
  const double end = m_view->property("originY").toDouble() +
                     m_view->property("contentHeight").toDouble() +
                     m_view->property("bottomMargin").toDouble();
  return end - (m_view->property("contentY").toDouble() + m_view->height());
}

void TailFollower::setFollowing(bool following) {
  if (following == m_following) return;
  m_following = following;
  emit followingChanged();
}

void TailFollower::follow() {
  setFollowing(true);
  scheduleJump();
}

/// A small move up is the reader's own only if nothing changed its size at the same time.
void TailFollower::onMoved() {
  const double y = m_view->property("contentY").toDouble();
  const double height = m_view->property("contentHeight").toDouble();
  const bool sameSize = height == m_lastHeight;
  if (distanceToEnd() <= kAtEndPixels) {
    setFollowing(true);
  } else if (y < m_lastY - (sameSize ? 0.0 : kSurePixels) && !m_jumpScheduled) {
    setFollowing(false);
  }
  m_lastY = y;
  m_lastHeight = height;
  if (m_following) return;
  // While sizes change, a move of the view is the reader's only if the row itself did not move.
  const QQuickItem* item = m_holdsLeft > 0 ? itemAt(m_line.row()) : nullptr;
  if (!item || item->y() == m_lineY) noteLine();
}

void TailFollower::onResized() {
  m_lastHeight = m_view->property("contentHeight").toDouble();
  if (m_following) return scheduleJump();
  if (!m_line.isValid()) return;
  const bool isHolding = std::exchange(m_holdsLeft, kHolds) > 0;
  if (!isHolding) QMetaObject::invokeMethod(this, &TailFollower::holdLine, Qt::QueuedConnection);
}

/// Once for all the changes of one turn of the event loop, after the view has laid them out.
void TailFollower::scheduleJump() {
  if (m_jumpScheduled) return;
  m_jumpScheduled = true;
  QMetaObject::invokeMethod(this, &TailFollower::jump, Qt::QueuedConnection);
}

void TailFollower::jump() {
  if (m_view && m_following) {
    QMetaObject::invokeMethod(m_view, "positionViewAtEnd");
    // Which leaves the margin below the last row out.
    const double rest = distanceToEnd();
    if (rest > 0.0 && rest <= m_view->property("bottomMargin").toDouble()) {
      m_view->setProperty("contentY", m_view->property("contentY").toDouble() + rest);
    }
  }
  m_jumpScheduled = false;
}

QQuickItem* TailFollower::itemAt(int row) const {
  QQuickItem* item = nullptr;
  QMetaObject::invokeMethod(m_view, "itemAtIndex", Q_RETURN_ARG(QQuickItem*, item),
                            Q_ARG(int, row));
  return item;
}

/// Where the reader is now.
void TailFollower::noteLine() {
  const auto* model = m_view->property("model").value<QAbstractItemModel*>();
  const double y = m_view->property("contentY").toDouble();
  int row = -1;
  QMetaObject::invokeMethod(m_view, "indexAt", Q_RETURN_ARG(int, row),
                            Q_ARG(double, m_view->width() / 2), Q_ARG(double, y + 1));
  const QQuickItem* item = row < 0 ? nullptr : itemAt(row);
  m_line = model && item ? QPersistentModelIndex(model->index(row, 0)) : QPersistentModelIndex();
  if (!m_line.isValid()) return;
  m_lineY = item->y();
  m_lineOffset = y - m_lineY;
  m_lineShare = item->height() > 0.0 ? m_lineOffset / item->height() : 0.0;
  m_lineWidth = m_view->width();
  m_lineScale = m_textScale;
}

/// Puts it there again, unless the reader is on the way elsewhere; for some frames, because a list
/// lays out what has changed a part at a time.
void TailFollower::holdLine() {
  --m_holdsLeft;
  if (!m_view || m_following || !m_line.isValid()) m_holdsLeft = 0;
  if (m_holdsLeft <= 0) return;
  QTimer::singleShot(kFrameMs, this, &TailFollower::holdLine);
  const bool isMoving = m_view->property("moving").toBool();
  const QQuickItem* item = isMoving ? nullptr : itemAt(m_line.row());
  if (!item) return noteLine();
  m_lineY = item->y();
  const bool isRewrapped = m_lineWidth != m_view->width() || m_lineScale != m_textScale;
  const double offset = isRewrapped ? m_lineShare * item->height() : m_lineOffset;
  const double y = item->y() + offset;
  if (std::abs(y - m_view->property("contentY").toDouble()) >= 1.0) {
    m_view->setProperty("contentY", y);
  }
}

}  // namespace quire
