#include "tests/ui/e2e/hands.h"

#include <QElapsedTimer>
#include <QMimeData>
#include <QTest>
#include <QUrl>

#include "tests/ui/still_window.h"

namespace quire {
namespace {

constexpr int kPatienceMs = 60'000;

}  // namespace

QString accessibleNameOf(const QQuickItem& item) {
  for (const QObject* child : item.children()) {
    if (!child->inherits("QQuickAccessibleAttached")) continue;
    const QString name = child->property("name").toString();
    if (!name.isEmpty()) return name;
  }
  // Controls are called by their text where nothing else is said.
  return item.inherits("QQuickAbstractButton") ? item.property("text").toString() : QString();
}

bool Hands::isDrawn(const QQuickItem& item) {
  if (!item.isVisible() || item.width() < 1 || item.height() < 1) return false;
  for (const QQuickItem* at = &item; at; at = at->parentItem())
    if (at->opacity() < 0.05) return false;
  return true;
}

QQuickItem* Hands::search(const std::function<bool(const QQuickItem&)>& fits) const {
  const QRectF window(QPointF(), m_window.size());
  return searchAnywhere(
      [&](const QQuickItem& item) { return fits(item) && window.contains(middleOf(item)); });
}

QQuickItem* Hands::searchAnywhere(const std::function<bool(const QQuickItem&)>& fits) const {
  QList<QQuickItem*> items = {m_window.contentItem()};
  for (QQuickItem* layer : m_window.contentItem()->childItems())
    if (layer->inherits("QQuickOverlay")) items.append(layer);  // Menus and cards come first.
  while (!items.isEmpty()) {
    QQuickItem* at = items.takeLast();
    if (!at->isVisible()) continue;
    if (fits(*at) && isDrawn(*at)) return at;
    const QList<QQuickItem*> children = at->childItems();
    for (auto child = children.crbegin(); child != children.crend(); ++child) items.append(*child);
  }
  return nullptr;
}

namespace {

std::function<bool(const QQuickItem&)> isCalled(const QString& name) {
  return [name](const QQuickItem& item) {
    return item.objectName() == name || accessibleNameOf(item) == name;
  };
}

}  // namespace

QQuickItem* Hands::find(const QString& name) const {
  return search(isCalled(name));
}

bool Hands::sees(const QString& words) const {
  return search([&](const QQuickItem& item) {
           return item.property("text").toString().contains(words) ||
                  accessibleNameOf(item).contains(words);
         }) != nullptr;
}

std::optional<QPoint> Hands::reach(const QString& name) const {
  return reachItem(name, [&] { return find(name); });
}

std::optional<QPoint> Hands::reachItem(const QString& name,
                                       const std::function<const QQuickItem*()>& look) const {
  const auto lookForEnabled = [&] {
    const QQuickItem* item = areAllOpen(shownPopups(m_window)) ? look() : nullptr;
    return item && item->isEnabled() ? item : nullptr;
  };
  const auto at = placeOfStill(lookForEnabled, kPatienceMs);
  if (!at) qInfo("“%s” cannot be reached.", qPrintable(name));
  return at;
}

bool Hands::waitForPopup() const {
  const auto hasCome = [&] {
    const QList<const QObject*> popups = shownPopups(m_window);
    return !popups.isEmpty() && areAllOpen(popups);
  };
  if (QTest::qWaitFor(hasCome, kPatienceMs)) return true;
  qInfo("Nothing opens.");
  return false;
}

bool Hands::waitForNoPopup() const {
  if (QTest::qWaitFor([&] { return shownPopups(m_window).isEmpty(); }, kPatienceMs)) return true;
  qInfo("Something stays open.");
  return false;
}

bool Hands::hasFocus(const QString& field) const {
  const QQuickItem* item = m_window.activeFocusItem();
  return item && (item->objectName() == field || accessibleNameOf(*item) == field);
}

bool Hands::click(const QString& name, Qt::MouseButton button) {
  const auto at = reach(name);
  if (!at) return false;
  QTest::mouseMove(&m_window, *at);
  QTest::mouseClick(&m_window, button, Qt::NoModifier, *at);
  return true;
}

bool Hands::doubleClick(const QString& name) {
  const auto at = reach(name);
  if (!at) return false;
  QTest::mouseDClick(&m_window, Qt::LeftButton, Qt::NoModifier, *at);
  return true;
}

bool Hands::pointAt(const QString& name) {
  const auto at = reach(name);
  if (!at) return false;
  QTest::mouseMove(&m_window, *at);
  return true;
}

bool Hands::pointAtText(const QString& words, Qt::MouseButton button) {
  const auto isText = [&](const QQuickItem& item) {
    return item.inherits("QQuickTextEdit") && item.property("text").toString().contains(words) &&
           item.objectName() != QLatin1String("composerText");
  };
  const auto at = reachItem(words, [&] { return search(isText); });
  if (!at) return false;
  QTest::mouseMove(&m_window, *at);
  if (button != Qt::NoButton) QTest::mouseClick(&m_window, button, Qt::NoModifier, *at);
  return true;
}

void Hands::press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
  QTest::keyClick(&m_window, key, modifiers);
}

