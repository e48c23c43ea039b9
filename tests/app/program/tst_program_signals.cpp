#include <QElapsedTimer>
#include <QTest>

#include <signal.h>

#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "tests/app/program/real_program.h"
#include "tests/app/store/sample_records.h"
#include "tests/bench/random_gguf.h"

using namespace quire;

namespace {

constexpr int kPatienceMs = 60'000;
constexpr int kMostStarts = 8;
/// A session that ends gives a program some seconds before it kills it.
constexpr int kEndMs = 30'000;

}  // namespace

/// The program `quire`, asked to end by a signal while it writes an answer.
class ProgramSignalsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_program = std::make_unique<RealProgram>();
    bench::write_random_gguf(model().toStdString(), DType::kF16,
                             {.num_layers = 8,
                              .hidden_size = 512,
                              .num_heads = 8,
                              .num_kv_heads = 2,
                              .intermediate_size = 1536,
                              .vocab_size = 400,
                              .context = 32768});
    const auto store = ConversationStore::open(m_program->data());
    QVERIFY(store);
    QVERIFY((*store)->putSetting("window.firstRunDone", "1"));
  }
  void cleanup() { m_program.reset(); }

  void signal_closesTheWindow_andKeepsTheAnswer_data() {
    QTest::addColumn<int>("number");
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGHUP") << SIGHUP;
  }
  void signal_closesTheWindow_andKeepsTheAnswer() {
    QFETCH(int, number);
    MessageRecord answer;
    // An answer may end, at random, just before the signal comes.
    for (int i = 0; i < kMostStarts && answer.status != MessageStatus::Interrupted; ++i) {
      if (i > 0) init();
      startAndAsk();
      if (QTest::currentTestFailed()) return;
      QVERIFY(send(number));
      QVERIFY(m_program->process().waitForFinished(kEndMs));
      QCOMPARE(m_program->process().exitStatus(), QProcess::NormalExit);
      QCOMPARE(m_program->process().exitCode(), 0);
      QCOMPARE(leftFiles(), QStringList());
      const auto store = ConversationStore::open(m_program->data(), /*recover=*/false);
      QVERIFY(store);
      const QList<ChatRecord> chats = (*store)->chats().value();
      QCOMPARE(chats.size(), 1);
      const QList<MessageRecord> messages = (*store)->messages(chats[0].id).value();
      QCOMPARE(messages.size(), 2);
      QCOMPARE(messages[0].text(), QString("Tell me everything"));
      answer = messages[1];
      QVERIFY(!answer.tokens.isEmpty());
      QVERIFY(answer.status == MessageStatus::Interrupted ||
              answer.status == MessageStatus::Complete);
    }
    QCOMPARE(answer.status, MessageStatus::Interrupted);
  }

  /// As a session ends. The program saves first.
  void signalsAtOnce_areOne() {
    startAndAsk();
    if (QTest::currentTestFailed()) return;
    QVERIFY(send(SIGTERM));
    QVERIFY(send(SIGHUP));
    QVERIFY(m_program->process().waitForFinished(kEndMs));
    QCOMPARE(m_program->process().exitStatus(), QProcess::NormalExit);
    QCOMPARE(m_program->process().exitCode(), 0);
    QCOMPARE(leftFiles(), QStringList());
  }

  /// The window waits for the disk, which takes nothing, until it is asked a second time.
  void secondSignal_endsTheProgramAtOnce() {
    startAndAsk();
    if (QTest::currentTestFailed()) return;
    const auto other = samples::openAnyFile(storePath(m_program->data()));
    QVERIFY(other->exec("BEGIN IMMEDIATE"));
    QVERIFY(send(SIGINT));
    QVERIFY(!m_program->process().waitForFinished(1500));
    QVERIFY(send(SIGINT));
    QVERIFY(m_program->process().waitForFinished(20'000));
    QCOMPARE(m_program->process().exitStatus(), QProcess::CrashExit);
  }

 private:
  QString model() const { return m_program->folder() + "/own.gguf"; }

  bool send(int number) {
    return ::kill(static_cast<pid_t>(m_program->process().processId()), number) == 0;
  }

  /// Until some of an answer is on the disk. The model may end an answer before that, at random;
  /// then another program asks.
  void startAndAsk() {
    for (int i = 0; i < kMostStarts; ++i) {
      m_program->setEnvironment({"QUIRE_SAID=Tell me everything"});
      QVERIFY(m_program->start(QUIRE_PROGRAM, {"--model", model()}));
      QTRY_VERIFY2_WITH_TIMEOUT(numAnswers("status <> 1 OR length(tokens) > 0") > 0,
                                qPrintable(m_program->shownTexts()), kPatienceMs);
      if (numAnswers("status = 1") > 0) return;
      init();
    }
    QFAIL("Every answer ended at once.");
  }

  /// The number of answers in the store that meet an SQL condition. While an answer is written, its
  /// status is 1.
  qint64 numAnswers(const std::string& condition) const {
    const auto database = openStoreForReading(m_program->data());
    if (!database) return 0;
    return (*database)
        ->number("SELECT count(*) FROM message WHERE role = 'assistant' AND (" + condition + ")")
        .value_or(0);
  }

  /// What only a program that still runs has in its folder.
  QStringList leftFiles() const {
    return QDir(m_program->data())
        .entryList({"*-wal", "*-shm", "*-journal", "*.lock", "loading"}, QDir::AllEntries);
  }

  std::unique_ptr<RealProgram> m_program;
};

QTEST_GUILESS_MAIN(ProgramSignalsTest)
#include "tst_program_signals.moc"
