#pragma once

#include <QQuickItem>
#include <QQuickWindow>

#include <functional>

namespace quire {

/// A user's hands and eyes on a window: finds things by what a screen reader calls them (or by
/// objectName, where the name changes), and uses the keyboard and the mouse, nothing else.
///
/// Thread: the window's.
class Hands {
 public:
  explicit Hands(QQuickWindow& window) : m_window(window) {}

  /// The item of that name that is seen; null if there is none.
  QQuickItem* find(const QString& name) const;
  /// Whether these words are seen: as a text, or in the name of something.
  bool sees(const QString& words) const;

  /// Waits until the item is seen, can be used and stands still; says so and is false where that
  /// does not come.
  [[nodiscard]] bool click(const QString& name, Qt::MouseButton button = Qt::LeftButton);
  [[nodiscard]] bool doubleClick(const QString& name);
  [[nodiscard]] bool pointAt(const QString& name);
  /// At text that can be selected: a message, a paragraph of an answer.
  [[nodiscard]] bool pointAtText(const QString& words, Qt::MouseButton button = Qt::NoButton);
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
  /// Into whatever has the focus.
  void type(const QString& text);
  /// Into the composer, and sends it.
  [[nodiscard]] bool say(const QString& text);

 private:
  bool isSeen(const QQuickItem& item) const;
  /// Where it can be clicked, once it can be.
  std::optional<QPoint> reach(const QString& name) const;
  QQuickItem* search(const std::function<bool(const QQuickItem&)>& fits) const;

  QQuickWindow& m_window;
};

/// What a screen reader calls it; empty if nothing.
QString accessibleNameOf(const QQuickItem& item);

}  // namespace quire
