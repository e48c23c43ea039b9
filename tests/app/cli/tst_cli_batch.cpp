#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/cli/cli_process.h"

using quire::CliResult;
using quire::runCli;

/// `quire-cli batch` as a program, with the demonstration model.
class TestCliBatch : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { REQUIRE_BUNDLED_MODEL(); }
  void init();
  void requestsOfEachKind_areAnswered();
  void killedRun_continues();
  void modelThatIsNone_isAnError();

 private:
  void write(const QList<QJsonObject>& lines) {
    QFile file(m_input);
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (const QJsonObject& line : lines) {
      file.write(QJsonDocument(line).toJson(QJsonDocument::Compact) + "\n");
    }
  }
  QByteArray output() {
    QFile file(m_output);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  /// The responses by custom_id; fails if one is there twice.
  QHash<QString, QJsonObject> responses() {
    QHash<QString, QJsonObject> found;
    for (const QByteArray& line : output().trimmed().split('\n')) {
      const QJsonObject answer = QJsonDocument::fromJson(line).object();
      const QString id = answer["custom_id"].toString();
      if (found.contains(id)) qFatal("%s is there twice", qPrintable(id));
      found.insert(id, answer["response"].toObject());
    }
    return found;
  }
  QStringList arguments() const {
    return {"batch", m_input, m_output, "--json", "--context", "512", "--threads", "1"};
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_input, m_output;
};

namespace {

QJsonObject request(const QString& id, const QString& url, const QJsonObject& body) {
  return {{"custom_id", id}, {"method", "POST"}, {"url", url}, {"body", body}};
}

QJsonObject chatBody(const QString& text, int maxTokens) {
  return {{"messages", QJsonArray{QJsonObject{{"role", "user"}, {"content", text}}}},
          {"max_tokens", maxTokens},
          {"temperature", 0}};
}

}  // namespace

void TestCliBatch::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_input = m_folder->filePath("in.jsonl");
  m_output = m_folder->filePath("out.jsonl");
}

void TestCliBatch::requestsOfEachKind_areAnswered() {
  QJsonObject wrongModel = chatBody("Hello!", 4);
  wrongModel["model"] = "gpt-4o";
  QJsonObject wrongField = chatBody("Hello!", 4);
  wrongField["colour"] = "red";
  write({request("chat", "/v1/chat/completions", chatBody("What is the capital of France?", 12)),
         request("text", "/v1/completions",
                 {{"prompt", "Once upon a time"}, {"max_tokens", 5}, {"temperature", 0}}),
         request("vector", "/v1/embeddings", {{"input", "Once upon a time"}}),
         request("model", "/v1/chat/completions", wrongModel),
         request("field", "/v1/chat/completions", wrongField),
         request("stream", "/v1/completions", {{"prompt", "x"}, {"stream", true}})});
  const CliResult result = runCli(arguments());
  QCOMPARE(result.code, 1);
  QVERIFY2(result.err.contains("3 of 6 lines failed"), result.err.constData());
  QVERIFY2(result.err.contains("again with --retry-failed."), result.err.constData());
  QCOMPARE(result.jsonLines().value(0)["answered"].toInt(), 3);

  const auto found = responses();
  QCOMPARE(found.size(), 6);
  const QString said = found["chat"]["body"]["choices"][0]["message"]["content"].toString();
  const CliResult expected =
      runCli({"generate", "--chat", "--prompt", "What is the capital of France?", "--max-tokens",
              "12", "--temperature", "0", "--context", "512", "--threads", "1", "--json"});
  QCOMPARE(said, expected.jsonLines().value(0)["text"].toString());
  QVERIFY(!found["text"]["body"]["choices"][0]["text"].toString().isEmpty());
  QCOMPARE(found["text"]["body"]["usage"]["completion_tokens"].toInt(), 5);
  QVERIFY(found["vector"]["body"]["data"][0]["embedding"].toArray().size() > 100);
  QCOMPARE(found["model"]["status_code"].toInt(), 404);
  QCOMPARE(found["field"]["status_code"].toInt(), 400);
  QVERIFY(found["field"]["body"]["error"]["message"].toString().contains("colour"));
  QCOMPARE(found["stream"]["status_code"].toInt(), 400);

  // A repeated run has nothing to do, but the lines have not succeeded.
  const CliResult repeated = runCli(arguments());
  QCOMPARE(repeated.code, 1);
  QVERIFY2(repeated.err.contains("3 of 6 lines failed"), repeated.err.constData());
  QCOMPARE(repeated.jsonLines().value(0)["skipped"].toInt(), 6);
  QCOMPARE(repeated.jsonLines().value(0)["failed_before"].toInt(), 3);
}

void TestCliBatch::killedRun_continues() {
  constexpr int kLines = 60;
  QList<QJsonObject> lines;
  for (int i = 0; i < kLines; ++i) {
    QJsonObject body = {{"prompt", QString("Story %1: once upon a time").arg(i)},
                        {"max_tokens", 40},
                        {"temperature", 0},
                        {"ignore_eos", true}};
    lines << request(QString::number(i), "/v1/completions", body);
  }
  write(lines);
  qsizetype before = kLines;
  for (int attempt = 0; attempt < 5 && before == kLines; ++attempt) {
    QFile::remove(m_output);
    QProcess process;
    process.start(QUIRE_CLI_PATH, arguments() + QStringList{"--parallel", "2"});
    QTRY_VERIFY_WITH_TIMEOUT(output().count('\n') >= 4, 60'000);
    process.kill();
    QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished());
    before = output().count('\n');
  }
  QVERIFY2(before < kLines, "it was killed too late each time");

  const CliResult result = runCli(arguments());
  QCOMPARE(result.code, 0);
  QCOMPARE(result.jsonLines().value(0)["skipped"].toInt(), static_cast<int>(before));
  const auto found = responses();
  QCOMPARE(found.size(), kLines);
  for (const QJsonObject& response : found) {
    QCOMPARE(response["body"]["usage"]["completion_tokens"].toInt(), 40);
  }
}

void TestCliBatch::modelThatIsNone_isAnError() {
  write({request("a", "/v1/completions", {{"prompt", "x"}})});
  const CliResult result = runCli(arguments() + QStringList{"--model", m_input});
  QCOMPARE(result.code, 1);
  QCOMPARE(result.err.count('\n'), 1);
  QVERIFY(!QFile::exists(m_output));
}

QTEST_GUILESS_MAIN(TestCliBatch)
#include "tst_cli_batch.moc"
