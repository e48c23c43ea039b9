#include <QtTest>

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRandomGenerator>
#include <QTcpServer>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/bundled_model.h"
#include "tests/app/hub/test_hub.h"

using namespace quire;
using Kind = HubFault::Kind;

namespace {

constexpr qint64 kBytes = 4'000'000;

QByteArray contentsOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// What a run of quire-cli left behind.
struct Run {
  int code = -1;
  QByteArray out;
  QByteArray err;
};

}  // namespace

/// quire-cli pull, as a program, from the test hub.
class CliPullTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_hub = std::make_unique<TestHub>();
    m_home = std::make_unique<QTemporaryDir>();
    m_contents = ggufOf(kBytes, 1);
    m_hub->addModel("org/repo", {{"m-Q4_K_M.gguf", HubBlob::of(m_contents)},
                                 {"m-Q8_0.gguf", HubBlob::of(ggufOf(5000, 2))}});
    m_hub->addModel("org/several", {{"a.gguf", HubBlob::of(ggufOf(5000, 3))},
                                    {"b.gguf", HubBlob::of(ggufOf(5000, 4))}});
    m_hub->addModel("org/page", {{"m-Q4_0.gguf", HubBlob::of("<html>Sign in</html>")}});
  }

  void list_showsWhatThereIs() {
    const Run run = pull({"org/repo", "--list"});
    QCOMPARE(run.code, 0);
    QVERIFY2(run.out.contains("org/repo (Hugging Face), licence: mit"), run.out);
    QVERIFY2(run.out.contains("Q4_K_M") && run.out.contains("4.0 MB") && run.out.contains("fits"),
             run.out);
    const Run json = pull({"org/repo", "--list", "--json"});
    const QJsonObject listing = QJsonDocument::fromJson(json.out).object();
    QCOMPARE(listing["choices"].toArray().size(), 2);
    QCOMPARE(listing["choices"][0]["bytes"].toInt(), static_cast<int>(kBytes));
    QCOMPARE(m_hub->numFileRequests(), 0);
  }

  void pull_bringsTheUsualFile() {
    const Run run = pull({"org/repo"});
    QVERIFY2(run.code == 0, run.err);
    QCOMPARE(run.out, (target() + '\n').toUtf8());
    QVERIFY2(run.err.contains("Downloaded and verified") && run.err.contains("licence: mit"),
             run.err);
    QCOMPARE(contentsOf(target()), m_contents);
    const Run again = pull({"hf.co/org/repo:q4_k_m", "--json"});
    QCOMPARE(again.code, 0);
    QVERIFY(QJsonDocument::fromJson(again.out).object()["was_there"].toBool());
    QCOMPARE(m_hub->numFileRequests(), 1);
  }

  /// A hub names the file, and the line is there to be copied into a shell.
  void suggestedCommand_namesTheFileToAShell() {
    const QString name = QStringLiteral("a'; echo $(id) `id` 'b-Q4_0.gguf");
    m_hub->addModel("org/quotes", {{name.toUtf8(), HubBlob::of(ggufOf(5000, 5))}});
    const Run run = pull({"org/quotes"});
    QVERIFY2(run.code == 0, run.err);
    const QString path = m_home->path() + "/quire/models/org/quotes/" + name;
    QCOMPARE(run.out, (path + '\n').toUtf8());
    const QByteArray before = "quire-cli chat --model ";
    QVERIFY2(run.err.contains(before), run.err);
    const QByteArray word = run.err.mid(run.err.indexOf(before) + before.size()).trimmed();
    QProcess shell;
    shell.start("/bin/sh", {"-c", "printf '<%s>' " + QString::fromUtf8(word)});
    QVERIFY(waitFor(shell));
    QCOMPARE(shell.readAllStandardOutput(), ('<' + path + '>').toUtf8());
  }

  void terminal_losesTheProgressLine() {
    const QByteArray shown = errorsOnTerminal({"pull", "org/repo:Q8_0"});
    QVERIFY2(shown.contains("\r\033[K") && shown.contains("Downloaded and verified"), shown);
    QVERIFY2(!shown.contains("<U+"), shown);
  }

  void pull_fromOllama() {
    m_hub->addOllama(
        "library/tiny", "1b",
        {{"model", HubBlob::of(m_contents)}, {"license", HubBlob::of("MIT License\n")}});
    const Run run = pull({"tiny:1b", "--endpoint", m_hub->address()});
    QVERIFY2(run.code == 0, run.err);
    const QString folder = m_home->path() + "/quire/models/ollama/library/tiny/tiny-1b";
    QCOMPARE(contentsOf(folder + "/tiny-1b.gguf"), m_contents);
    QCOMPARE(contentsOf(folder + "/LICENSE.txt"), QByteArray("MIT License\n"));
  }

  /// What the bundled model's folder becomes when it is pulled is a model that answers.
  void pull_bringsAModelThatAnswers() {
    const QDir bundled(QString::fromStdString(bundled_model_path().string()));
    if (!bundled.exists("config.json")) QSKIP("the bundled model is not in this checkout");
    QMap<QByteArray, HubBlob> files;
    for (const QString& name : bundled.entryList(QDir::Files)) {
      const bool isLarge = name.endsWith(".safetensors");
      files[name.toUtf8()] = HubBlob::of(contentsOf(bundled.filePath(name)), isLarge);
    }
    m_hub->addModel("quire/mini", files);
    const Run run = pull({"quire/mini"});
    QVERIFY2(run.code == 0, run.err);
    const Run answer = cli({"generate", "--model", m_home->path() + "/quire/models/quire/mini",
                            "--device", "cpu", "--max-tokens", "4", "--prompt", "Once upon"});
    QVERIFY2(answer.code == 0 && answer.out.size() > 4, answer.err);
  }

  void search_findsModels() {
    const Run run = pull({"--search", "repo"});
    QVERIFY2(run.code == 0 && run.out.contains("org/repo"), run.err);
  }

  void failures_areOneSentence_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("no name") << QStringList() << 2 << QByteArray("needs the name");
    QTest::newRow("bad name") << QStringList{"../../etc"} << 2 << QByteArray("is not the name");
    QTest::newRow("no model") << QStringList{"org/none"} << 1 << QByteArray("does not have");
    QTest::newRow("no type") << QStringList{"org/repo:Q2_K"} << 1 << QByteArray("has no \"Q2_K\"");
    QTest::newRow("bad endpoint") << QStringList{"org/repo", "--endpoint", "nowhere"} << 2
                                  << QByteArray("address of a hub");
    QTest::newRow("bad folder") << QStringList{"org/repo", "--folder", "/proc/none"} << 1
                                << QByteArray("cannot be written");
    QTest::newRow("empty folder") << QStringList{"org/repo", "--folder", ""} << 2
                                  << QByteArray("the name of a folder");
    QTest::newRow("limit that is no number")
        << QStringList{"org/repo", "--limit", "nan"} << 2 << QByteArray("is not a number");
    QTest::newRow("no type after the colon")
        << QStringList{"org/repo:"} << 2 << QByteArray("is not the name");
    QTest::newRow("two tasks") << QStringList{"org/repo", "--search", "x"} << 2
                               << QByteArray("takes one of");
    QTest::newRow("several files")
        << QStringList{"org/several"} << 1 << QByteArray("by adding a colon and its name");
    QTest::newRow("page as model")
        << QStringList{"org/page"} << 1 << QByteArray("not a model that Quire can read");
  }
  void failures_areOneSentence() {
    QFETCH(QStringList, arguments);
    const Run run = pull(arguments);
    QTEST(run.code, "code");
    QFETCH(QByteArray, words);
    QVERIFY2(run.err.contains(words), run.err);
    QCOMPARE(run.err.count("quire-cli: "), 1);
    // The failure is not announced as a pause before.
    QVERIFY2(!run.err.contains("waits"), run.err);
  }

  void failures_areJson_ifThatIsWanted() {
    const Run run = pull({"org/none", "--json"});
    QCOMPARE(run.code, 1);
    const QJsonObject error = QJsonDocument::fromJson(run.out).object()["error"].toObject();
    QCOMPARE(error["kind"].toString(), QString("not_found"));
    QVERIFY2(error["message"].toString().contains("does not have org/none"), run.out);
  }

  void wrongToken_isToldFromNone() {
    m_hub->requireToken("hf_right");
    const Run none = pull({"org/repo"});
    QVERIFY2(none.err.contains("to everybody") && none.err.contains("HF_TOKEN"), none.err);
    qputenv("QUIRE_TEST_TOKEN", "hf_wrong");
    const Run wrong = pull({"org/repo"});
    qunsetenv("QUIRE_TEST_TOKEN");
    QVERIFY2(wrong.err.contains("is wrong or has expired") && wrong.err.contains("HF_TOKEN"),
             wrong.err);
  }

  void interruptedSearch_saysNothingOfDownloads() {
    QTcpServer silent;
    QVERIFY(silent.listen(QHostAddress::LocalHost));
    const QString address = "http://127.0.0.1:" + QString::number(silent.serverPort());
    QProcess program;
    start(program, {"pull", "--search", "repo", "--endpoint", address});
    QVERIFY(silent.waitForNewConnection(20'000));
    ::kill(static_cast<pid_t>(program.processId()), SIGINT);
    QVERIFY(waitFor(program));
    QCOMPARE(program.exitCode(), 130);
    const QByteArray words = program.readAllStandardError();
    QVERIFY2(words.contains("Stopped") && !words.contains("downloaded"), words);
  }

  void recommended_areThoseThatTheHubConfirms() {
    const Run none = pull({"--recommended"});
    QVERIFY2(none.code == 0 && none.out.isEmpty(), none.err);
    QVERIFY2(none.err.contains("Left out: ") && none.err.contains("does not have"), none.err);
    // The hub's sizes are shown, not those of the data.
    for (const char* size : {"0.8B", "2B", "4B", "9B", "35B-A3B"}) {
      m_hub->addModel("unsloth/Qwen3.5-" + QByteArray(size) + "-GGUF",
                      {{"m-Q4_K_M.gguf", HubBlob::of(ggufOf(7000, 1))}});
    }
    const Run run = pull({"--recommended"});
    QVERIFY2(run.code == 0 && run.out.contains("Qwen 3.5") && run.out.contains("7.0 kB"), run.out);
    QVERIFY2(run.out.contains("quire-cli pull unsloth/Qwen3.5-") && run.out.contains("mit"),
             run.out);
    QCOMPARE(m_hub->numFileRequests(), 0);
  }

  void interrupt_keepsThePart() {
    m_hub->setFaults(
        [](const HubRequest&, int) -> HubFault { return {.kind = Kind::kSlow, .at = 20'000}; });
    QProcess program;
    start(program, {"pull", "org/repo"});
    QTRY_VERIFY_WITH_TIMEOUT(partBytes() > 100'000, 20'000);
    ::kill(static_cast<pid_t>(program.processId()), SIGINT);
    QVERIFY(waitFor(program));
    QCOMPARE(program.exitCode(), 130);
    const QByteArray words = program.readAllStandardError();
    QVERIFY2(words.contains("the same command goes on"), words);
    goOn();
  }

  /// At random moments, again and again, until it is complete.
  void kill_losesNothing() {
    m_hub->setFaults(
        [](const HubRequest&, int) -> HubFault { return {.kind = Kind::kSlow, .at = 20'000}; });
    quint32 seed = QRandomGenerator::system()->generate();
    if (qEnvironmentVariableIsSet("QUIRE_TEST_SEED")) {
      seed = qEnvironmentVariable("QUIRE_TEST_SEED").toUInt();
    }
    qInfo("seed %u (QUIRE_TEST_SEED repeats it)", seed);
    QRandomGenerator random(seed);
    qint64 before = 0;
    for (int i = 0; i < 4; ++i) {
      QProcess program;
      start(program, {"pull", "org/repo"});
      const qint64 enough = before + random.bounded(1, 500'000);
      QTRY_VERIFY_WITH_TIMEOUT(partBytes() >= enough || program.state() != QProcess::Running,
                               30'000);
      QCOMPARE(program.state(), QProcess::Running);
      program.kill();
      QVERIFY(waitFor(program));
      QVERIFY2(partBytes() >= before, qPrintable(QString::number(partBytes())));
      before = partBytes();
      QVERIFY(!QFileInfo::exists(target()));
    }
    goOn();
  }

 private:
  QString target() const { return m_home->path() + "/quire/models/org/repo/m-Q4_K_M.gguf"; }

  /// Of the only part.
  qint64 partBytes() const {
    QDirIterator parts(m_home->path() + "/quire/models", {"*.part"}, QDir::Files | QDir::Hidden,
                       QDirIterator::Subdirectories);
    while (parts.hasNext()) return QFileInfo(parts.next()).size();
    return 0;
  }

  /// The same command ends what an earlier run began, with the bytes of that.
  void goOn() {
    const qint64 kept = partBytes();
    QVERIFY(kept > 0);
    m_hub->setFaults({});
    const Run run = pull({"org/repo"});
    QVERIFY2(run.code == 0, run.err);
    QCOMPARE(m_hub->seen().last().headers.value("range"),
             "bytes=" + QByteArray::number(kept) + '-');
    QCOMPARE(contentsOf(target()), m_contents);
    QVERIFY(!QFileInfo::exists(m_home->path() + "/quire/models/.incoming"));
  }

  void start(QProcess& program, const QStringList& arguments) const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_DATA_HOME", m_home->path());
    environment.insert("XDG_CACHE_HOME", m_home->path() + "/cache");
    environment.insert("HF_ENDPOINT", m_hub->address());
    environment.remove("HF_TOKEN");
    environment.insert("HF_TOKEN_PATH", m_home->path() + "/no-token");
    if (qEnvironmentVariableIsSet("QUIRE_TEST_TOKEN")) {
      environment.insert("HF_TOKEN", qEnvironmentVariable("QUIRE_TEST_TOKEN"));
    }
    program.setProcessEnvironment(environment);
    program.start(QUIRE_CLI_PATH, arguments);
    QVERIFY(program.waitForStarted());
  }

  static bool waitFor(QProcess& program) {
    return program.state() == QProcess::NotRunning || program.waitForFinished(120'000);
  }

  Run cli(const QStringList& arguments) const {
    QProcess program;
    start(program, arguments);
    program.closeWriteChannel();
    if (!waitFor(program)) return {};
    return {program.exitCode(), program.readAllStandardOutput(), program.readAllStandardError()};
  }
  /// What the program writes to stderr where that is a terminal; empty if it failed.
  QByteArray errorsOnTerminal(const QStringList& arguments) const {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return {};
    const QString name = QString::fromLocal8Bit(ptsname(terminal));
    const int other = open(qPrintable(name), O_RDWR | O_NOCTTY);  // Keeps it open to be read.
    QProcess program;
    program.setStandardErrorFile(name);
    start(program, arguments);
    const bool hasEnded = waitFor(program) && program.exitCode() == 0;
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    QByteArray shown;
    char buffer[4096];
    for (ssize_t size; hasEnded && (size = read(terminal, buffer, sizeof buffer)) > 0;)
      shown.append(buffer, size);
    close(other);
    close(terminal);
    return shown;
  }
  Run pull(const QStringList& arguments) const { return cli(QStringList("pull") + arguments); }

  std::unique_ptr<TestHub> m_hub;
  std::unique_ptr<QTemporaryDir> m_home;
  QByteArray m_contents;
};

QTEST_GUILESS_MAIN(CliPullTest)
#include "tst_cli_pull.moc"
