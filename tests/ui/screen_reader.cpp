#include "tests/ui/screen_reader.h"

#include <QQuickItem>
#include <QTest>

namespace quire {
namespace {

constexpr int kMostTabs = 250;
constexpr int kMostDepth = 60;

void visitBelow(QAccessibleInterface& face, int depth,
                const std::function<void(QAccessibleInterface&)>& visitor) {
  if (!face.isValid() || face.state().invisible || depth > kMostDepth) return;
  visitor(face);
  for (int i = 0; i < face.childCount(); ++i) {
    if (QAccessibleInterface* const child = face.child(i)) visitBelow(*child, depth + 1, visitor);
  }
}

}  // namespace

QAccessibleInterface* ScreenReader::focused() const {
  QQuickItem* const item = m_window.activeFocusItem();
  return item ? QAccessible::queryAccessibleInterface(item) : nullptr;
}

QString ScreenReader::focusedName() const {
  QAccessibleInterface* const face = focused();
  return face ? face->text(QAccessible::Name) : QString();
}

QAccessible::Role ScreenReader::focusedRole() const {
  QAccessibleInterface* const face = focused();
  return face ? face->role() : QAccessible::NoRole;
}

QString ScreenReader::focusedText() const {
  QAccessibleInterface* const face = focused();
  QAccessibleTextInterface* const text = face ? face->textInterface() : nullptr;
  return text ? text->text(0, text->characterCount()) : QString();
}

bool ScreenReader::tabUntil(const std::function<bool(const QString& name)>& isIt) {
  QStringList passed;
  for (int i = 0; i < kMostTabs; ++i) {
    if (isIt(focusedName())) return true;
    passed.append(focusedName());
    press(Qt::Key_Tab);
  }
  passed.removeDuplicates();
  qWarning("Tab passed only: %s", qPrintable(passed.join(QStringLiteral(" | "))));
  return false;
}

bool ScreenReader::tabTo(const QString& name) {
  return tabUntil([&](const QString& at) { return at == name; });
}

bool ScreenReader::tabToBeginning(const QString& words) {
  return tabUntil([&](const QString& at) { return at.startsWith(words); });
}

bool ScreenReader::hears(QAccessible::Role role, const QString& words) const {
  bool isThere = false;
  visit([&](QAccessibleInterface& face) {
    isThere |= face.role() == role && face.text(QAccessible::Name).contains(words);
  });
  return isThere;
}

bool ScreenReader::tells(QAccessible::Role role, const QString& name, const QString& words) const {
  bool isThere = false;
  visit([&](QAccessibleInterface& face) {
    isThere |= face.role() == role && face.text(QAccessible::Name).contains(name) &&
               face.text(QAccessible::Description).contains(words);
  });
  return isThere;
}

QStringList ScreenReader::names() const {
  QStringList all;
  visit([&](QAccessibleInterface& face) { all.append(face.text(QAccessible::Name)); });
  all.removeAll(QString());
  return all;
}

void ScreenReader::press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
  QTest::keyClick(&m_window, key, modifiers);
  QCoreApplication::processEvents();
}

void ScreenReader::type(const QString& text) {
  for (const QChar letter : text) QTest::keyClick(&m_window, letter.toLatin1());
}

void ScreenReader::visit(const std::function<void(QAccessibleInterface&)>& visitor) const {
  if (QAccessibleInterface* const root = QAccessible::queryAccessibleInterface(&m_window))
    visitBelow(*root, 0, visitor);
}

}  // namespace quire
