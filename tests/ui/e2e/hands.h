#pragma once

#include <QQuickItem>
#include <QQuickWindow>

#include <functional>
#include <optional>

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
  /// Whether what is typed goes into this field.
  bool hasFocus(const QString& field) const;

  /// Waits until a menu, card or sheet has come, and none is coming or going any more.
  [[nodiscard]] bool waitForPopup() const;
  /// Waits until the last of them has faded, which takes clicks and keys until then.
  [[nodiscard]] bool waitForNoPopup() const;

  /// Waits until the item is seen, can be used and stands still, and no popup is coming or going;
  /// says so and is false where that does not come.
  [[nodiscard]] bool click(const QString& name, Qt::MouseButton button = Qt::LeftButton);
  [[nodiscard]] bool doubleClick(const QString& name);
  [[nodiscard]] bool pointAt(const QString& name);
  /// Where it can be clicked, once it can be.
  std::optional<QPoint> reach(const QString& name) const;
  /// At text that can be selected: a message, a paragraph of an answer.
  [[nodiscard]] bool pointAtText(const QString& words, Qt::MouseButton button = Qt::NoButton);
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
  /// Into whatever has the focus.
  void type(const QString& text);
  /// Into the composer, and sends it.
  [[nodiscard]] bool say(const QString& text);
  /// In place of what stands in that field; Return ends it.
  [[nodiscard]] bool write(const QString& field, const QString& text);
  /// One of a few choices, by its words.
  [[nodiscard]] bool choose(const QString& select, const QString& words);
  /// Turns the wheel over the page or sheet until it is seen well.
  [[nodiscard]] bool scrollTo(const QString& name);
  /// Drags these files over the window and lets them go; false: nothing there takes them.
  [[nodiscard]] bool drop(const QStringList& paths);

 private:
  static bool isDrawn(const QQuickItem& item);
  std::optional<QPoint> reachItem(const QString& name,
                                  const std::function<const QQuickItem*()>& look) const;
  QQuickItem* findField(const QString& name) const;
  void turnWheel(const QPoint& at, int degrees);
  QQuickItem* search(const std::function<bool(const QQuickItem&)>& fits) const;
  /// Also what has to be scrolled to first.
  QQuickItem* searchAnywhere(const std::function<bool(const QQuickItem&)>& fits) const;

  QQuickWindow& m_window;
};

/// What a screen reader calls it; empty if nothing.
QString accessibleNameOf(const QQuickItem& item);

}  // namespace quire
