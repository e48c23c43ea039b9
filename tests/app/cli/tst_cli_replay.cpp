#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

#include "app/bundled_model.h"
#include "app/store/conversation_store.h"
#include "engine/io/hash.h"
#include "engine/llm.h"
#include "tests/app/cli/cli_process.h"

using namespace quire;

namespace {

constexpr uint64_t kLargeSeed = 0xfedcba9876543210u;

QList<qint32> listOf(const std::vector<TokenId>& ids) {
  return {ids.begin(), ids.end()};
}

AnswerEnd endOf(FinishReason finish) {
  if (finish == FinishReason::kEnd) return AnswerEnd::End;
  return finish == FinishReason::kStop ? AnswerEnd::Stop : AnswerEnd::Length;
}

/// An answer as the store holds it.
struct Stored {
  MessageRecord message;
  OriginRecord origin;
};

}  // namespace

/// Answers that the engine gave are stored, some are changed, and the program tells which.
class TestCliReplay : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void all_judgesEachAnswer_data();
  void all_judgesEachAnswer();
  void latest_isReplayedByDefault();
  void message_isSaidInASentence_data();
  void message_isSaidInASentence();
  void list_namesTheAnswers();
  void nothingIsWritten();
  void wrongChoice_isNamed_data();
  void wrongChoice_isNamed();

 private:
  Stored generate(const std::string& prompt, const SamplingParams& sampling);
  void keep(const QString& name, const Stored& stored, RecordId chat = 0, RecordId parent = 0);
  void keepUnchanged();
  void keepChanged();
  QStringList arguments(const QStringList& more) const {
    return QStringList{"replay", "--data", m_folder.path()} + more;
  }
  QByteArray content() const;

  QTemporaryDir m_folder;
  std::unique_ptr<Llm> m_llm;
  std::unique_ptr<ConversationStore> m_store;
  RecordId m_lastId = 0;
  QHash<QString, RecordId> m_ids;  ///< By the name of the case.
  QHash<RecordId, QJsonObject> m_said;
};

Stored TestCliReplay::generate(const std::string& prompt, const SamplingParams& sampling) {
  const LoadedModel& model = m_llm->model();
  Request request{.prompt = model.chat->tokenizer->encode(prompt), .sampling = sampling};
  const Completion made = m_llm->generate({request}).front();
  Sha256 hash;
  hash.update(model.chat->template_source);
  Stored stored;
  stored.message.role = MessageRole::Assistant;
  stored.message.setText(QString::fromStdString(made.text));
  stored.message.tokens = listOf(made.tokens);
  stored.message.modelName = QString::fromStdString(model.config.name);
  stored.message.modelFingerprint = QString::fromStdString(model.fingerprint);
  stored.origin = {.templateHash = QString::fromStdString(to_hex(hash.finish())),
                   .sampling = sampling,
                   .promptTokens = listOf(request.prompt),
                   .end = endOf(made.finish),
                   .deviceName = "CPU · test"};
  return stored;
}

/// Writes an answer into a chat of its own, or below `parent` of `chat`.
void TestCliReplay::keep(const QString& name, const Stored& stored, RecordId chat,
                         RecordId parent) {
  ChatRecord record;
  record.id = chat ? chat : ++m_lastId;
  record.title = chat ? m_ids.key(parent) : name;
  MessageRecord answer = stored.message;
  answer.id = ++m_lastId;
  answer.chatId = record.id;
  answer.parentId = parent;
  record.headMessageId = answer.id;
  m_ids.insert(name, answer.id);
  QVERIFY(m_store->beginTurn(record, {}, answer));
  if (answer.status == MessageStatus::Streaming) return;
  const bool has_origin = !stored.origin.promptTokens.isEmpty();
  QVERIFY(m_store->finishAnswer(answer, has_origin ? std::optional(stored.origin) : std::nullopt));
}

void TestCliReplay::keepUnchanged() {
  const std::string question = "The capital of France is";
  const Stored greedy = generate(question, {.temperature = 0.0f, .max_tokens = 40});
  keep("greedy", greedy);
  const RecordId first = m_ids["greedy"];
  SamplingParams sampling = {.temperature = 0.9f,
                             .top_k = 50,
                             .top_p = 0.9f,
                             .repetition_penalty = 1.1f,
                             .seed = kLargeSeed,
                             .max_tokens = 24,
                             .ignore_eos = true};
  keep("sampled", generate(question, sampling), first - 1, first);
  const Stored story = generate("Once upon a time", sampling);
  QCOMPARE(story.origin.end, AnswerEnd::Length);
  keep("story", story);
  // Ends before a piece of what it says without it.
  sampling.stop = {story.message.text().mid(story.message.text().size() / 2, 6).toStdString()};
  const Stored stopped = generate("Once upon a time", sampling);
  QCOMPARE(stopped.origin.end, AnswerEnd::Stop);
  keep("stop string", stopped);
  Stored cut = story;
  cut.message.tokens.resize(7);
  cut.message.status = MessageStatus::Stopped;
  cut.origin.end = AnswerEnd::CutOff;
  keep("stopped by the user", cut);
  cut.origin.end = AnswerEnd::Context;
  keep("context full", cut);
}

