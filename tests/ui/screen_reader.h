#pragma once

#include <QAccessible>
#include <QQuickWindow>

#include <functional>

namespace quire {

/// A user who sees nothing and has no mouse: moves by Tab and keys, and knows of the window only
/// what the accessibility tree says, which is what AT-SPI gives to screen readers.
///
/// Thread: the window's.
class ScreenReader {
 public:
  explicit ScreenReader(QQuickWindow& window) : m_window(window) {}

  /// What has the focus is called that; empty for what has no name.
  QString focusedName() const;
  QAccessible::Role focusedRole() const;
  /// The text of a field that has the focus.
  QString focusedText() const;

  /// Presses Tab until something with that name has the focus; false if nothing has.
  [[nodiscard]] bool tabTo(const QString& name);
  /// The same for a name that begins with these words.
  [[nodiscard]] bool tabToBeginning(const QString& words);
  /// Whether something seen has that role and a name with these words.
  bool hears(QAccessible::Role role, const QString& words) const;
  /// The same with a description that has these words, too.
  bool tells(QAccessible::Role role, const QString& name, const QString& words) const;
  /// All names in the tree that are seen, to say what there is.
  QStringList names() const;

  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
  void type(const QString& text);

 private:
  bool tabUntil(const std::function<bool(const QString& name)>& isIt);
  QAccessibleInterface* focused() const;
  void visit(const std::function<void(QAccessibleInterface&)>& visitor) const;

  QQuickWindow& m_window;
};

}  // namespace quire
