#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/cli/cli_process.h"

using quire::CliResult;
using quire::runCli;

/// The terminal chat, fed through a pipe: answers on stdout, everything else on stderr.
class TestCliChat : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { REQUIRE_BUNDLED_MODEL(); }
  void pipe_isAnsweredLineByLine();
  void greeting_namesTheDemonstrationModel();
  void secondTurn_findsTheFirstInTheCache();
  void stats_countStatesOfRecurrentLayers();
  void commands_work();
  void overflow_isSaidAndTheChatGoesOn();
  void longChat_leavesItsOldestMessagesOut();
  void interrupt_stopsTheAnswerNotTheProgram();
  void escapesInVocabulary_areShown();
  void escapesInNames_areShown();
  void pipedOutput_isByteExact();
};

namespace {

const QStringList kChat = {"chat", "--temperature", "0", "--max-tokens", "24"};
const QStringList kStory = {"generate",     "--chat", "--temperature", "0",
                            "--max-tokens", "60",     "--prompt",      "Tell me a story."};

/// The bundled model in `folder`, with an escape sequence as its word for "the". False if it could
/// not be made.
bool makeHostileModel(const QString& folder) {
  if (!QDir().mkpath(folder)) return false;
  for (const QFileInfo& file : QDir(quire::bundledModel()).entryInfoList(QDir::Files))
    QFile::copy(file.filePath(), folder + '/' + file.fileName());
  QFile vocabulary(folder + "/tokenizer.model");
  vocabulary.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
  if (!vocabulary.open(QIODevice::ReadWrite)) return false;
  QByteArray bytes = vocabulary.readAll();
  const QByteArray word = "\n\6\u2581the\x15";  // With the fields' tags and its length.
  if (bytes.count(word) != 1) return false;
  bytes.replace(word, "\n\6\u2581\x1b[m\x15");
  return vocabulary.seek(0) && vocabulary.write(bytes) == bytes.size();
}

/// What the program writes to stdout where that is a terminal; empty if it failed.
QByteArray runOnTerminal(const QStringList& arguments) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return {};
  const QString name = QString::fromLocal8Bit(ptsname(terminal));
  const int other = open(qPrintable(name), O_RDWR | O_NOCTTY);  // Keeps it open to be read.
  QProcess process;
  process.setStandardOutputFile(name);
  process.start(QUIRE_CLI_PATH, arguments);
  const bool ended = process.waitForFinished(120'000) && process.exitCode() == 0;
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  QByteArray out;
  char buffer[4096];
  for (ssize_t size; ended && (size = read(terminal, buffer, sizeof buffer)) > 0;)
    out.append(buffer, size);
  close(other);
  close(terminal);
  return out;
}

}  // namespace

void TestCliChat::pipe_isAnsweredLineByLine() {
  const CliResult result = runCli(kChat, "What is the capital of France?\n");
  QCOMPARE(result.code, 0);
  QVERIFY2(result.out.contains("Paris"), result.out.constData());
  QVERIFY(result.out.endsWith('\n'));
  // The same as the one-shot answer.
  const CliResult once = runCli({"generate", "--chat", "--temperature", "0", "--max-tokens", "24",
                                 "--prompt", "What is the capital of France?"});
  QCOMPARE(result.out, once.out);
}

void TestCliChat::greeting_namesTheDemonstrationModel() {
  const CliResult result = runCli(kChat, "");
  QCOMPARE(result.code, 0);
  QVERIFY2(result.err.contains("demo model"), result.err.constData());
  QCOMPARE(result.out, QByteArray());
}

void TestCliChat::secondTurn_findsTheFirstInTheCache() {
  const CliResult result =
      runCli(kChat, "What is the capital of France?\nAnd what is the capital of Spain?\n/stats\n");
  QCOMPARE(result.code, 0);
  static const QRegularExpression kCounts("last answer: (\\d+) prompt tokens, (\\d+) cached");
  const auto match = kCounts.match(QString::fromUtf8(result.err));
  QVERIFY2(match.hasMatch(), result.err.constData());
  const int prompt = match.captured(1).toInt();
  const int cached = match.captured(2).toInt();
  // The first question and its answer fill at least a block, which is found again.
  QVERIFY2(cached >= 16 && cached < prompt, result.err.constData());
}

void TestCliChat::stats_countStatesOfRecurrentLayers() {
  const QString hybrid = QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/qwen3_5.gguf");
  QVERIFY(runCli({"chat", "--model", hybrid}, "/stats\n").err.contains("\nstates: 0 of "));
  QVERIFY(!runCli(kChat, "/stats\n").err.contains("states: "));
}

