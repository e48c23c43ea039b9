#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/batch/batch_line.h"
#include "app/cli/batch/batch_run.h"
#include "tests/support/full_disk.h"

using namespace quire;
using Json = nlohmann::ordered_json;

namespace {

QByteArray question(const QByteArray& id) {
  return R"({"custom_id":")" + id +
         R"(","method":"POST","url":"/v1/completions","body":{"prompt":"p )" + id + "\"}}";
}

/// Answers with the request's own body, on a thread; those with "bad" in it are refused.
BatchAsk echo(int* asked = nullptr) {
  return [asked](const std::string& url, std::string body, BatchAnswer answer) {
    if (asked != nullptr) ++*asked;
    std::thread([url, body = std::move(body), answer = std::move(answer)] {
      const bool bad = body.find("bad") != body.npos;
      answer(bad ? 400 : 200, "{\"url\":\"" + url + "\",\n\"asked\":" + body + "}");
    }).detach();
  };
}

}  // namespace

/// Batch files: lines are read strictly, answers are durable, and a run can be repeated.
class TestBatch : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void line_isReadStrictly_data();
  void line_isReadStrictly();
  void answers_areWritten();
  void badLines_failAlone();
  void repeatedRun_asksOnlyTheRest();
  void failedLines_areAskedAgainOnDemand();
  void tornLine_isRepaired_data();
  void tornLine_isRepaired();
  void otherFiles_areLeftAlone_data();
  void otherFiles_areLeftAlone();
  void inputThatIsNoText_isRefused_data();
  void inputThatIsNoText_isRefused();
  void longAnswers_areReadAgain_data();
  void longAnswers_areReadAgain();
  void twoRuns_doNotShareAnOutput();
  void parallel_isALimit();
  void fullDisk_endsTheRun();

 private:
  void write(const QString& path, const QByteArray& content) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
  }
  QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
  }
  BatchOptions options(int parallel = 4) const {
    return {m_input.toStdString(), m_output.toStdString(), parallel};
  }
  /// The output's lines by their custom_id, or their id where that is null.
  std::map<std::string, Json> answers() {
    std::map<std::string, Json> found;
    for (const QByteArray& line : read(m_output).trimmed().split('\n')) {
      const Json json = Json::parse(line.toStdString());
      const Json& id = json["custom_id"].is_null() ? json["id"] : json["custom_id"];
      found[id.get<std::string>()] = json;
    }
    return found;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_input, m_output;
};

void TestBatch::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_input = m_folder->filePath("in.jsonl");
  m_output = m_folder->filePath("out.jsonl");
}

