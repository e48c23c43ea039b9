#include "app/viewmodels/chat/tail_follower.h"

namespace quire {
namespace {

constexpr double kAtEndPixels = 24.0;
/// A move up that far is the reader's, though rows that it brings into being change the size too.
constexpr double kSurePixels = 100.0;

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
}

void TailFollower::onResized() {
  m_lastHeight = m_view->property("contentHeight").toDouble();
  if (m_following) scheduleJump();
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

}  // namespace quire
