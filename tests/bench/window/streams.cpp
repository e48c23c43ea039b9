#include "tests/bench/window/streams.h"

#include <QTest>

#include "app/engine/engine_service.h"
#include "tests/support/bundled_model.h"

namespace quire::bench {
namespace {

constexpr int kTickMs = 33;
constexpr double kCharactersPerToken = 4.0;
constexpr double kTokensPerSecond = 100.0;
constexpr int kStreamsWaitMs = 60'000;

QString longAnswer() {
  const QString part = QStringLiteral(
      "A paragraph with **bold** words, `code`, and [a link](https://example.org) that goes on for "
      "a line or two, as answers do.\n\n```cpp\nfor (int i = 0; i < n; ++i) sum += values[i];\n"
      "return sum;\n```\n\n- first point\n- second point with a few more words\n\n");
  return part.repeated(40);
}

}  // namespace

Streams::Streams(const Options& options) {
  if (options.engine == Options::Engine::Real) {
    EngineServiceOptions service;
    service.bundledModelPath = QString::fromStdString(bundled_model_folder());
    service.modelPath = options.model.isEmpty() ? service.bundledModelPath : options.model;
    service.backend.device = "cpu";
    m_real = std::make_unique<EngineService>(service);
    return;
  }
  m_recorded = std::make_unique<FakeBackend>(kTickMs);
  m_recorded->charactersPerTick =
      static_cast<int>(kTokensPerSecond * kCharactersPerToken * kTickMs / 1000.0);
}

Streams::~Streams() = default;

EngineInterfaces Streams::backend() {
  return m_real ? EngineInterfaces(*m_real) : EngineInterfaces(*m_recorded);
}

ChatModel& Streams::begin(WindowDriver& driver, int number, const QString& answer) {
  driver.app().navigation()->newChat();
  ChatModel* chat = &driver.chat();
  const auto ask = [this, chat, number, answer] {
    if (m_recorded) m_recorded->queueAnswer(answer.isEmpty() ? longAnswer() : answer);
    chat->composer()->sendText(
        QStringLiteral("Tell me a long story about bear number %1.").arg(number));
  };
  QObject::connect(chat, &ChatModel::answerEnded, chat, ask, Qt::QueuedConnection);
  ask();
  return *chat;
}

void Streams::waitFor(const QList<ChatModel*>& chats) {
  const auto writes = [](const ChatModel* chat) {
    const MessageRecord* last = chat->conversation().find(chat->conversation().head());
    return last && last->role == MessageRole::Assistant && !last->text().isEmpty();
  };
  const bool all = QTest::qWaitFor([&] { return std::all_of(chats.begin(), chats.end(), writes); },
                                   kStreamsWaitMs);
  if (!all) qFatal("The chats do not stream.");
}

std::unique_ptr<WindowDriver> openBenchWindow(EngineInterfaces engine, const QString& folder) {
  auto driver = std::make_unique<WindowDriver>(engine, folder);
  driver->app().library()->clock().setImmediate(false);
  driver->window()->resize(1440, 900);
  if (!QTest::qWaitFor([&] { return driver->app().engine()->isReady(); }, kStreamsWaitMs)) {
    qFatal("The model does not load.");
  }
  return driver;
}

}  // namespace quire::bench
