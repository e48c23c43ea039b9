#include <QCoreApplication>
#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>

#include "app/hub/download_queue.h"
#include "app/hub/hugging_face_hub.h"
#include "tests/app/hub/test_hub.h"
#include "tests/bench/window/measures.h"
#include "tests/bench/window/streams.h"

namespace quire::bench {
namespace {

constexpr int kDownloadingWaitMs = 60'000;
constexpr int kNumDownloads = 4;
constexpr qint64 kFileBytes = qint64{1} << 30;
constexpr qint64 kBytesPerSecond = 100'000'000;  ///< Of all together, as a fast line has.
constexpr qint64 kBlockBytes = 1 << 20;

QString nameOf(int number) {
  return QStringLiteral("org/repo%1").arg(number);
}

/// A file of one block again and again, which costs its server nothing.
HubBlob largeFile() {
  const QByteArray head = ggufHeadOf(kFileBytes);
  const QByteArray block = randomBytes(kBlockBytes, 1);
  const auto read = [head, block](qint64 at, qint64 count) {
    QByteArray bytes;
    while (bytes.size() < count) {
      const qint64 from = (at + bytes.size()) % kBlockBytes;
      bytes += block.mid(from, std::min(kBlockBytes - from, count - bytes.size()));
    }
    if (at < head.size()) bytes.replace(0, std::min(head.size() - at, count), head.mid(at, count));
    return bytes;
  };
  QCryptographicHash hash(QCryptographicHash::Sha256);
  for (qint64 at = 0; at < kFileBytes; at += kBlockBytes) hash.addData(read(at, kBlockBytes));
  return {.bytes = kFileBytes,
          .read = read,
          .sha256 = hash.result().toHex(),
          .gitSha1 = QByteArray(40, '0')};
}

/// The test hub in another process, so that its work is not this one's.
class HubProcess {
 public:
  HubProcess() {
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--test-hub")});
    while (m_process.state() != QProcess::NotRunning && !m_process.canReadLine()) {
      m_process.waitForReadyRead(1000);
    }
    m_address = QString::fromLatin1(m_process.readLine()).trimmed();
    if (m_address.isEmpty()) qFatal("The test hub does not start.");
  }
  ~HubProcess() {
    m_process.closeWriteChannel();
    m_process.waitForFinished(kDownloadingWaitMs);
  }
  QUrl address() const { return QUrl(m_address); }

 private:
  QProcess m_process;
  QString m_address;
};

DownloadPlan planFor(HuggingFaceHub& hub, int number, const QString& folder) {
  std::optional<Result<HubModel>> model;
  const auto name = readHubName(nameOf(number));
  hub.model(*name, [&](const Result<HubModel>& found) { model = found; });
  if (!QTest::qWaitFor([&] { return model.has_value(); }, kDownloadingWaitMs) || !*model) {
    qFatal("The test hub does not answer.");
  }
  const auto choice = chooseFiles(**model, {});
  const auto plan = planDownload(**model, *choice, folder);
  if (!plan) qFatal("%s", plan.error().message.c_str());
  return *plan;
}

qint64 bytesOf(const DownloadQueue& queue) {
  qint64 bytes = 0;
  for (const DownloadId id : queue.ids()) bytes += queue.status(id).bytes;
  return bytes;
}

}  // namespace

int runTestHub(const QStringList& words) {
  if (words.value(0) != QLatin1String("--test-hub")) return -1;
  TestHub hub;
  const HubBlob file = largeFile();
  for (int number = 0; number < kNumDownloads; ++number) {
    hub.addModel(nameOf(number).toLatin1(), {{"m.gguf", file}});
  }
  std::printf("%s\n", qPrintable(hub.address()));
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

void measureDownloading(Figures& figures, const Options& given) {
  QTemporaryDir folder;
  QTemporaryDir models;
  Options options = given;
  options.engine = Options::Engine::Real;
  const HubProcess process;
  Streams streams(options);
  const auto driver = openBenchWindow(streams.backend(), folder.path());
  QList<ChatModel*> chats;
  for (int number = 0; number < kNumStreams; ++number)
    chats.append(&streams.begin(*driver, number));
  driver->app().navigation()->openChatBeside(driver->app().chats()->idAt(1));
  streams.waitFor(chats);
  HuggingFaceHub hub({.endpoint = process.address()});
  DownloadQueue queue;
  queue.setMaxRunning(kNumDownloads);
  queue.setBytesPerSecond(kBytesPerSecond);
  for (int number = 0; number < kNumDownloads; ++number)
    queue.add(planFor(hub, number, models.path()));
  if (!QTest::qWaitFor([&] { return bytesOf(queue) > kBytesPerSecond; }, kDownloadingWaitMs))
    qFatal("Nothing is downloaded.");
  const qint64 before = bytesOf(queue);
  const double seconds =
      measureTyping(figures, *driver, QStringLiteral("8 chats stream and 4 models come"));
  figures.add({QStringLiteral("downloaded besides"),
               static_cast<double>(bytesOf(queue) - before) / 1e6 / seconds,
               {},
               QStringLiteral("MB per s")});
}

}  // namespace quire::bench
