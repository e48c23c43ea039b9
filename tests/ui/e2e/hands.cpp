#include "tests/ui/e2e/hands.h"

#include <QTest>

namespace quire {
namespace {

constexpr int kPatienceMs = 5000;

QPointF middleOf(const QQuickItem& item) {
  return item.mapToScene({item.width() / 2, item.height() / 2});
}

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

bool Hands::isSeen(const QQuickItem& item) const {
  if (!item.isVisible() || item.width() < 1 || item.height() < 1) return false;
  for (const QQuickItem* at = &item; at; at = at->parentItem())
    if (at->opacity() < 0.05) return false;
  const QRectF window(QPointF(), m_window.size());
  return window.contains(middleOf(item));
}

QQuickItem* Hands::search(const std::function<bool(const QQuickItem&)>& fits) const {
  QList<QQuickItem*> items = {m_window.contentItem()};
  for (QQuickItem* layer : m_window.contentItem()->childItems())
    if (layer->inherits("QQuickOverlay")) items.append(layer);  // Menus and cards come first.
  while (!items.isEmpty()) {
    QQuickItem* at = items.takeLast();
    if (!at->isVisible()) continue;
    if (fits(*at) && isSeen(*at)) return at;
    const QList<QQuickItem*> children = at->childItems();
    for (auto child = children.crbegin(); child != children.crend(); ++child) items.append(*child);
  }
  return nullptr;
}

QQuickItem* Hands::find(const QString& name) const {
  return search([&](const QQuickItem& item) {
    return item.objectName() == name || accessibleNameOf(item) == name;
  });
}

bool Hands::sees(const QString& words) const {
  return search([&](const QQuickItem& item) {
           return item.property("text").toString().contains(words) ||
                  accessibleNameOf(item).contains(words);
         }) != nullptr;
}

std::optional<QPoint> Hands::reach(const QString& name) const {
  QPointF last(-1, -1);
  std::optional<QPoint> place;
  const bool isThere = QTest::qWaitFor(
      [&] {
        const QQuickItem* item = find(name);
        if (!item || !item->isEnabled()) return false;
        const QPointF at = middleOf(*item);
        const bool isStill = at == last;
        last = at;
        if (isStill) place = at.toPoint();
        return isStill;
      },
      kPatienceMs);
  if (!isThere) qInfo("“%s” cannot be reached.", qPrintable(name));
  return place;
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

}  // namespace quire
