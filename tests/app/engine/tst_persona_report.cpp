#include <QTest>

#include "app/engine/engine_service.h"
#include "tests/support/answer_log.h"
#include "tests/support/bundled_model.h"

using namespace quire;

namespace {

const QString kPrompt = QStringLiteral(
    "You are a plain teacher. Explain things in simple words and end with a question for the "
    "learner. Begin with the idea itself, then give one everyday example, and name a technical "
    "term only after the thing that it names is clear.");

}  // namespace

/// What the real engine says of a persona: before it was used, after one chat, and after two.
class PersonaReportTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    EngineServiceOptions options;
    options.modelPath = QString::fromStdString(bundled_model_folder());
    options.bundledModelPath = options.modelPath;
    options.backend.device = "cpu";
    options.engine.max_context = 512;
    options.engine.kv_bytes = 4 << 20;
    options.engine.host_kv_bytes = 0;
    m_service = std::make_unique<EngineService>(options);
    QTRY_VERIFY_WITH_TIMEOUT(m_service->state() == ModelManager::State::Ready, 60'000);
  }

  void aPersona_isColdThenWarmThenShared() {
    const PersonaReport cold = measure();
    QVERIFY(cold.tokens > 32);
    QCOMPARE(cold.residentTokens, 0);
    QCOMPARE(cold.sharingChats, 0);
    answer(1);
    const PersonaReport warm = measure();
    QCOMPARE(warm.tokens, cold.tokens);
    QCOMPARE(warm.residentTokens, cold.tokens / 16 * 16);
    QCOMPARE(warm.sharingChats, 1);
    QCOMPARE(warm.bytesSaved, 0u);
    answer(2);
    const PersonaReport shared = measure();
    QCOMPARE(shared.sharingChats, 2);
    const quint64 bytesPerBlock = m_service->stats().bytes_per_block;
    QVERIFY(bytesPerBlock > 0);
    QCOMPARE(shared.bytesSaved, bytesPerBlock * static_cast<quint64>(cold.tokens / 16));
  }

  void anEmptyPrompt_hasNothingToKeep() { QCOMPARE(ask(QString()).tokens, 0); }

  void theModelsFiles_sayHowToDraw() {
    QVERIFY(m_service->defaultSampling({}).temperature.has_value());
  }

  void whatIsKeptWarm_staysWhenOthersFillThePool() {
    m_service->inspector().keepWarm({{kPrompt}, {QString()}});
    answer(3);
    const int resident = measure().residentTokens;
    QVERIFY(resident > 0);
    fillPool();
    QCOMPARE(measure().residentTokens, resident);
    m_service->inspector().keepWarm({});
    fillPool();
    QCOMPARE(measure().residentTokens, 0);
  }

  /// Nobody has asked anything yet: the first message of a chat finds all whole blocks.
  void whatIsKeptWarm_isComputedAhead() {
    const QString prompt = QStringLiteral("You are a sailor who speaks of ropes. ") + kPrompt;
    QCOMPARE(ask(prompt).residentTokens, 0);
    const uint64_t before = m_service->stats().prompt_tokens;
    m_service->inspector().keepWarm({{prompt}});
    const int whole = ask(prompt).tokens / 16 * 16;
    QVERIFY(whole > 48);
    QTRY_COMPARE_WITH_TIMEOUT(ask(prompt).residentTokens, whole, 60'000);
    ChatRequest request;
    request.turns = {{"system", prompt, {}}, {"user", "Tell me about the sea.", {}}};
    request.chatId = 4711;
    request.sampling.max_tokens = 1;
    AnswerLog log(*m_service);
    const RequestId id = log.submit(request);
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 1, 20'000);
    const AnswerReport report = log[id].report;
    QCOMPARE(report.prompt.cachedTokens, whole);
    // What was computed ahead is no prompt of anybody's.
    QTRY_COMPARE(m_service->stats().prompt_tokens - before,
                 static_cast<uint64_t>(report.prompt.promptTokens));
    m_service->inspector().keepWarm({});
  }

  /// An answer begins though much is to be computed ahead, and that goes on after it.
  void whatIsKeptWarm_givesWayToAnswers() {
    QStringList prompts;
    for (int i = 0; i < 4; ++i) {
      prompts += QStringLiteral("Persona %1. ").arg(i) + kPrompt + kPrompt;
    }
    QList<PersonaPrompt> personas;
    for (const QString& prompt : qAsConst(prompts)) personas.append({prompt});
    m_service->inspector().keepWarm(personas);
    answer(5);
    for (const QString& prompt : qAsConst(prompts)) {
      QTRY_COMPARE_WITH_TIMEOUT(ask(prompt).residentTokens, ask(prompt).tokens / 16 * 16, 60'000);
    }
    m_service->inspector().keepWarm({});
    fillPool();
  }

 private:
  PersonaReport ask(const QString& prompt) {
    std::optional<PersonaReport> measured;
    const PendingReply asked = m_service->inspector().measurePersona(
        {prompt}, {this, [&](const PersonaReport& report) { measured = report; }});
    const bool isThere = QTest::qWaitFor([&] { return measured.has_value(); }, 60'000);
    return isThere ? *measured : PersonaReport();
  }
  PersonaReport measure() { return ask(kPrompt); }

  /// Chats under other personas, until each block of the pool has held something of theirs.
  void fillPool() {
    const QString words = QStringLiteral("one two three four five six seven eight nine ten ");
    for (int i = 0; i < 40; ++i) {
      const qint64 chat = ++m_lastFiller;
      answerTo({{"system", QString::number(chat) + u' ' + words.repeated(8), {}},
                {"user", "And so on?", {}}},
               chat);
    }
  }

  void answer(qint64 chatId) {
    answerTo({{"system", kPrompt, {}}, {"user", QString("Question %1").arg(chatId), {}}}, chatId);
  }

  void answerTo(const QList<ChatTurn>& turns, qint64 chatId) {
    ChatRequest request;
    request.turns = turns;
    request.chatId = chatId;
    request.personaId = 7;
    request.sampling.max_tokens = 4;
    AnswerLog log(*m_service);
    log.submit(request);
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 1, 20'000);
  }

  std::unique_ptr<EngineService> m_service;
  qint64 m_lastFiller = 1000;
};

QTEST_GUILESS_MAIN(PersonaReportTest)
#include "tst_persona_report.moc"