void TestBatch::line_isReadStrictly_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("error");  // Empty: it is good.
  const auto row = [](const char* name, const QByteArray& text, const char* error) {
    QTest::newRow(name) << text << error;
  };
  row("good", question("a"), "");
  row("not streamed", question("a").replace("{\"prompt\"", "{\"stream\":false,\"prompt\""), "");
  row("no JSON", "{\"custom_id\":", "not JSON");
  row("no object", "[1]", "not a JSON object");
  row("deep", QByteArray(100'000, '['), "nested");
  row("no custom_id", question("a").replace("custom_id", "customid"), "customid");
  row("empty custom_id", question(""), "no custom_id");
  row("long custom_id", question(QByteArray(600, 'x')), "longer than 512");
  row("number", question("a").replace("\"a\"", "7"), "no custom_id");
  row("method", question("a").replace("POST", "GET"), "method must be");
  row("url", question("a").replace("/v1/completions", "/v1/responses"), "/v1/responses");
  row("body", question("a").replace("{\"prompt\":\"p a\"}", "[]"), "no body");
  row("stream", question("a").replace("{\"prompt\"", "{\"stream\":true,\"prompt\""), "stream must");
  row("more", question("a").replace("{\"custom_id", "{\"priority\":1,\"custom_id"), "priority");
}

void TestBatch::line_isReadStrictly() {
  QFETCH(QByteArray, text);
  QFETCH(QString, error);
  const BatchLine line = parse_batch_line(text.toStdString(), 7);
  QCOMPARE(line.error.empty(), error.isEmpty());
  QVERIFY2(QString::fromStdString(line.error).contains(error), line.error.c_str());
  QVERIFY(!line.key().empty());
  const Json refusal = Json::parse(refusal_line({.number = 7, .error = "why"}));
  QCOMPARE(refusal["id"], "batch_req_7");
  QCOMPARE(refusal["response"]["body"]["error"]["message"], "Line 7: why");
}

void TestBatch::answers_areWritten() {
  write(m_input, question("a") + "\n\n" + question("b") + "\r\n  \n" + question("c"));
  int last = 0;
  const auto done = run_batch(options(), echo(), [&](const BatchProgress& progress) {
    QVERIFY(progress.done() >= last);
    last = static_cast<int>(progress.done());
  });
  QVERIFY2(done.has_value(), done ? "" : done.error().message.c_str());
  QCOMPARE(done->lines, 3);
  QCOMPARE(done->answered, 3);
  QCOMPARE(last, 3);
  const auto found = answers();
  QCOMPARE(found.size(), size_t{3});
  const Json& answer = found.at("c");
  QCOMPARE(answer["id"], "batch_req_5");
  QCOMPARE(answer["response"]["status_code"], 200);
  QCOMPARE(answer["response"]["body"]["asked"]["prompt"], "p c");
  QCOMPARE(answer["response"]["body"]["url"], "/v1/completions");
  QVERIFY(answer["error"].is_null());
}

void TestBatch::badLines_failAlone() {
  write(m_input, question("a") + "\nnot JSON\n" + question("bad") + "\n" + question("a") + "\n" +
                     question("b") + "\n");
  const auto done = run_batch(options(), echo());
  QVERIFY(done.has_value());
  QCOMPARE(done->answered, 2);
  QCOMPARE(done->failed, 3);
  const auto found = answers();
  QCOMPARE(found.at("a")["response"]["status_code"], 200);
  QCOMPARE(found.at("bad")["response"]["status_code"], 400);
  QCOMPARE(found.at("batch_req_2")["response"]["status_code"], 400);
  QVERIFY(found.at("batch_req_4")["response"]["body"]["error"]["message"].get<std::string>().find(
              "same custom_id") != std::string::npos);
}

void TestBatch::repeatedRun_asksOnlyTheRest() {
  write(m_input, question("a") + "\n{}\n" + question("b") + "\n");
  QCOMPARE(run_batch(options(), echo())->failed, 1);
  const QByteArray before = read(m_output);
  write(m_input, question("a") + "\n{}\n" + question("b") + "\n" + question("c") + "\n");
  int asked = 0;
  const auto done = run_batch(options(), echo(&asked));
  QCOMPARE(asked, 1);
  QCOMPARE(done->skipped, 3);
  QCOMPARE(done->failed_before, 1);
  QCOMPARE(done->answered, 1);
  QVERIFY(read(m_output).startsWith(before));
  QCOMPARE(answers().size(), size_t{4});
  QCOMPARE(run_batch(options(), echo(&asked))->skipped, 4);
  QCOMPARE(asked, 1);
}

void TestBatch::failedLines_areAskedAgainOnDemand() {
  write(m_input, question("a") + "\n" + question("bad") + "\n" + question("b") + "\n{}\n");
  QCOMPARE(run_batch(options(), echo())->failed, 2);
  const auto refuseNone = [](const std::string&, std::string, BatchAnswer answer) {
    answer(200, "{}");
  };
  const auto repeated = run_batch(options(), refuseNone);
  QCOMPARE(repeated->skipped, 4);
  QCOMPARE(repeated->all_failed(), 2);
  BatchOptions again = options();
  again.retries_failed = true;
  const auto retried = run_batch(again, refuseNone);
  QCOMPARE(retried->skipped, 2);
  QCOMPARE(retried->answered, 1);
  QCOMPARE(retried->failed, 1);  // The line that is none.
  QCOMPARE(retried->failed_before, 0);
  QCOMPARE(answers().at("bad")["response"]["status_code"], 200);
  // The last answer counts: the line has not failed any more.
  QCOMPARE(run_batch(options(), refuseNone)->all_failed(), 1);
}

void TestBatch::tornLine_isRepaired_data() {
  QTest::addColumn<QByteArray>("rest");
  QTest::newRow("nothing") << QByteArray();
  QTest::newRow("half a line") << QByteArray(R"({"id":"batch_req_9","custom_id":"b","resp)");
  QTest::newRow("a line without its newline")
      << QByteArray(R"({"id":"batch_req_2","custom_id":"b","response":{"status_code":200}})");
  QTest::newRow("zeros") << QByteArray(4096, '\0');
  QTest::newRow("half a line and zeros") << R"({"id":"batch_)" + QByteArray(4096, '\0');
  QTest::newRow("the first sign") << QByteArray("{");
}

void TestBatch::tornLine_isRepaired() {
  QFETCH(QByteArray, rest);
  write(m_input, question("a") + "\n");
  QVERIFY(run_batch(options(), echo()).has_value());
  write(m_output, read(m_output) + rest);
  write(m_input, question("a") + "\n" + question("b") + "\n");
  const auto done = run_batch(options(), echo());
  QVERIFY2(done.has_value(), done ? "" : done.error().message.c_str());
  QCOMPARE(done->answered, 1);
  QCOMPARE(answers().size(), size_t{2});
  QCOMPARE(read(m_output).count('\n'), 2);
}

void TestBatch::otherFiles_areLeftAlone_data() {
  QTest::addColumn<QByteArray>("content");
  QTest::addColumn<QString>("place");
  const auto row = [](const char* name, const QByteArray& content, const char* place = "Line 1 ") {
    QTest::newRow(name) << content << place;
  };
  row("text", "my thesis\n");
  row("questions", question("a") + "\n");
  row("JSON", "{}\n");
  row("text without a line end", "my thesis");
  row("minified JSON", R"({"a":1})");
  row("questions without a line end", question("a"));
  row("a long text without a line end", QByteArray(48'000, 'x'));
  row("answers, then other text",
      R"({"id":"batch_req_1","custom_id":"b","response":{"status_code":200}})"
      "\nmy thesis",
      "Line 2 ");
}

void TestBatch::otherFiles_areLeftAlone() {
  QFETCH(QByteArray, content);
  QFETCH(QString, place);
  write(m_input, question("a") + "\n");
  write(m_output, content);
  int asked = 0;
  const auto done = run_batch(options(), echo(&asked));
  QVERIFY(!done.has_value());
  QVERIFY(done.error().message.starts_with(place.toStdString()));
  QCOMPARE(read(m_output), content);
  BatchOptions same = options();
  same.output = same.input;
  QVERIFY(!run_batch(same, echo(&asked)).has_value());
  BatchOptions folder = options();
  folder.output = m_folder->path().toStdString();
  QVERIFY(!run_batch(folder, echo(&asked)).has_value());
  BatchOptions nothing = options();
  nothing.input += ".missing";
  QCOMPARE(run_batch(nothing, echo(&asked)).error().code, ErrorCode::kNotFound);
  QCOMPARE(asked, 0);
}

void TestBatch::inputThatIsNoText_isRefused_data() {
  QTest::addColumn<QByteArray>("second");
  QTest::addColumn<QString>("error");
  QTest::newRow("a zero byte") << QByteArray("a\0b\n", 4) << "line 2, has a zero byte";
  QTest::newRow("a long line") << QByteArray((32 << 20) + 1, 'x')
                               << "line 2, is longer than 32 MiB";
}

void TestBatch::inputThatIsNoText_isRefused() {
  QFETCH(QByteArray, second);
  QFETCH(QString, error);
  write(m_input, question("a") + "\n" + second);
  int asked = 0;
  const auto done = run_batch(options(), echo(&asked));
  QVERIFY(!done.has_value());
  const QString message = QString::fromStdString(done.error().message);
  QVERIFY2(message.contains(error), qPrintable(message));
  QCOMPARE(asked, 0);
  QVERIFY(!QFile::exists(m_output));
}

// The vectors of many texts: what an answer's line says of its question stands at its beginning.
void TestBatch::longAnswers_areReadAgain_data() {
  QTest::addColumn<bool>("isOneText");
  QTest::newRow("one text") << true;
  QTest::newRow("many numbers") << false;
}
void TestBatch::longAnswers_areReadAgain() {
  write(m_input, question("a") + "\n" + question("b") + "\n");
  const auto longAnswer = [](const std::string&, std::string, BatchAnswer answer) {
    answer(200, '"' + std::string(size_t{33} << 20, 'x') + '"');
  };
  // Vectors: more values than a document of Quire's may have.
  const auto manyNumbers = [](const std::string&, std::string, BatchAnswer answer) {
    std::string body = "[1";
    for (int i = 0; i < 1'200'000; ++i) body += ",1";
    answer(200, body + ']');
  };
  QFETCH(bool, isOneText);
  const BatchAsk ask = isOneText ? BatchAsk(longAnswer) : BatchAsk(manyNumbers);
  QCOMPARE(run_batch(options(), ask)->answered, 2);
  int asked = 0;
  const auto again = run_batch(options(), echo(&asked));
  QVERIFY2(again.has_value(), again ? "" : again.error().message.c_str());
  QCOMPARE(again->skipped, 2);
  QCOMPARE(asked, 0);
}

void TestBatch::twoRuns_doNotShareAnOutput() {
  write(m_input, question("a") + "\n");
  Result<BatchProgress> inner = BatchProgress{};
  const auto done = run_batch(options(), [&](const std::string&, std::string, BatchAnswer answer) {
    inner = run_batch(options(), echo());
    answer(200, "{}");
  });
  QVERIFY(done.has_value());
  QVERIFY(!inner.has_value());
  QVERIFY(inner.error().message.find("Another batch") != std::string::npos);
}

void TestBatch::parallel_isALimit() {
  QByteArray lines;
  for (int i = 0; i < 50; ++i) lines += question(QByteArray::number(i)) + "\n";
  write(m_input, lines);
  std::atomic<int> open = 0, most = 0;
  const auto done = run_batch(options(3), [&](const std::string&, std::string, BatchAnswer answer) {
    most = std::max(most.load(), ++open);
    std::thread([&, answer = std::move(answer)] {
      QThread::msleep(1);
      --open;
      answer(200, "{}");
    }).detach();
  });
  QCOMPARE(done->answered, 50);
  QCOMPARE(most.load(), 3);
}

void TestBatch::fullDisk_endsTheRun() {
  write(m_input, question("a") + "\n" + question("b") + "\n" + question("c") + "\n");
  {
    const FullDisk disk(200);  // One line and a part of the next.
    const auto done = run_batch(options(1), echo());
    QVERIFY(!done.has_value());
    QVERIFY2(done.error().message.starts_with("Cannot write"), done.error().message.c_str());
  }
  QVERIFY(!read(m_output).endsWith('\n'));
  const auto done = run_batch(options(1), echo());
  QVERIFY2(done.has_value(), done ? "" : done.error().message.c_str());
  QCOMPARE(done->skipped, 1);
  QCOMPARE(answers().size(), size_t{3});
}

QTEST_APPLESS_MAIN(TestBatch)
#include "tst_batch.moc"
