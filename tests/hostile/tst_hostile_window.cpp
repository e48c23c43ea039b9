#include <QDir>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QQmlApplicationEngine>
#include <QQuickWindow>
#include <QTemporaryDir>
#include <QTest>

#include <map>

#include "app/app_model.h"
#include "app/engine/engine_service.h"
#include "app/error_strings.h"
#include "app/model_link.h"
#include "app/models/scan/model_inspector.h"
#include "app/models/scan/model_reader.h"
#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/window.h"
#include "tests/hostile/hostile_check.h"
#include "tests/hostile/scanned_home.h"
#include "tests/support/bundled_model.h"
#include "tests/support/thread_time.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;
using namespace quire::test;

namespace {

constexpr uint32_t kSeed = 22;
constexpr int kPatienceMs = 120'000;
/// Readers that die or hang cost a scan at most this: ModelScanner::Options::mostLostMs.
constexpr qint64 kMostLostMs = 20'000;
constexpr qint64 kMostScanMs = kMostLostMs + 40'000;

EngineServiceOptions options() {
  EngineServiceOptions options;
  options.bundledModelPath = QString::fromStdString(bundled_model_folder());
  options.backend.device = "cpu";
  options.backend.num_threads = 2;
  options.engine.kv_bytes = 32 << 20;
  return options;
}

/// The program, as main() puts it together.
struct Program {
  Program(const QString& home, const QString& data, std::shared_ptr<ModelInspector> reader)
      : service(options()),
        app(service, data, {}),
        inspector(reader ? std::move(reader) : makeInspector(data)) {
    qputenv("HOME", QFile::encodeName(home));
    linkModels(app, service, {.named = {}, .bundled = options().bundledModelPath}, inspector);
    app.library()->clock().setImmediate(true);
    app.open();
    window = openWindow(app);
  }
  ~Program() {
    inspector->stop();
    window.reset();
  }
  QQuickWindow* shown() const {
    return qobject_cast<QQuickWindow*>(window->rootObjects().constFirst());
  }

  EngineService service;
  AppModel app;
  std::shared_ptr<ModelInspector> inspector;
  std::unique_ptr<QQmlApplicationEngine> window;
};

/// What a start takes, in milliseconds of the wall.
struct Times {
  qint64 open = 0;
  qint64 ready = 0;
  qint64 answer = 0;
};

/// Other tests may use the processors at the same time: only the long form, which is run alone,
/// compares wall-clock times.
bool isAlone() {
  return qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
}

/// Slower only by what the machine itself may be at another time.
void compare(const char* what, qint64 usual, qint64 now) {
  qInfo("%s: %lld ms, without the files %lld ms", what, now, usual);
  if (isAlone()) QVERIFY2(now <= 2 * usual + 1000, what);
}

}  // namespace