void TestCliChat::commands_work() {
  const CliResult result = runCli(
      kChat,
      "/help\n/system You are brief.\n/new\n/what\n\n/quit\nWhat is the capital of France?\n");
  QCOMPARE(result.code, 0);
  QCOMPARE(result.out, QByteArray());
  for (const char* text : {"/system TEXT", "A new chat with that system prompt.", "A new chat.",
                           "Unknown command /what; type /help for a list."}) {
    QVERIFY2(result.err.contains(text), text);
  }
}

void TestCliChat::overflow_isSaidAndTheChatGoesOn() {
  const QByteArray too_long = QByteArray("many words ").repeated(200) + "\n";
  const CliResult result = runCli(kChat + QStringList{"--context", "128"},
                                  too_long + "What is the capital of France?\n");
  QCOMPARE(result.code, 1);
  QVERIFY2(result.err.contains("quire-cli: "), result.err.constData());
  QVERIFY2(result.err.contains("128"), result.err.constData());
  QVERIFY2(result.out.contains("Paris"), result.out.constData());
}

void TestCliChat::longChat_leavesItsOldestMessagesOut() {
  QByteArray questions;
  for (int i = 0; i < 8; ++i) questions += "What is the capital of France?\n";
  const CliResult result = runCli(kChat + QStringList{"--context", "128"}, questions);
  QCOMPARE(result.code, 0);
  QCOMPARE(result.out.count("Paris"), 8);
  // Said when the cut moves, not at each turn; two messages a turn.
  static const QRegularExpression kLeftOut("leaving out the (\\d+) oldest messages");
  int times = 0;
  int last = 0;
  for (auto match = kLeftOut.globalMatch(QString::fromUtf8(result.err)); match.hasNext();) {
    const int now = match.next().captured(1).toInt();
    QVERIFY(now > last && now % 2 == 0);
    last = now;
    ++times;
  }
  QVERIFY2(times >= 1 && times <= 5, result.err.constData());
}

void TestCliChat::interrupt_stopsTheAnswerNotTheProgram() {
  QProcess chat;
  chat.start(QUIRE_CLI_PATH,
             {"chat", "--temperature", "0", "--ignore-eos", "--max-tokens", "1900"});
  QVERIFY(chat.waitForStarted());
  chat.write("Tell me a story.\n");
  QByteArray out;
  QElapsedTimer timer;
  timer.start();
  while (out.size() < 20 && timer.elapsed() < 60'000) {
    chat.waitForReadyRead(100);
    out += chat.readAllStandardOutput();
  }
  QVERIFY(out.size() >= 20);
  ::kill(static_cast<pid_t>(chat.processId()), SIGINT);
  chat.write("/quit\n");
  chat.closeWriteChannel();
  QVERIFY(chat.waitForFinished(30'000));
  QCOMPARE(chat.exitStatus(), QProcess::NormalExit);
  QCOMPARE(chat.exitCode(), 0);
  QVERIFY(chat.readAllStandardError().contains("(stopped)"));
}

void TestCliChat::escapesInVocabulary_areShown() {
  QTemporaryDir folder;
  QVERIFY(makeHostileModel(folder.path() + "/model"));
  const QByteArray shown = runOnTerminal(kStory + QStringList{"--model", folder.path() + "/model"});
  QVERIFY2(shown.contains("<U+001B>[m"), shown.constData());
  QVERIFY(!shown.contains('\x1b'));
  QVERIFY(shown.contains('\n'));
}

void TestCliChat::escapesInNames_areShown() {
  QTemporaryDir folder;
  const QString model = folder.path() + "/a\x1b[31m\u202Eb";
  QVERIFY(QDir().mkpath(model));
  const CliResult result = runCli({"chat", "--model", model});
  QCOMPARE(result.code, 1);
  QVERIFY2(result.err.contains("a<U+001B>[31m<U+202E>b"), result.err.constData());
  QVERIFY(!result.err.contains('\x1b') && !result.err.contains("\u202E"));
}

void TestCliChat::pipedOutput_isByteExact() {
  QTemporaryDir folder;
  QVERIFY(makeHostileModel(folder.path() + "/model"));
  const CliResult result = runCli(kStory + QStringList{"--model", folder.path() + "/model"});
  QCOMPARE(result.code, 0);
  QVERIFY2(result.out.contains("\x1b[m"), result.out.constData());
}

QTEST_APPLESS_MAIN(TestCliChat)
#include "tst_cli_chat.moc"
