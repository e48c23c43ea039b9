#pragma once

#include <QImage>
#include <QQuickItem>
#include <QQuickWindow>
#include <QTemporaryDir>

#include <functional>
#include <memory>

#include "app/app_model.h"
#include "app/window.h"
#include "tests/support/fake_backend.h"
#include "tests/support/full_disk.h"
#include "tests/ui/gallery/pseudo_language.h"
#include "tests/ui/gallery/words.h"

namespace quire::gallery {

/// The whole window on a backend that answers what it is told, in a folder and with a home of its
/// own, so that a picture never shows what is on the machine that draws it.
///
/// Thread: the window's.
class Stage {
 public:
  Stage();
  ~Stage();

  /// Opens the window on this stage's folder, once more if it was open.
  void open(bool isGreeted = false);
  /// The same on a folder that cannot be used.
  void openOn(const QString& dataFolder);
  /// The window goes, the folder stays.
  void close();

  AppModel& app() { return *m_app; }
  ChatModel& chat() { return *m_app->currentChat(); }
  FakeBackend& backend() { return m_backend; }
  QQuickWindow& window() const { return *m_window; }
  QString path(const QString& below) const { return m_folder.filePath(below); }
  QString dataFolder() const { return path(QStringLiteral("data")); }
  QString home(const QString& below) const { return path("home/" + below); }

  /// Nothing can be written from now on, until close().
  void fillDisk() { m_fullDisk = std::make_unique<FullDisk>(1); }

  /// Lets the window come to rest.
  void settle(int ms = 120) const;
  /// Sends a message in the current chat and lets the answer come as far as `ticks` bring it.
  void ask(const QString& message, const QString& answer, int ticks = 1000);
  /// A haiku, a journey and a letter, each in a chat of its own.
  void fill();
  void newChat() { m_app->navigation()->newChat(); }
  /// This model answers, and it is not the demonstration.
  void serve(const QString& model);
  void choosePersona(int row);
  void type(const QString& query);  ///< Into the search.

  QQuickItem* item(const QString& name) const;
  /// The same, when it is there to be seen.
  QQuickItem* waitFor(const QString& name) const;
  /// The item of that objectName, when it is there.
  void click(const QString& name, Qt::MouseButton button = Qt::LeftButton);
  void pointAt(const QString& name);
  void clickAt(const QPoint& place, Qt::MouseButton button = Qt::LeftButton);
  /// Until nothing is being made any more.
  void rest() const;
  QImage picture(const QString& theme);

 private:
  void speakPseudo();
  void makeWindow();
  QPoint placeOf(const QString& name) const;

  QTemporaryDir m_folder;
  std::unique_ptr<FullDisk> m_fullDisk;
  FakeBackend m_backend;
  std::unique_ptr<PseudoLanguage> m_pseudo;
  std::unique_ptr<AppModel> m_app;
  std::unique_ptr<QQmlApplicationEngine> m_engine;
  QQuickWindow* m_window = nullptr;
};

/// One picture: the page it belongs to, its name, and what is done to get there.
struct State {
  const char* page;
  const char* name;
  std::function<void(Stage&)> draw;
  QSize size = {1440, 900};
  bool isGreeted = false;  ///< As a stranger sees it.
};

QList<State> chatStates();
QList<State> messageStates();
QList<State> paneStates();
QList<State> sidebarStates();
QList<State> searchStates();
QList<State> modelStates();
QList<State> getModelsStates();
QList<State> personaStates();
QList<State> settingsStates();
QList<State> engineStates();
QList<State> dataStates();
QList<State> remoteStates();
QList<State> allStates();

/// The library of chats that the sidebar's pictures show.
void fillSidebar(Stage& stage);

}  // namespace quire::gallery