/// The window with the whole corpus where it searches for models. An event that keeps its thread
/// too long fails the test, as does a warning.
class HostileWindowTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (!QFileInfo::exists(options().bundledModelPath + "/config.json"))
      QSKIP("The bundled model is not in this tree.");
    for (const char* name :
         {"XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "HF_HOME", "HF_HUB_CACHE",
          "HUGGINGFACE_HUB_CACHE", "OLLAMA_MODELS", "LLAMA_CACHE"})
      qunsetenv(name);
    const std::filesystem::path home = m_folder.filePath("full").toStdString();
    m_files = makeHostileFiles(lmStudioFolder(home), kSeed);
    spreadOverHome(home, m_files);
    QDir().mkpath(m_folder.filePath("empty"));
    start("empty", "warm");  // Fonts and caches of the disk.
    const double before = thread_ms();
    m_usual = start("empty", "usual");
    m_usualThreadMs = thread_ms() - before;
  }

  void cleanupTestCase() {  // Qt cannot name all of them.
    std::filesystem::remove_all(m_folder.filePath("full").toStdString());
  }

  void window_opensInItsTime_andAnswersWhileItScans() {
    const Times now = start("full", "data", [this](Program& program) { checkScan(program); });
    compare("open", m_usual.open, now.open);
    compare("the model is ready", m_usual.ready, now.ready);
    compare("answer", m_usual.answer, now.answer);
  }

  /// The next start knows them, also those that ended their reader: its reader, which would die of
  /// any, is asked for none that has a verdict.
  void nextScan_readsNoneAgain() {
    const QByteArray verdicts = contentOf(m_folder.filePath("data/verdicts.json"));
    const QJsonObject all = QJsonDocument::fromJson(verdicts)["verdicts"].toObject();
    QStringList known = all.keys().filter(m_folder.filePath("full"));
    // One that was late on a busy machine is read once more.
    known.removeIf([&](const QString& path) {
      return errorFromJson(all[path]["why"].toObject()).code == ErrorCode::kCancelled;
    });
    QVERIFY(known.size() > 100);
    QFile program(m_folder.filePath("reader"));
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write(
        "#!/bin/bash\nwhile read -r line; do case \"$line\" in *'\"path\":\"\"'*) echo '{}' >&0;; "
        "*) echo \"$line\" >> \"$0.log\"; kill -SEGV $$;; esac; done\n");
    program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    program.close();
    const auto reader = std::make_shared<ModelInspector>(
        ModelInspector::Options{.program = program.fileName(),
                                .verdictsPath = m_folder.filePath("data/verdicts.json"),
                                .readerVersion = modelReaderVersion()});
    const auto scan = [](Program& started) {
      QElapsedTimer time;
      time.start();
      QTRY_VERIFY_WITH_TIMEOUT(!started.app.models()->isScanning(), kPatienceMs);
      qInfo("second scan: %lld ms", time.elapsed());
      if (isAlone()) QVERIFY2(time.elapsed() < 5000, qPrintable(QString::number(time.elapsed())));
    };
    start("full", "data", scan, reader);
    const QString asked = QString::fromUtf8(contentOf(program.fileName() + ".log"));
    for (const QString& path : known) QVERIFY2(!asked.contains(path), qPrintable(path));
  }

  /// In a store that another program wrote: laying out all of such a title takes 20 s.
  void longNames_areNotLaidOut() {
    const QString folder = m_folder.filePath("names");
    {
      const auto store = ConversationStore::open(folder);
      QVERIFY(store);
      QVERIFY((*store)->putFolder({.id = 90, .name = "a"}));
      QVERIFY((*store)->putChat({.id = 100, .title = "a", .createdMs = 1'700'000'000'000}));
      const auto database = openStore(folder);
      QVERIFY(database);
      const QString name = QString(10'000'000, u'x');
      QVERIFY(Statement(**database, "UPDATE folder SET name = ?").bind(name).run());
      QVERIFY(Statement(**database, "UPDATE chat SET title = ?").bind(name).run());
    }
    const double before = thread_ms();
    start("empty", "names");
    const double ms = thread_ms() - before;
    qInfo("with long names: %.0f ms of the window's thread, usually %.0f", ms, m_usualThreadMs);
    QVERIFY2(ms < 2 * m_usualThreadMs + 5000, qPrintable(QString::number(ms)));
  }

 private:
  /// Starts the program, has it search at once and, while it does, answer.
  Times start(
      const char* home, const char* data,
      const std::function<void(Program&)>& then = [](Program&) {},
      const std::shared_ptr<ModelInspector>& reader = nullptr) {
    Times times;
    QElapsedTimer time;
    time.start();
    auto uncounted = std::make_unique<WatchedApplication::Uncounted>();
    Program program(m_folder.filePath(home), m_folder.filePath(data), reader);
    if (!QTest::qWaitForWindowExposed(program.shown())) qFatal("The window does not appear.");
    times.open = time.elapsed();
    uncounted.reset();
    m_scanTime.start();
    program.app.models()->prepare();
    if (!QTest::qWaitFor([&] { return program.app.engine()->isReady(); }, kPatienceMs))
      qFatal("The bundled model is not loaded.");
    times.ready = time.elapsed();
    time.restart();
    const QString text = answer(program.app);
    times.answer = time.elapsed();
    if (text.isEmpty()) qFatal("There is no answer.");
    then(program);
    program.app.close();
    return times;
  }

  static QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  static QString answer(AppModel& app) {
    ChatModel& chat = *app.currentChat();
    chat.composer()->sendText("What is the capital of France?");
    const auto isGenerating = [&] { return chat.turns()->isGenerating(); };
    if (!QTest::qWaitFor(isGenerating, kPatienceMs)) return {};
    if (!QTest::qWaitFor([&] { return !isGenerating(); }, kPatienceMs)) return {};
    const Conversation& messages = chat.conversation();
    return messages.find(messages.head())->text();
  }

  void checkScan(Program& program) {
    ModelLibrary& models = *program.app.models();
    QTRY_VERIFY_WITH_TIMEOUT(!models.isScanning(), kPatienceMs);
    qInfo("scan: %lld ms, %s, left out: %s", m_scanTime.elapsed(), qPrintable(models.countText()),
          qPrintable(models.leftOutText()));
    if (isAlone()) {
      QVERIFY2(m_scanTime.elapsed() < kMostScanMs,
               qPrintable(QString::number(m_scanTime.elapsed())));
    }
    const std::string said = (models.leftOutHint() + models.notice()).toStdString();
    QVERIFY2(!hasHiddenCharacters(said), said.c_str());
    int numRefused = 0;
    for (const HostileFile& file : m_files) {
      if (file.use != HostileUse::kInspect) continue;
      const ModelCard* card = models.cards().find(QFile::decodeName(file.path.c_str()));
      if (card == nullptr || !card->isFound()) continue;
      const std::string shown = (card->name() + u'\n' + card->obstacle()).toStdString();
      QVERIFY2(!hasHiddenCharacters(shown), shown.c_str());
      if (file.end == HostileEnd::kRefused) {
        QVERIFY2(!card->obstacle().isEmpty(), file.path.c_str());
        ++numRefused;
      }
    }
    qInfo("%d cards with obstacles", numRefused);
    QVERIFY(numRefused > 300);
  }

  QTemporaryDir m_folder;
  std::vector<HostileFile> m_files;
  Times m_usual;
  double m_usualThreadMs = 0;
  QElapsedTimer m_scanTime;
};

QUIRE_UI_TEST_MAIN(HostileWindowTest)
#include "tst_hostile_window.moc"
