#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "app/engine/engine_service.h"
#include "app/hub_link/hub_link.h"
#include "app/models/scan/model_reader.h"
#include "app/remote/memory_secrets.h"
#include "tests/app/hub/test_hub.h"
#include "tests/support/bundled_model.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/hands.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

constexpr int kPatienceMs = 60'000;

EngineServiceOptions options() {
  EngineServiceOptions options;
  options.modelPath = QString::fromStdString(bundled_model_folder());
  options.bundledModelPath = options.modelPath;
  options.backend.device = "cpu";
  options.backend.num_threads = 2;
  options.engine.kv_bytes = 32 << 20;
  return options;
}

QByteArray smallModel() {
  QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/qwen3.gguf"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("qwen3.gguf is not in the tree.");
  return file.readAll();
}

}  // namespace

/// The newcomer's way to a model, by hand, against a server like the real hubs: search, choose,
/// download, load, and the model's answer.
class GetModelsTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    qunsetenv("HF_ENDPOINT");
    m_folder = std::make_unique<QTemporaryDir>();
    m_hub = std::make_unique<TestHub>();
    m_hub->addModel("org/small-GGUF", {{"small-Q4_K_M.gguf", HubBlob::of(smallModel())},
                                       {"small-Q8_0.gguf", HubBlob::of(smallModel() + "more")}});
    m_engine = std::make_unique<EngineService>(options());
    start();
    QTRY_VERIFY_WITH_TIMEOUT(m_driver->app().engine()->isReady(), kPatienceMs);
  }
  void tidyUp() override {
    stop();
    m_engine.reset();
    m_hub.reset();
  }

 private slots:
  void initTestCase() {
    const QString config = QString::fromStdString(bundled_model_folder()) + "/config.json";
    if (!QFileInfo::exists(config)) QSKIP("The bundled model is not in this tree.");
  }

  void searchChooseDownloadLoad_bringsTheModelsAnswer() {
    showPage();
    QVERIFY(m_hands->click("getModels"));
    QTRY_VERIFY(m_driver->item("hubSearch") && m_driver->item("hubSearch")->hasActiveFocus());
    m_hands->type("small");
    QCOMPARE(m_hub->seen().size(), 0);  // Only Return asks.
    m_hands->press(Qt::Key_Return);
    QVERIFY(m_hands->click("foundModel"));
    QTRY_VERIFY(m_hands->sees("Licence: mit"));
    QVERIFY(m_hands->click("getModel"));
    QTRY_COMPARE(source().downloads()->count(), 1);
    QVERIFY(m_hands->click("getModelsDone"));
    QTRY_VERIFY(!m_driver->item("hubSearch"));  // Until it has faded, it takes the clicks.
    QTRY_VERIFY_WITH_TIMEOUT(m_hands->sees("Downloaded and verified"), kPatienceMs);
    // It is in the list before it is loaded.
    QTRY_VERIFY_WITH_TIMEOUT(card() && card()->isFound(), kPatienceMs);
    QVERIFY(m_hands->click("downloadLoad"));
    QTRY_VERIFY_WITH_TIMEOUT(card()->isPrimary(), kPatienceMs);
    QCOMPARE(source().downloads()->count(), 0);
    QCOMPARE(m_driver->app().models()->notice(), QString());
    QCOMPARE(card()->source(), QString("Quire"));
    m_driver->app().navigation()->setPage(Navigation::Page::Chats);
    ChatModel& chat = m_driver->chat();
    MessageRecord answer;
    // A random model may end an answer at once.
    for (int asked = 0; asked < 8 && answer.text().isEmpty(); ++asked) {
      chat.composer()->sendText("What is Quire?");
      QTRY_VERIFY_WITH_TIMEOUT(chat.turns()->isGenerating(), kPatienceMs);
      QTRY_VERIFY_WITH_TIMEOUT(!chat.turns()->isGenerating(), kPatienceMs);
      answer = *chat.conversation().find(chat.conversation().head());
    }
    QVERIFY(!answer.text().isEmpty());
    QCOMPARE(answer.modelName, QString("tiny qwen3"));  // As the file says.
  }

  void download_isPausedContinuedAndCancelledByHand() {
    m_hub->setFaults(
        [](const HubRequest&, int) { return HubFault{.kind = HubFault::Kind::kSlow, .at = 500}; });
    m_hub->addModel("org/large-GGUF",
                    {{"large-Q4_K_M.gguf", HubBlob::of(smallModel().leftJustified(2'000'000))}});
    showPage();
    source().openModel("org/large-GGUF");
    QTRY_VERIFY(source().showsFiles());
    source().get(0);
    QVERIFY(m_hands->click("downloadPause"));
    QTRY_VERIFY(m_hands->sees("Continue"));
    QVERIFY(m_hands->click("downloadContinue"));
    QTRY_VERIFY(m_hands->sees("Pause"));
    const auto bytes = [this] { return source().downloads()->progress(); };
    QTRY_VERIFY(bytes() > 0.0);
    QVERIFY(m_hands->click("downloadCancel"));
    QVERIFY(m_hands->click("keepDownload"));
    QTRY_VERIFY(m_hands->sees("Continue"));
    // It is paused after another start, too, and nothing is sent.
    stop();
    const qsizetype numSeen = m_hub->seen().size();
    start();
    showPage();
    QTRY_VERIFY(m_hands->sees("Continue"));
    QCOMPARE(m_hub->seen().size(), numSeen);
    QVERIFY(m_hands->click("downloadCancel"));
    QVERIFY(m_hands->click("deleteDownload"));
    QTRY_COMPARE(source().downloads()->count(), 0);
    QVERIFY(!QDir(m_folder->filePath("models/.incoming")).exists());
  }

  void failure_isSaid_andTriedAgain() {
    m_hub->setFaults([](const HubRequest&, int) {
      return HubFault{.kind = HubFault::Kind::kStatus, .status = 403};
    });
    showPage();
    source().openModel("org/small-GGUF");
    QTRY_VERIFY(source().showsFiles());
    source().get(0);
    QTRY_VERIFY_WITH_TIMEOUT(m_hands->sees("Try again"), kPatienceMs);
    QTRY_VERIFY(m_hands->sees("does not give"));
    source().open();  // The sheet says it once, in the row of the file.
    QTRY_VERIFY(m_driver->item("fileProblem") && m_driver->item("fileProblem")->isVisible());
    QVERIFY(!m_driver->item("sheetFailure")->isVisible());
    source().close();
    QTRY_VERIFY(!m_driver->item("hubSearch"));
    QVERIFY(!m_hands->sees("--"));  // The window has no command line.
    m_hub->setFaults({});
    QVERIFY(m_hands->click("downloadContinue"));
    QTRY_VERIFY_WITH_TIMEOUT(m_hands->sees("Downloaded and verified"), kPatienceMs);
  }

 private:
  GetModels& source() { return *m_driver->app().getModels(); }
  ModelCard* card() {
    return m_driver->app().models()->cards().find(
        m_folder->filePath("models/org/small-GGUF/small-Q4_K_M.gguf"));
  }
  void showPage() {
    m_driver->app().navigation()->setPage(Navigation::Page::Models);
    QTRY_VERIFY(m_driver->item("getModels") && m_driver->item("getModels")->isVisible());
  }
  void start() {
    m_driver = std::make_unique<WindowDriver>(
        *m_engine, m_folder->filePath("data"), QByteArray(), false, [this](AppModel& app) {
          app.models()->setScanner(std::make_unique<ModelScanner>(ModelScanner::Options{
              .reader = readModelFacts,
              .environment = {.home = m_folder->filePath("home"),
                              .variable = [](const char*) { return QString(); },
                              .systemRoot = m_folder->path()}}));
          linkHub(app, m_secrets,
                  {.endpoint = QUrl(m_hub->address()),
                   .folder = m_folder->filePath("models"),
                   .downloads = {.spareBytes = 0}});
        });
    m_hands = std::make_unique<Hands>(*m_driver->window());
  }
  void stop() {
    m_hands.reset();
    m_driver.reset();
  }

  MemorySecrets m_secrets;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<TestHub> m_hub;
  std::unique_ptr<EngineService> m_engine;
  std::unique_ptr<WindowDriver> m_driver;
  std::unique_ptr<Hands> m_hands;
};

QUIRE_UI_TEST_MAIN(GetModelsTest)
#include "tst_get_models.moc"
