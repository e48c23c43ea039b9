#include "tests/ui/window_driver.h"

#include <QTest>

#include <chrono>

#include "tests/support/watched_application.h"
#include "tests/ui/incubation.h"
#include "tests/ui/still_window.h"

namespace quire {

WindowDriver::WindowDriver(EngineInterfaces engine, const QString& dataFolder,
                           const QByteArray& presets, bool isGreeted,
                           const std::function<void(AppModel& app)>& link)
    : m_app(std::make_unique<AppModel>(engine, dataFolder, presets)) {
  const WatchedApplication::Uncounted opening;
  m_app->library()->clock().setImmediate(true);
  // The window shows a chat later that takes longer to read. Here it is there when it is opened.
  m_app->library()->setMaxReadWait(std::chrono::milliseconds(kCommitMs));
  if (link) link(*m_app);
  m_app->open();
  if (isGreeted) m_app->greet();
  m_engine = openWindow(*m_app);
  if (!m_engine) qFatal("The window's QML does not load.");
  m_window = qobject_cast<QQuickWindow*>(m_engine->rootObjects().constFirst());
  if (!QTest::qWaitForWindowExposed(m_window)) qFatal("The window does not appear.");
  m_window->requestActivate();
  if (!QTest::qWaitForWindowActive(m_window)) qFatal("The window does not become active.");
}

WindowDriver::~WindowDriver() {
  finishIncubation(*m_engine);
  m_engine.reset();
}

QQuickItem* findItem(const QQuickWindow& window, const QString& name) {
  QQuickItem* found = window.contentItem()->findChild<QQuickItem*>(name);
  if (found) return found;
  QList<QQuickItem*> items = {window.contentItem()};  // Items of a Repeater have no QObject parent.
  while (!items.isEmpty()) {
    QQuickItem* at = items.takeFirst();
    if (at->objectName() == name) return at;
    items += at->childItems();
  }
  return nullptr;
}

QQuickItem* WindowDriver::item(const QString& name) const {
  return findItem(*m_window, name);
}

void WindowDriver::type(const QString& text) {
  composer()->forceActiveFocus();
  for (QChar c : text)
    QTest::sendKeyEvent(QTest::Click, m_window, Qt::Key_unknown, QString(c), Qt::NoModifier);
}

void WindowDriver::press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
  QTest::keyClick(m_window, key, modifiers);
}

QPoint WindowDriver::placeOf(const QString& name) const {
  m_window->grabWindow();
  const auto look = [&] { return areAllOpen(shownPopups(*m_window)) ? item(name) : nullptr; };
  const auto at = placeOfStill(look, kCommitMs);
  if (!at) qFatal("There is no item %s that stands still.", qPrintable(name));
  return *at;
}

void WindowDriver::click(const QString& name) {
  QTest::mouseClick(m_window, Qt::LeftButton, Qt::NoModifier, placeOf(name));
}

bool WindowDriver::isPopupOpen() const {
  const QList<const QObject*> popups = shownPopups(*m_window);
  return !popups.isEmpty() && areAllOpen(popups);
}

bool WindowDriver::hasPopup() const {
  return !shownPopups(*m_window).isEmpty();
}

void WindowDriver::finishPages() {
  drawFrame();  // A pane is created when it has a size.
  finishIncubation(*m_engine);
}

void WindowDriver::settle(int ms) {
  constexpr int kRounds = 3;
  QTest::qWait(ms);
  for (int round = 0; round < kRounds; ++round) {
    QCoreApplication::processEvents();
    drawFrame();
  }
}

QStringList WindowDriver::shownTexts() {
  const TimelineModel& rows = *chat().timeline();
  QStringList texts;
  for (int row = 0; row < rows.rowCount(); ++row) {
    const QModelIndex index = rows.index(row);
    const auto kind = rows.data(index, TimelineModel::kKind).value<TimelineModel::RowKind>();
    if (kind == TimelineModel::RowKind::Footer) continue;
    const bool isText =
        kind == TimelineModel::RowKind::User || kind == TimelineModel::RowKind::Code;
    texts.append(
        rows.data(index, isText ? TimelineModel::kText : TimelineModel::kMarkup).toString());
  }
  return texts;
}

}  // namespace quire
