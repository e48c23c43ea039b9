#include "tests/ui/data_test.h"

#include <QGuiApplication>
#include <QTest>

namespace quire {

void DataTest::prepare() {
  QGuiApplication::setQuitOnLastWindowClosed(false);
  m_folder = std::make_unique<QTemporaryDir>();
  start();
}

void DataTest::tidyUp() {
  stop();
}

void DataTest::start(const QString& folder) {
  stop();
  m_backend = std::make_unique<FakeBackend>();
  m_backend->charactersPerTick = 100'000;
  m_driver =
      std::make_unique<WindowDriver>(*m_backend, folder.isEmpty() ? m_folder->path() : folder);
  m_driver->window()->resize(1300, 800);
  m_hands = std::make_unique<Hands>(*m_driver->window());
  QTest::qWait(50);
  forgetBlockages();
}

void DataTest::stop() {
  m_hands.reset();
  m_driver.reset();
  m_backend.reset();
}

void DataTest::restart() {
  stop();
  start();
}

RecordId DataTest::ask(const QString& text, const QString& answer) {
  driver().app().navigation()->newChat();
  m_backend->queueAnswer(answer);
  driver().chat().composer()->sendText(text);
  if (!QTest::qWaitFor([&] { return m_backend->numRunning() == 1; }, kCommitMs))
    qFatal("Nothing asked.");
  m_backend->advance(3);
  const auto isOver = [&] { return !driver().chat().turns()->isGenerating(); };
  if (!QTest::qWaitFor(isOver, kCommitMs)) qFatal("No end.");
  QTest::qWait(2);  // The next one is later, and stands above it.
  driver().app().session().flush(20'000);
  return driver().chat().chatId();
}

QStringList DataTest::titles() {
  const ChatListModel& chats = *driver().app().chats();
  QStringList all;
  for (int row = 0; row < chats.rowCount(); ++row) {
    all.append(chats.data(chats.index(row), ChatListModel::kTitle).toString());
  }
  return all;
}

RecordId DataTest::idOf(const QString& title) {
  return driver().app().chats()->idAt(static_cast<int>(titles().indexOf(title)));
}

}  // namespace quire