void TestCliReplay::keepChanged() {
  const Stored story = generate("Once upon a time", {.temperature = 0.0f, .max_tokens = 12});
  const auto changed = [&](const char* name, const std::function<void(Stored&)>& change) {
    Stored copy = story;
    change(copy);
    keep(name, copy);
  };
  changed("one token", [](Stored& one) { one.message.tokens[4] = 3; });
  changed("no such token", [](Stored& one) { one.message.tokens[4] = 0x7fffffff; });
  changed("last token missing", [](Stored& one) { one.message.tokens.removeLast(); });
  changed("one token too many", [](Stored& one) { one.message.tokens.append(3); });
  changed("another end", [](Stored& one) { one.origin.end = AnswerEnd::End; });
  changed("another prompt token", [](Stored& one) { one.origin.promptTokens.last() = 3; });
  changed("prompt of another model",
          [](Stored& one) { one.origin.promptTokens.last() = 0x7fffffff; });
  changed("another model", [](Stored& one) {
    one.message.modelName = "Big\x1b[31m";
    one.message.modelFingerprint = "0123456789abcdef";
  });
  changed("another template", [](Stored& one) { one.origin.templateHash = "fedcba9876543210"; });
  changed("no origin", [](Stored& one) { one.origin = {}; });
  changed("nothing yet", [](Stored& one) {
    one.message.tokens.clear();
    one.origin.end = AnswerEnd::CutOff;
  });
  changed("failed", [](Stored& one) {
    one.message.tokens.clear();
    one.message.status = MessageStatus::Failed;
    one.origin = {};
  });
  changed("streaming", [](Stored& one) { one.message.status = MessageStatus::Streaming; });
}

void TestCliReplay::initTestCase() {
  REQUIRE_BUNDLED_MODEL();
  LlmOptions options;
  options.model_path = bundled_model_path().string();
  options.backend.device = "cpu";
  options.engine.kv_bytes = 32 << 20;
  auto llm = Llm::open(options);
  QVERIFY2(llm, llm ? "" : llm.error().message.c_str());
  m_llm = std::make_unique<Llm>(std::move(*llm));
  m_store = std::move(*ConversationStore::open(m_folder.path()));
  keepUnchanged();
  keepChanged();
  // The store stays open, as under a running Quire.
  const CliResult result = runCli(arguments({"--all", "--json"}));
  QCOMPARE(result.code, 1);
  QCOMPARE(result.err, QByteArray());
  for (const QJsonObject& line : result.jsonLines()) {
    m_said.insert(line["message"].toInteger(), line);
  }
  QCOMPARE(m_said.size(), m_ids.size() - 1);  // All but the one that is being written.
}

void TestCliReplay::all_judgesEachAnswer_data() {
  QTest::addColumn<QString>("result");
  QTest::addColumn<int>("position");
  QTest::addColumn<QString>("reason");
  const auto row = [](const char* name, const char* result, int position = 0,
                      const char* reason = "") {
    QTest::newRow(name) << QString(result) << position << QString(reason);
  };
  row("greedy", "identical");
  row("sampled", "identical");
  row("story", "identical");
  row("stop string", "identical");
  row("stopped by the user", "identical");
  row("context full", "identical");
  row("one token", "differs", 5);
  row("no such token", "differs", 5);
  row("last token missing", "differs", 12);
  row("one token too many", "differs", 13);
  row("another end", "differs", 13);
  row("another prompt token", "differs", 1);
  row("prompt of another model", "unknown", 0, "2147483647");
  row("another model", "unknown", 0, "0123456789ab");
  row("another template", "unknown", 0, "fedcba987654");
  row("no origin", "unknown", 0, "before Quire kept that");
  row("nothing yet", "unknown", 0, "before its first token");
  row("failed", "failed", 0, "It failed: there is nothing to compare.");
}

void TestCliReplay::all_judgesEachAnswer() {
  QFETCH(QString, result);
  QFETCH(int, position);
  QFETCH(QString, reason);
  const QJsonObject said = m_said[m_ids[QTest::currentDataTag()]];
  const QByteArray whole = QJsonDocument(said).toJson();
  QVERIFY2(said["result"].toString() == result, whole.constData());
  QVERIFY2(said["position"].toInt() == position, whole.constData());
  QVERIFY2(said["reason"].toString().contains(reason), whole.constData());
  QVERIFY2(said["tokens"].toInt() > 0 || result == "unknown" || result == "failed",
           whole.constData());
}

