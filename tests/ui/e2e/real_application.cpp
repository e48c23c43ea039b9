#include "tests/ui/e2e/real_application.h"

#include <QFile>
#include <QTest>

#include <chrono>

#include "app/model_link.h"
#include "app/prefix_link.h"
#include "app/server_link.h"
#include "tests/support/bundled_model.h"
#include "tests/support/watched_application.h"
#include "tests/ui/incubation.h"

namespace quire {
namespace {

QByteArray presets() {
  QFile file(QStringLiteral(":/quire/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

RealApplication::RealApplication() {
  qputenv("HOME", m_folder.path().toUtf8());  // What other applications keep there is not ours.
  qputenv("DBUS_SESSION_BUS_ADDRESS", "disabled:");  // No dialogs of the desktop.
  start();
}

RealApplication::~RealApplication() {
  stop();
}

void RealApplication::start() {
  const WatchedApplication::Uncounted opening;
  const QString model = QString::fromStdString(bundled_model_folder());
  const auto prefixes = openPrefixDatabase(dataFolder());
  EngineServiceOptions options;
  options.bundledModelPath = model;
  options.backend.device = "cpu";
  options.backend.num_threads = 2;
  options.engine.prefix_store = prefixes;
  m_engine = std::make_unique<EngineService>(options);
  m_app = std::make_unique<AppModel>(*m_engine, dataFolder(), presets());
  m_server = std::make_unique<ApiServer>(*m_engine, *m_engine, *m_engine);
  linkServer(*m_app, *m_server, m_secrets,
             [this](const QString& path) { return m_engine->stats(path); });
  linkPrefixDatabase(*m_app, prefixes);
  linkModels(*m_app, *m_engine, {.named = {}, .bundled = model, .bundledDraft = model + "-draft"});
  QObject::connect(m_app->library(), &ChatLibrary::chatRemoved, m_engine.get(),
                   &EngineService::forgetChat);
  // The window shows a chat later that takes longer to read. Here it is there when it is opened.
  m_app->library()->setMaxReadWait(std::chrono::milliseconds(kEngineMs));
  m_app->open();
  prefixes->flush(std::chrono::milliseconds(kEngineMs));  // Until then nothing counts as stored.
  m_qml = openWindow(*m_app);
  if (!m_qml) qFatal("The window's QML does not load.");
  m_window = qobject_cast<QQuickWindow*>(m_qml->rootObjects().constFirst());
  m_window->resize(1440, 900);
  m_hands = std::make_unique<Hands>(*m_window);
  m_window->requestActivate();
  if (!QTest::qWaitForWindowActive(m_window)) qFatal("The window does not become active.");
  if (!QTest::qWaitFor([&] { return m_app->engine()->isReady(); }, kEngineMs))
    qFatal("The model does not load: state %d, \"%s\"; the store: \"%s\"",
           static_cast<int>(m_engine->state()), qPrintable(m_engine->stateText()),
           qPrintable(m_app->store()->error()));
}

void RealApplication::stop() {
  m_app->close();
  m_hands.reset();
  finishIncubation(*m_qml);
  m_qml.reset();
  m_server.reset();
  m_app.reset();
  m_engine.reset();
}

void RealApplication::restart() {
  stop();
  start();
}

MessageRecord RealApplication::waitForAnswer() {
  if (!QTest::qWaitFor([&] { return !chat().turns()->isGenerating(); }, kEngineMs))
    qFatal("The answer has no end.");
  return headOf(chat());
}

RecordId RealApplication::ask(const QString& text) {
  if (!chat().isEmpty()) m_hands->press(Qt::Key_N, Qt::ControlModifier);
  if (!m_hands->say(text)) qFatal("The composer cannot be written in.");
  if (!QTest::qWaitFor([&] { return !chat().isEmpty(); }, kEngineMs)) qFatal("Nothing was sent.");
  waitForAnswer();
  return chat().chatId();
}

QStringList RealApplication::chatTitles() {
  const ChatListModel& chats = *m_app->chats();
  QStringList titles;
  for (int row = 0; row < chats.rowCount(); ++row)
    titles.append(chats.data(chats.index(row), ChatListModel::kTitle).toString());
  return titles;
}

}  // namespace quire
