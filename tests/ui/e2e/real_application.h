#pragma once

#include <QTemporaryDir>

#include <memory>

#include "app/app_model.h"
#include "app/engine/engine_service.h"
#include "app/server/api_server.h"
#include "app/window.h"
#include "tests/support/memory_secrets.h"
#include "tests/ui/e2e/hands.h"

namespace quire {

/// The application as the program `quire` puts it together, on the bundled model and on a data
/// folder of its own: the real engine, store, caches and model library; only the screen is missing.
///
/// Thread: the window's.
class RealApplication {
 public:
  RealApplication();
  ~RealApplication();

  /// Ends it as the window's closing does, and starts it anew on the same data.
  void restart();

  AppModel& app() { return *m_app; }
  ChatModel& chat() { return *m_app->currentChat(); }
  EngineService& engine() { return *m_engine; }
  ApiServer& server() { return *m_server; }
  MemorySecrets& secrets() { return m_secrets; }
  QQuickWindow* window() const { return m_window; }
  Hands& hands() { return *m_hands; }
  QString dataFolder() const { return m_folder.path() + "/data"; }
  QString folder() const { return m_folder.path(); }

  /// Waits for the shown chat's answer, as it is stored.
  MessageRecord waitForAnswer();
  /// A new chat with this said in it by hand, and its answer; the chat's id.
  RecordId ask(const QString& text);
  QStringList chatTitles();  ///< The rows of the sidebar.

 private:
  void start();
  void stop();

  QTemporaryDir m_folder;
  std::unique_ptr<EngineService> m_engine;
  MemorySecrets m_secrets;  ///< Outlives a restart, as a keychain does.
  std::unique_ptr<AppModel> m_app;
  std::unique_ptr<ApiServer> m_server;
  std::unique_ptr<QQmlApplicationEngine> m_qml;
  QQuickWindow* m_window = nullptr;
  std::unique_ptr<Hands> m_hands;
};

/// Waiting for the engine, on a machine that may be busy.
constexpr int kEngineMs = 60'000;

/// The last message of the shown branch.
inline const MessageRecord& headOf(const ChatModel& chat) {
  return *chat.conversation().find(chat.conversation().head());
}

}  // namespace quire
