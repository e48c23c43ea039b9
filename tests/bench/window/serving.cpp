#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "app/engine/engine_service.h"
#include "app/server_link.h"
#include "tests/bench/random_gguf.h"
#include "tests/bench/window/measures.h"
#include "tests/bench/window/streams.h"
#include "tests/support/memory_secrets.h"
#include "tests/support/taken_port.h"

namespace quire::bench {
namespace {

constexpr int kServingWaitMs = 60'000;
constexpr int kSettleMs = 1500;  ///< Until all clients have asked.

/// The window's own server, switched on, and the programs that use it: in another process.
class Clients {
 public:
  Clients(WindowDriver& driver, EngineService& engine) : m_server(engine, engine, engine) {
    linkServer(driver.app(), m_server, m_secrets,
               [&engine](const QString& path) { return engine.stats(path); });
    ServerModel& model = *driver.app().server();
    model.setPort(freePort());
    model.start();
    if (!QTest::qWaitFor([&] { return model.isRunning(); }, kServingWaitMs))
      qFatal("The server does not start: %s", qPrintable(model.problem()));
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_timer.start();
    m_process.start(
        QCoreApplication::applicationFilePath(),
        {QStringLiteral("--api-clients"), model.port(), m_secrets.secrets.constBegin().value()});
    if (!QTest::qWaitFor([&] { return m_server.numRequests() > 0; }, kServingWaitMs))
      qFatal("No client asks.");
  }

  int numRequests() const { return m_server.numRequests(); }

  /// Ends them, and adds what they got.
  void end(Figures& figures) {
    const double seconds = static_cast<double>(m_timer.elapsed()) * 1e-3;
    m_process.closeWriteChannel();
    if (!m_process.waitForFinished(kServingWaitMs) || m_process.exitCode() != 0)
      qFatal("The clients failed.");
    const QList<QByteArray> said = m_process.readAllStandardOutput().simplified().split(' ');
    const QString unit = QStringLiteral("per s");
    figures.add({QStringLiteral("events to 64 clients of the API"),
                 said.value(0).toDouble() / seconds,
                 {},
                 unit});
    figures.add({QStringLiteral("requests that a client gives up midway"),
                 said.value(1).toDouble() / seconds,
                 {},
                 unit});
  }

 private:
  MemorySecrets m_secrets;
  ApiServer m_server;
  QProcess m_process;
  QElapsedTimer m_timer;
};

/// Some hundred million parameters: decoding waits for the memory on all cores.
QString makeLargeModel(const QTemporaryDir& folder) {
  const QString path = folder.filePath(QStringLiteral("large.gguf"));
  write_random_gguf(path.toStdString(), DType::kQ8_0,
                    {.num_layers = 8,
                     .hidden_size = 1536,
                     .num_heads = 12,
                     .num_kv_heads = 4,
                     .intermediate_size = 6144,
                     .vocab_size = 32000});
  return path;
}

}  // namespace

void measureServing(Figures& figures, const Options& given) {
  QTemporaryDir folder;
  Options options = given;
  options.engine = Options::Engine::Real;
  Streams streams(options);
  const auto driver = openBenchWindow(streams.backend(), folder.path());
  QList<ChatModel*> chats;
  for (int number = 0; number < kNumStreams; ++number)
    chats.append(&streams.begin(*driver, number));
  driver->app().navigation()->openChatBeside(driver->app().chats()->idAt(1));
  streams.waitFor(chats);
  Clients clients(*driver, *streams.engine());
  QTest::qWait(kSettleMs);
  measureTyping(figures, *driver, QStringLiteral("8 chats and 64 clients stream"));
  figures.add({QStringLiteral("requests of the API under way at the end"),
               static_cast<double>(clients.numRequests()),
               {},
               QString()});
  clients.end(figures);
}

void measureDecoding(Figures& figures, const Options& given) {
  QTemporaryDir folder;
  Options options = given;
  options.engine = Options::Engine::Real;
  if (options.model.isEmpty()) options.model = makeLargeModel(folder);
  Streams streams(options);
  const auto driver = openBenchWindow(streams.backend(), folder.path());
  streams.waitFor({&streams.begin(*driver, 0)});
  const auto before = streams.engine()->stats().output_tokens;
  const double seconds =
      measureTyping(figures, *driver, QStringLiteral("one chat decodes on all cores"));
  const auto tokens = streams.engine()->stats().output_tokens - before;
  figures.add({QStringLiteral("its tokens"),
               static_cast<double>(tokens) / seconds,
               {},
               QStringLiteral("per s")});
}

}  // namespace quire::bench