void Hands::type(const QString& text) {
  for (const QChar c : text)
    QTest::sendKeyEvent(QTest::Click, &m_window, Qt::Key_unknown, QString(c), Qt::NoModifier);
}

bool Hands::say(const QString& text) {
  if (!click(QStringLiteral("composerText"))) return false;
  type(text);
  press(Qt::Key_Return);
  return true;
}

QQuickItem* Hands::findField(const QString& name) const {
  return search([&](const QQuickItem& item) {
    const bool isField = item.inherits("QQuickTextField") || item.inherits("QQuickTextArea");
    return isField && (item.objectName() == name || accessibleNameOf(item) == name);
  });
}

bool Hands::write(const QString& field, const QString& text) {
  const auto at = reachItem(field, [&] { return findField(field); });
  if (!at) return false;
  QTest::mouseClick(&m_window, Qt::LeftButton, Qt::NoModifier, *at);
  press(Qt::Key_A, Qt::ControlModifier);
  if (text.isEmpty()) press(Qt::Key_Delete);
  type(text);
  const QQuickItem* written = findField(field);
  const bool isThere = written && written->property("text").toString() == text;
  if (!isThere) qInfo("“%s” cannot be written into “%s”.", qPrintable(text), qPrintable(field));
  press(Qt::Key_Return);
  return isThere;
}

bool Hands::choose(const QString& select, const QString& words) {
  return click(select) && waitForPopup() && click(words);
}

void Hands::turnWheel(const QPoint& at, int degrees) {
  QWheelEvent turn(at, m_window.mapToGlobal(at), QPoint(), QPoint(0, 8 * degrees), Qt::NoButton,
                   Qt::NoModifier, Qt::NoScrollPhase, false);
  static QElapsedTimer clock = [] {
    QElapsedTimer timer;
    timer.start();
    return timer;
  }();
  turn.setTimestamp(static_cast<quint64>(clock.elapsed()) + 1000);  // It is scrolled by speed.
  QCoreApplication::sendEvent(&m_window, &turn);
  QTest::qWait(40);
}

namespace {

/// What the wheel set going comes to rest.
std::optional<double> atRest(const std::function<std::optional<double>()>& height) {
  std::optional<double> last;
  do {
    last = height();
    QTest::qWait(kStillMs);
  } while (last != height());
  return last;
}

}  // namespace

bool Hands::scrollTo(const QString& name) {
  constexpr int kMostTurns = 60;
  constexpr int kMostDegrees = 45;
  constexpr int kMostIdleTurns = 4;  // At the end of what can be scrolled.
  const int edge = 100;              // Above and below there may be a head and a foot.
  const int bottom = m_window.height() - edge;
  const QPoint at(m_window.width() - 20,
                  m_window.height() / 2);  // Beside what takes wheels itself.
  const auto height = [&]() -> std::optional<double> {
    const QQuickItem* item = searchAnywhere(isCalled(name));
    return item ? std::optional(middleOf(*item).y()) : std::nullopt;
  };
  std::optional<double> before;
  int idleTurns = 0;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const std::optional<double> y = atRest(height);
    const bool isNow = y && *y > edge && *y < bottom;
    idleTurns = y == before ? idleTurns + 1 : 0;
    if (isNow || (y && idleTurns == kMostIdleTurns)) break;
    before = y;
    const bool isAbove = y ? *y <= edge : turn >= kMostTurns / 2;
    const double away = !y ? m_window.height() : isAbove ? edge - *y : *y - bottom;
    const int degrees = std::clamp(static_cast<int>(away / 12), 3, kMostDegrees);
    turnWheel(at, isAbove ? degrees : -degrees);
  }
  const bool isThere = find(name) != nullptr;
  if (!isThere) qInfo("“%s” cannot be scrolled to.", qPrintable(name));
  return isThere;
}

bool Hands::drop(const QStringList& paths) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& path : paths) urls.append(QUrl::fromLocalFile(path));
  data.setUrls(urls);
  const QPoint at(m_window.width() * 2 / 3, m_window.height() / 2);
  QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&m_window, &enter);
  QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&m_window, &move);
  if (!move.isAccepted()) {
    QDragLeaveEvent leave;
    QCoreApplication::sendEvent(&m_window, &leave);
    return false;
  }
  QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&m_window, &drop);
  return drop.isAccepted();
}

}  // namespace quire