void TestCliReplay::latest_isReplayedByDefault() {
  const CliResult result = runCli(arguments({"--chat", QString::number(m_ids["greedy"] - 1)}));
  QCOMPARE(result.code, 0);
  QCOMPARE(result.err, QByteArray());
  const QString expected = QString("Message %1 of \"greedy\": identical (24 tokens).\n");
  QCOMPARE(QString::fromUtf8(result.out), expected.arg(m_ids["sampled"]));
  // Of the whole store: the last one that is not being written. What failed is no difference.
  const CliResult last = runCli(arguments({}));
  QCOMPARE(last.code, 0);
  QVERIFY2(last.out.contains("\"failed\": failed: there is nothing to compare.\n"),
           last.out.constData());
  const CliResult cut = runCli(arguments({"--message", QString::number(m_ids["nothing yet"])}));
  QCOMPARE(cut.code, 1);
  QVERIFY2(cut.out.contains("\"nothing yet\": cannot be replayed."), cut.out.constData());
}

void TestCliReplay::message_isSaidInASentence_data() {
  QTest::addColumn<QString>("said");
  QTest::newRow("stopped by the user") << "identical (7 tokens, where it was cut off).";
  QTest::newRow("one token") << "differs at token 5 of 12: stored '";
  QTest::newRow("last token missing")
      << "differs after its 11 tokens: stored the end at the token limit, now '";
  QTest::newRow("one token too many") << "(3), now the end at the token limit. It was made on CPU";
  QTest::newRow("another end") << "stored the model's end, now the end at the token limit.";
  QTest::newRow("another model") << "made by Big<U+001B>[31m (fingerprint 0123456789ab)";
  QTest::newRow("streaming") << "cannot be replayed. It is still being written";
}

void TestCliReplay::message_isSaidInASentence() {
  // One run says them all.
  static const QByteArray out = [this] {
    QStringList messages;
    for (const char* name : {"stopped by the user", "one token", "last token missing",
                             "one token too many", "another end", "another model", "streaming"}) {
      messages << "--message" << QString::number(m_ids[name]);
    }
    return runCli(arguments(messages)).out;
  }();
  QFETCH(QString, said);
  const QString head = QString("Message %1 of \"%2\": ")
                           .arg(m_ids[QTest::currentDataTag()])
                           .arg(QTest::currentDataTag());
  bool found = false;
  for (const QString& line : QString::fromUtf8(out).split('\n')) {
    found = found || (line.startsWith(head) && line.contains(said));
  }
  QVERIFY2(found, out.constData());
  QVERIFY2(out.endsWith("7 answers: 1 identical, 4 different, 2 that cannot be replayed.\n"),
           out.constData());
}

void TestCliReplay::list_namesTheAnswers() {
  const CliResult result = runCli(arguments({"--list"}));
  QCOMPARE(result.code, 0);
  QCOMPARE(result.out.count('\n'), static_cast<int>(m_said.size()));
  const QString line = QString("Message %1 of \"greedy\" (chat %2): ");
  QVERIFY2(result.out.contains(line.arg(m_ids["greedy"]).arg(m_ids["greedy"] - 1).toUtf8()),
           result.out.constData());
  QVERIFY2(result.out.contains("It cannot be replayed. What it was made from is not known"),
           result.out.constData());
  QVERIFY2(!result.out.contains('\x1b'), result.out.constData());
}

void TestCliReplay::nothingIsWritten() {
  m_store.reset();
  const QByteArray before = content();
  QVERIFY(!before.isEmpty());
  QCOMPARE(runCli(arguments({"--list"})).code, 0);
  QCOMPARE(content(), before);
  const auto store = ConversationStore::openForReading(m_folder.path());
  QCOMPARE((*store)->message(m_ids["streaming"]).value()->status, MessageStatus::Streaming);
}

void TestCliReplay::wrongChoice_isNamed_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<int>("code");
  QTest::addColumn<QString>("said");
  const auto row = [](const char* name, const QStringList& arguments, int code, const char* said) {
    QTest::newRow(name) << arguments << code << QString(said);
  };
  row("no folder", {"--data", "/nonexistent/quire"}, 1,
      "no conversations in \"/nonexistent/quire\"");
  row("no chat", {"--chat", "12345"}, 1, "no chat 12345");
  row("no message", {"--message", "12345"}, 1, "no message 12345");
  row("no id", {"--message", "last"}, 2, "--message");
  row("id 0", {"--chat", "0"}, 2, "--chat");
  row("one of all", {"--message", "1", "--all"}, 2, "--message");
  row("one of a chat", {"--message", "1", "--chat", "1"}, 2, "--message");
  row("no model", {"--chat", "1", "--model", "/nonexistent/model"}, 1, "/nonexistent/model");
}

void TestCliReplay::wrongChoice_isNamed() {
  QFETCH(QStringList, arguments);
  QFETCH(int, code);
  QFETCH(QString, said);
  const bool has_folder = arguments.contains("--data");
  const CliResult result =
      runCli(has_folder ? QStringList("replay") + arguments : this->arguments(arguments));
  QVERIFY2(result.err.contains(said.toUtf8()), result.err.constData());
  QCOMPARE(result.code, code);
  QCOMPARE(result.out, QByteArray());
  QCOMPARE(result.err.count('\n'), 1);
}

QByteArray TestCliReplay::content() const {
  QFile file(m_folder.path() + "/quire.db");
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QTEST_GUILESS_MAIN(TestCliReplay)
#include "tst_cli_replay.moc"
