#pragma once

#include <QQuickItem>
#include <QQuickWindow>

#include <functional>
#include <memory>

#include "app/app_model.h"
#include "app/window.h"

namespace quire {

/// Waiting for a commit, on a machine whose disk and processors may be busy.
constexpr int kCommitMs = 60'000;

/// The item of that objectName in a window; null if there is none.
QQuickItem* findItem(const QQuickWindow& window, const QString& name);

/// The whole window on a backend, with what tests do to it by hand: typing, pressing, looking.
class WindowDriver {
 public:
  /// Answers are shown as they come; `app().library()->clock()` gives them the window's own pace.
  /// `isGreeted`: as the program starts it, with the first screen if the folder is new.
  /// `link`: gives the window what the program gives it before the data are opened.
  WindowDriver(EngineInterfaces engine, const QString& dataFolder, const QByteArray& presets = {},
               bool isGreeted = false, const std::function<void(AppModel& app)>& link = {});
  ~WindowDriver();

  AppModel& app() { return *m_app; }
  ChatModel& chat() { return *m_app->currentChat(); }
  QQuickWindow* window() const { return m_window; }
  /// The item of that objectName that is shown; null if there is none.
  QQuickItem* item(const QString& name) const;
  QQuickItem* composer() const { return item(QStringLiteral("composerText")); }

  void type(const QString& text);
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
  /// The middle of an item in the window. Waits until the item is there and stands still, and no
  /// popup is coming or going.
  QPoint placeOf(const QString& name) const;
  void click(const QString& name);
  /// Whether a menu, card or sheet is open, and none is coming or going. A popup takes the focus
  /// when it has come.
  bool isPopupOpen() const;
  bool hasPopup() const;  ///< One that is coming or going counts, too.
  /// Creates the rest of the pages and panes, which the window creates beside its events.
  void finishPages();
  /// Lays out what changed since the last frame, and draws it.
  void drawFrame() { m_window->grabWindow(); }
  /// At least so long; what was due by then has been done and drawn, also if the thread slept for
  /// longer, and what the drawing has posted has been done and drawn, too.
  void settle(int ms);
  /// What the rows of the shown chat say, footers left out.
  QStringList shownTexts();

 private:
  std::unique_ptr<AppModel> m_app;
  std::unique_ptr<QQmlApplicationEngine> m_engine;
  QQuickWindow* m_window = nullptr;
};

}  // namespace quire
