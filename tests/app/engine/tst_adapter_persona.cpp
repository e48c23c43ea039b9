#include <QTemporaryDir>
#include <QTest>

#include "app/engine/engine_service.h"
#include "app/store/prefix/prefix_database.h"
#include "tests/support/answer_log.h"
#include "tests/support/bundled_model.h"
#include "tests/support/random_adapter.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

/// Some hundred tokens.
QString prompt() {
  return QStringLiteral("You are a sailor who speaks of ropes, tides, sails and harbours. ")
      .repeated(16);
}

/// The real engine with the database of prefixes: one run of the program.
class Run {
 public:
  explicit Run(const QString& folder) {
    m_database = std::make_shared<PrefixDatabase>(
        PrefixDatabaseOptions{.path = (folder + "/prefix.db").toStdString(),
                              .mayReplaceAny = true,
                              .log = [](const std::string&) {}});
    if (!m_database->flush(10s)) qFatal("the database did not open");
    EngineServiceOptions options;
    options.modelPath = QString::fromStdString(draft_model_folder());
    options.backend = {.device = "cpu", .num_threads = 1};
    options.engine.max_context = 1024;
    options.engine.kv_bytes = 8 << 20;
    options.engine.host_kv_bytes = 0;
    options.engine.prefix_store = m_database;
    m_service = std::make_unique<EngineService>(options);
  }
  ~Run() {
    m_service.reset();
    m_database->flush(10s);
  }

  EngineService& service() { return *m_service; }

  PersonaReport measure(const QString& adapter) {
    std::optional<PersonaReport> measured;
    const PendingReply asked = m_service->inspector().measurePersona(
        {prompt(), adapter}, {m_service.get(), [&](const auto& report) { measured = report; }});
    const bool isThere = QTest::qWaitFor([&] { return measured.has_value(); }, 60'000);
    return isThere ? *measured : PersonaReport();
  }

  AnswerReport answer(qint64 chatId, const QString& adapter) {
    ChatRequest request;
    request.turns = {{"system", prompt(), {}}, {"user", "Tell me about the sea.", {}}};
    request.chatId = chatId;
    request.personaId = 7;
    request.adapterPath = adapter;
    request.sampling = {.temperature = 0.0f, .max_tokens = 8};
    AnswerLog log(*m_service);
    const RequestId id = log.submit(request);
    const bool isDone = QTest::qWaitFor([&] { return log.numFinished() == 1; }, 60'000);
    return isDone ? log[id].report : AnswerReport();
  }

 private:
  std::shared_ptr<PrefixDatabase> m_database;
  std::unique_ptr<EngineService> m_service;
};

}  // namespace

/// Chats under a persona with an adapter compute what they add to its prompt, and no more.
class AdapterPersonaTest : public QObject {
  Q_OBJECT

 private slots:
  void laterChats_computeOnlyTheirOwn_afterARestartToo() {
    QTemporaryDir folder;
    const QString tone = folder.filePath("tone");
    write_random_adapter(tone.toStdString(), 1);
    AnswerReport first;
    int whole = 0;
    {
      Run run(folder.path());
      QTRY_VERIFY_WITH_TIMEOUT(run.service().state() == ModelManager::State::Ready, 60'000);
      const int tokens = run.measure(tone).tokens;
      whole = tokens / kBlockSize * kBlockSize;
      QVERIFY(whole > 200);
      QCOMPARE(run.measure(tone).residentTokens, 0);
      run.service().inspector().keepWarm({{prompt(), tone}});
      QTRY_COMPARE_WITH_TIMEOUT(run.measure(tone).residentTokens, whole, 60'000);
      QCOMPARE(run.measure({}).residentTokens, 0);  // Nothing of it is the model's alone.
      first = run.answer(1, tone);
      QCOMPARE(first.error, QString());
      QVERIFY(first.prompt.cachedTokens >= whole);
      const AnswerReport second = run.answer(2, tone);
      QVERIFY(second.prompt.cachedTokens >= whole);
      QCOMPARE(second.tokens, first.tokens);
      QVERIFY(run.answer(3, {}).tokens != first.tokens);
    }
    Run run(folder.path());
    run.service().inspector().keepWarm({{prompt(), tone}});
    QTRY_COMPARE_WITH_TIMEOUT(run.measure(tone).residentTokens, whole, 60'000);
    const AnswerReport again = run.answer(4, tone);
    QVERIFY(again.prompt.cachedTokens >= whole);
    QCOMPARE(again.tokens, first.tokens);
    // Neither the chat nor what was prepared before it computed the persona's prompt again.
    QVERIFY2(run.service().stats().computed_tokens < static_cast<uint64_t>(whole / 2),
             qPrintable(QString::number(run.service().stats().computed_tokens)));
  }
};

QTEST_GUILESS_MAIN(AdapterPersonaTest)
#include "tst_adapter_persona.moc"
