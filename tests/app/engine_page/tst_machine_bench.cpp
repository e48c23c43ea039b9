#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QSysInfo>
#include <QTest>

#include "app/engine_page/machine_bench.h"
#include "app/session/interface_language.h"
#include "tests/support/fake_backend.h"

using namespace quire;

/// The benchmark of the engine page, on a backend that answers at once.
class MachineBenchTest : public QObject {
  Q_OBJECT

 private:
  const InterfaceLanguage m_language;

 private slots:
  void init() {
    m_backend = std::make_unique<FakeBackend>();
    ModelState state = {.path = "/home/anna/Models/annas-secret-tune.gguf",
                        .name = "annas-secret-tune"};
    state.state = ModelState::State::kReady;
    state.serving = state.primary = true;
    m_backend->modelNameValue = "annas-secret-tune";
    m_backend->setModels({state});
    m_bench = std::make_unique<MachineBench>(*m_backend, *m_backend);
    m_bench->setDescribe([this](const QString& path) {
      m_described = path;
      return BenchModel{.architecture = "qwen3", .type = "Q4_K_M"};
    });
  }
  void cleanup() { m_bench.reset(); }

  void text_hasAllFigures_andNothingPrivate() {
    m_bench->start();
    QVERIFY(m_bench->isRunning());
    QVERIFY(QTest::qWaitFor([this] { return isDone(); }, 30'000));
    QCOMPARE(m_bench->notice(), QString());
    const QString text = m_bench->text();
    for (const char* part : {"benchmark", "qwen3, Q4_K_M", " 1 chat ", " 4 chats", "16 chats"})
      QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text));
    QCOMPARE(m_backend->requests.size(), 1 + 1 + 4 + 16);
    QCOMPARE(m_described, QString("/home/anna/Models/annas-secret-tune.gguf"));
    for (const QString& secret : {QString("anna"), QString("/home"), QString(".gguf"),
                                  QSysInfo::machineHostName(), QDir::homePath()}) {
      if (secret.size() > 3) QVERIFY2(!text.contains(secret), qPrintable(text));
    }
    m_bench->copy();
    QCOMPARE(QGuiApplication::clipboard()->text(), text);
  }

  void prompts_differ_soThatNoneIsCached() {
    m_bench->start();
    QVERIFY(QTest::qWaitFor([this] { return isDone(); }, 30'000));
    QSet<QString> prompts;
    for (const ChatRequest& request : m_backend->requests) prompts.insert(request.rawPrompt->text);
    QCOMPARE(prompts.size(), m_backend->requests.size());
  }

  void busyChats_areNotDisturbed() {
    ModelState state = m_backend->models().first();
    state.runningRequests = 1;
    m_backend->setModels({state});
    m_bench->start();
    QVERIFY(!m_bench->isRunning());
    QVERIFY(m_bench->notice().startsWith("Chats are being answered."));
    QVERIFY(m_backend->requests.isEmpty());
  }

  void chatThatBegins_stopsIt() {
    m_bench->start();
    QTRY_COMPARE_WITH_TIMEOUT(m_backend->requests.size(), 1, 20'000);
    emit m_backend->throughputChanged(10.0, 1);
    QVERIFY(m_bench->isRunning());
    emit m_backend->throughputChanged(10.0, 2);
    QVERIFY(!m_bench->isRunning());
    QVERIFY(m_bench->notice().startsWith("Stopped, because a chat began."));
    m_backend->advance(50);
    QVERIFY(m_bench->text().isEmpty());
  }

  void cancel_withdrawsTheRequests() {
    m_bench->start();
    QTRY_COMPARE_WITH_TIMEOUT(m_backend->requests.size(), 1, 20'000);
    QCOMPARE(m_backend->numRunning(), 1);
    m_bench->cancel();
    QTRY_COMPARE(m_backend->numRunning(), 0);
    QVERIFY(m_bench->text().isEmpty());
    QVERIFY(m_bench->notice().isEmpty());
  }

  void withoutAModel_itSaysSo() {
    m_backend->setState(ModelManager::State::Unloaded);
    m_bench->start();
    QCOMPARE(m_bench->notice(), QString("Load a model first."));
  }

 private:
  bool isDone() {
    m_backend->advance();
    return !m_bench->isRunning();
  }

  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<MachineBench> m_bench;
  QString m_described;
};

QTEST_MAIN(MachineBenchTest)
#include "tst_machine_bench.moc"
