#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <limits>
#include <random>

#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/plain_sqlite.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

constexpr RecordId kChat = 1;

template <typename T>
QString errorOf(const Result<T>& result) {
  return result ? QString() : QString::fromStdString(result.error().message);
}

std::unique_ptr<ConversationStore> mustOpen(const QString& folder) {
  auto opened = ConversationStore::open(folder);
  if (!opened) qFatal("%s", opened.error().message.c_str());
  return std::move(*opened);
}

OriginRecord originOf(const QList<qint32>& prompt) {
  OriginRecord origin;
  origin.templateHash = QStringLiteral("c0ffee");
  origin.sampling.seed = 0xfedcba9876543210u;
  origin.promptTokens = prompt;
  origin.end = AnswerEnd::End;
  origin.deviceName = QStringLiteral("CPU · AVX-512 · 2 threads");
  return origin;
}

/// `count` ids that no other message has.
QList<qint32> someTokens(std::mt19937& random, int count) {
  QList<qint32> tokens;
  for (int i = 0; i < count; ++i) tokens.append(static_cast<qint32>(random() % 100'000));
  return tokens;
}

/// A chat whose every turn is a question (even ids) and its answer (odd ids).
class Tree {
 public:
  explicit Tree(const QString& folder) : m_store(mustOpen(folder)) {
    if (!m_store->putChat(samples::chat(kChat))) qFatal("cannot write");
  }

  /// An answer below the question `parent` whose prompt is `prompt`.
  RecordId answer(RecordId parent, const QList<qint32>& prompt) {
    MessageRecord answer = samples::finishedAnswer(m_next++, kChat, parent);
    answer.tokens = someTokens(m_random, 20);
    const bool written =
        m_store->beginTurn(samples::chat(kChat, answer.id), {}, answer).has_value() &&
        m_store->finishAnswer(answer, originOf(prompt)).has_value();
    if (!written) qFatal("cannot write");
    m_prompts.insert(answer.id, prompt);
    m_sequences.insert(answer.id, prompt + answer.tokens);
    return answer.id;
  }

  RecordId question(RecordId parent) {
    const MessageRecord question = samples::question(m_next++, kChat, parent);
    const auto written = m_store->beginTurn(samples::chat(kChat, question.id), question,
                                            samples::finishedAnswer(m_next++, kChat, question.id));
    if (!written) qFatal("%s", written.error().message.c_str());
    return question.id;
  }

  /// The next turn below an answer; its prompt goes on from it, as long as it was.
  RecordId turn(RecordId above) {
    return answer(question(above), m_sequences[above] + someTokens(m_random, 30));
  }

  ConversationStore& store() { return *m_store; }
  const QHash<RecordId, QList<qint32>>& prompts() const { return m_prompts; }
  QList<qint32> sequence(RecordId id) const { return m_sequences[id]; }
  std::mt19937& random() { return m_random; }

 private:
  std::unique_ptr<ConversationStore> m_store;
  std::mt19937 m_random{20261121};
  RecordId m_next = 10;
  QHash<RecordId, QList<qint32>> m_prompts;
  QHash<RecordId, QList<qint32>> m_sequences;
};

}  // namespace

/// What answers were made from is kept in little space and comes back exactly, or not at all.
class TestAnswerOrigin : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void origin_roundTrips() {
    OriginRecord written = originOf({1, 2, 0x7fffffff, 0});
    written.end = AnswerEnd::Length;
    written.sampling = {.temperature = 0.7f,
                        .top_k = 40,
                        .top_p = 0.95f,
                        .min_p = 0.05f,
                        .repetition_penalty = 1.1f,
                        .presence_penalty = -0.5f,
                        .frequency_penalty = 0.3f,
                        .seed = std::numeric_limits<uint64_t>::max() - 1,
                        .max_tokens = 77,
                        .stop = {"\n\n", "끝", "\"quoted\""},
                        .ignore_eos = true};
    finish(2, written);
    const auto read = mustOpen(path())->origin(2);
    QVERIFY2(read && *read, qPrintable(errorOf(read)));
    QCOMPARE((*read)->templateHash, written.templateHash);
    QCOMPARE((*read)->promptTokens, written.promptTokens);
    QCOMPARE((*read)->end, written.end);
    QCOMPARE((*read)->deviceName, written.deviceName);
    const SamplingParams& sampling = (*read)->sampling;
    QCOMPARE(samplingToJson(sampling), samplingToJson(written.sampling));
    QCOMPARE(sampling.seed, std::numeric_limits<uint64_t>::max() - 1);
    QVERIFY(sampling.temperature == 0.7f && sampling.top_p == 0.95f && sampling.min_p == 0.05f);
    QVERIFY(sampling.stop == written.sampling.stop);
  }

  void origin_isNoneForAnAnswerWithoutOne() {
    finish(2, {});
    const auto store = mustOpen(path());
    QVERIFY(store->origin(2));
    QVERIFY(!*store->origin(2));
    QVERIFY(!*store->origin(999));
  }

  void origin_goesWithItsChat() {
    finish(2, originOf({1, 2, 3}));
    QVERIFY(mustOpen(path())->removeChat(kChat));
    QCOMPARE(number("SELECT count(*) FROM answer_origin"), 0);
  }

  void sampling_readsBackWhatItWrites_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("named");
    const QString whole = samplingToJson({});
    const auto changed = [&](const char* from, const char* to) {
      return QString(whole).replace(from, to);
    };
    QTest::newRow("defaults") << whole << "";
    QTest::newRow("largest seed") << changed("\"seed\":0", "\"seed\":18446744073709551615") << "";
    QTest::newRow("seed too large")
        << changed("\"seed\":0", "\"seed\":18446744073709551616") << "seed";
    QTest::newRow("negative seed") << changed("\"seed\":0", "\"seed\":-1") << "seed";
    QTest::newRow("unknown") << changed("\"top_k\"", "\"mirostat\":2,\"top_k\"") << "mirostat";
    QTest::newRow("text for a number") << changed("\"min_p\":0.0", "\"min_p\":\"a\"") << "min_p";
    QTest::newRow("huge") << changed("\"min_p\":0.0", "\"min_p\":1e300") << "min_p";
    QTest::newRow("count too large") << changed(":1024", ":4294967296") << "max_tokens";
    QTest::newRow("stop is no list") << changed("[]", "7") << "stop";
    QTest::newRow("stop of numbers") << changed("[]", "[1]") << "stop";
    QTest::newRow("a list") << "[]"
                            << "{";
    QTest::newRow("no JSON") << "{\"seed\":"
                             << "{";
    QTest::newRow("an unknown name with a control character")
        << changed("\"min_p\"", "\"min_\x7fp\"") << "min_<U+007F>p";
    QTest::newRow("deep") << QString(100'000, '[') << "{";
    QTest::newRow("closed and deep")
        << "{\"stop\":" + QString(30'000, '[') + QString(30'000, ']') + "}"
        << "{";
    QTest::newRow("nothing") << ""
                             << "{";
  }
  void sampling_readsBackWhatItWrites() {
    QFETCH(QString, json);
    QFETCH(QString, named);
    const auto params = samplingFromJson(json);
    QCOMPARE(params.has_value(), named.isEmpty());
    if (params) {
      QCOMPARE(samplingToJson(*params), json);
      return;
    }
    QVERIFY2(errorOf(params).contains('"' + named + '"'), qPrintable(errorOf(params)));
  }

  /// So that a parameter of a later version needs no migration.
  void sampling_withoutAFieldHasItsDefault() {
    const auto params = samplingFromJson(QString(samplingToJson({})).replace("\"top_k\":0,", ""));
    QVERIFY2(params, qPrintable(errorOf(params)));
    QCOMPARE(samplingToJson(*params), samplingToJson({}));
  }

  void prompts_ofABranchyTreeAreRebuiltExactly() {
    Tree tree(path());
    QList<RecordId> answers = {tree.answer(0, someTokens(tree.random(), 200))};
    for (int i = 0; i < 30; ++i) {
      const RecordId above = answers[static_cast<qsizetype>(tree.random()() % answers.size())];
      switch (tree.random()() % 4) {
        case 0:  // The same prompt once more, and with another end.
          answers.append(tree.answer(parentOf(tree, above), tree.prompts()[above]));
          break;
        case 1: {  // The beginning was dropped, or the persona changed.
          const auto from = static_cast<qsizetype>(tree.random()() % 20);
          answers.append(tree.answer(tree.question(above), tree.sequence(above).sliced(from)));
          break;
        }
        default:
          answers.append(tree.turn(above));
      }
    }
    for (const RecordId id : answers) {
      const auto origin = tree.store().origin(id);
      QVERIFY2(origin && *origin, qPrintable(errorOf(origin)));
      QCOMPARE((*origin)->promptTokens, tree.prompts()[id]);
    }
  }

  void prompts_ofALongChatTakeLinearSpaceAndTime() {
    constexpr int kTurns = 40;
    Tree tree(path());
    RecordId last = tree.answer(0, someTokens(tree.random(), 1000));
    for (int i = 1; i < kTurns; ++i) last = tree.turn(last);
    // Whole, they would be some 80,000 numbers.
    QCOMPARE(number("SELECT sum(length(prompt_rest)) / 4 FROM answer_origin"),
             1000 + 30 * (kTurns - 1));
    const double begin = test::thread_ms();
    QCOMPARE((*tree.store().origin(last))->promptTokens, tree.prompts()[last]);
    const double ms = test::thread_ms() - begin;
    QVERIFY2(ms < 1000.0, qPrintable(QString::number(ms)));
  }

  void regenerated_sharesTheWholePrompt() {
    Tree tree(path());
    const RecordId question = tree.question(0);
    const QList<qint32> prompt = someTokens(tree.random(), 500);
    tree.answer(question, prompt);
    const RecordId second = tree.answer(question, prompt);
    QCOMPARE(number("SELECT length(prompt_rest) FROM answer_origin WHERE message_id = " +
                    std::to_string(second)),
             0);
    QCOMPARE((*tree.store().origin(second))->promptTokens, prompt);
  }

  void damage_isSaidAndNamesTheMessage_data() {
    QTest::addColumn<QString>("statement");
    QTest::addColumn<QString>("said");
    QTest::newRow("base gone") << "DELETE FROM answer_origin WHERE message_id = %1"
                               << "begins as that of message %1";
    QTest::newRow("base changed") << "UPDATE message SET tokens = zeroblob(80) WHERE id = %1"
                                  << "has been changed";
    QTest::newRow("base shortened") << "UPDATE message SET tokens = x'' WHERE id = %1"
                                    << "not known any more";
    QTest::newRow("base without end")
        << "UPDATE message SET tokens = zeroblob(50000000) WHERE id = %1"
        << "not known any more";
    QTest::newRow("circle") << "UPDATE answer_origin SET prompt_base_id = %2 WHERE message_id = %2"
                            << "begins as that of message %2";
    QTest::newRow("younger base")
        << "UPDATE answer_origin SET prompt_base_id = %2, prompt_shared = 3 WHERE message_id = %1"
        << "not known any more";
    for (const char* count : {"-1", "100000", "4294967296", "9223372036854775807"}) {
      QTest::addRow("shared %s", count)
          << QString("UPDATE answer_origin SET prompt_shared = %1 WHERE message_id = %2")
                 .arg(count, "%2")
          << "not known any more";
    }
    QTest::newRow("no base") << "UPDATE answer_origin SET prompt_base_id = NULL WHERE "
                                "message_id = %2"
                             << "is damaged";
    QTest::newRow("odd bytes") << "UPDATE answer_origin SET prompt_rest = x'010203' WHERE "
                                  "message_id = %2"
                               << "has been changed";
    QTest::newRow("sampling")
        << "UPDATE answer_origin SET sampling = '{\"top_k\":\"a\"}' WHERE message_id = %2"
        << "top_k";
  }
  void damage_isSaidAndNamesTheMessage() {
    QFETCH(QString, statement);
    QFETCH(QString, said);
    Tree tree(path());
    const RecordId first = tree.answer(0, someTokens(tree.random(), 50));
    const RecordId second = tree.turn(first);
    const auto numbered = [&](QString text) {
      return text.replace("%1", QString::number(first)).replace("%2", QString::number(second));
    };
    QVERIFY((*openStore(path()))->exec(numbered(statement).toStdString()));
    const auto origin = tree.store().origin(second);
    QVERIFY(!origin);
    QVERIFY2(errorOf(origin).contains(numbered(said)), qPrintable(errorOf(origin)));
    QVERIFY2(errorOf(origin).contains(QString("essage %1").arg(second)),
             qPrintable(errorOf(origin)));
    // The messages themselves are readable, and the chat goes on: on what is still known.
    QVERIFY(tree.store().messages(kChat).value().size() > 2);
    const RecordId third = tree.turn(second);
    QCOMPARE((*tree.store().origin(third))->promptTokens, tree.prompts()[third]);
  }

  /// They would be copied several times before anything is done with them.
  void tokensWithoutEnd_readAsNone() {
    Tree tree(path());
    const RecordId id = tree.answer(0, someTokens(tree.random(), 50));
    const auto setTokens = [&](int bytes) {
      const auto sql = QString("UPDATE message SET tokens = zeroblob(%1) WHERE id = %2");
      return (*openStore(path()))->exec(sql.arg(bytes).arg(id).toStdString()).has_value();
    };
    constexpr int kMost = 16 << 20;
    QVERIFY(setTokens(kMost));
    QCOMPARE(tree.store().message(id).value()->tokens.size(), kMost / 4);
    QVERIFY(setTokens(kMost + 4));
    QCOMPARE(tree.store().message(id).value()->tokens.size(), 0);
    QCOMPARE((*tree.store().origin(id))->promptTokens, tree.prompts()[id]);
  }

  void finish_doesNotDependOnTheOrigin_data() {
    QTest::addColumn<QString>("statement");
    QTest::newRow("no such table") << "DROP TABLE answer_origin";
    QTest::newRow("refused") << "CREATE TRIGGER refuse BEFORE INSERT ON answer_origin BEGIN "
                                "SELECT RAISE(ABORT, 'no'); END";
    QTest::newRow("all of it undone") << "CREATE TRIGGER refuse BEFORE INSERT ON answer_origin "
                                         "BEGIN SELECT RAISE(ROLLBACK, 'no'); END";
    QTest::newRow("damaged page") << QString();
  }
  void finish_doesNotDependOnTheOrigin() {
    QFETCH(QString, statement);
    finish(2, originOf({1, 2, 3}));
    if (statement.isEmpty()) overwriteOriginPage();
    const auto store = mustOpen(path());
    if (!statement.isEmpty()) runPlainSql(path() + "/quire.db", statement);
    QTest::ignoreMessage(QtWarningMsg, QRegularExpression("^Message 4 is saved, but not what"));
    QTest::failOnWarning(QRegularExpression(".*"));  // Once, and never again.
    for (const RecordId id : {4, 6}) {
      QVERIFY(store->beginTurn(samples::chat(kChat, id), samples::question(id - 1, kChat, 2),
                               samples::emptyAnswer(id, kChat, id - 1)));
      const MessageRecord answer = samples::finishedAnswer(id, kChat, id - 1);
      const auto finished = store->finishAnswer(answer, originOf({1, 2, 3, 4}));
      QVERIFY2(finished, qPrintable(errorOf(finished)));
      const MessageRecord read = *store->message(id).value();
      QCOMPARE(read.status, answer.status);
      QCOMPARE(read.text(), answer.text());
      QCOMPARE(read.tokens, answer.tokens);
    }
    QCOMPARE(store->messages(kChat).value().size(), 5);
  }

  void finish_failsWithoutItsMessage() {
    finish(2, {});
    const auto store = mustOpen(path());
    QTest::failOnWarning(QRegularExpression(".*"));
    QVERIFY(!store->finishAnswer(samples::finishedAnswer(99, kChat), originOf({1})));
  }

  void openForReading_readsBesideAWriterAndChangesNothing() {
    const auto writer = mustOpen(path());
    QVERIFY(writer->beginTurn(samples::chat(kChat, 3), samples::question(2, kChat),
                              samples::emptyAnswer(3, kChat, 2)));
    const auto reader = ConversationStore::openForReading(path());
    QVERIFY2(reader, qPrintable(errorOf(reader)));
    QCOMPARE((*reader)->message(3).value()->status, MessageStatus::Streaming);
    QCOMPARE((*reader)->answerIds().value(), QList<RecordId>());
    QVERIFY(!(*reader)->putSetting("theme", "dark"));
    QVERIFY(writer->finishAnswer(samples::finishedAnswer(3, kChat, 2), originOf({1, 2})));
    QCOMPARE((*reader)->answerIds(kChat).value(), QList<RecordId>{3});
    QCOMPARE((*reader)->answerIds(77).value(), QList<RecordId>());
    QCOMPARE((*(*reader)->origin(3))->promptTokens, (QList<qint32>{1, 2}));
    QVERIFY(!(*reader)->message(99).value());
  }

  void openForReading_createsNoFolderAndNoFile() {
    const auto reader = ConversationStore::openForReading(path() + "/none");
    QVERIFY(!reader);
    QCOMPARE(reader.error().code, ErrorCode::kNotFound);
    QVERIFY2(errorOf(reader).contains(path() + "/none"), qPrintable(errorOf(reader)));
    QVERIFY(!QDir(path() + "/none").exists());
    QVERIFY(QFile(path() + "/quire.db").open(QIODevice::WriteOnly));
    QVERIFY(!ConversationStore::openForReading(path()));
    QCOMPARE(QFile(path() + "/quire.db").size(), 0);
  }

  void openForReading_saysWhatCannotBeRead() {
    QVERIFY(QDir(path()).mkdir("quire.db"));
    const auto reader = ConversationStore::openForReading(path());
    QVERIFY(!reader);
    QVERIFY2(errorOf(reader).contains("quire.db\" is no file that Quire can open"),
             qPrintable(errorOf(reader)));
  }

  void openForReading_leavesAClosedFileAsItIs() {
    finish(2, originOf({1, 2, 3}));
    const QByteArray before = content();
    QCOMPARE((*(*ConversationStore::openForReading(path()))->origin(2))->promptTokens.size(), 3);
    QCOMPARE(content(), before);
  }

 private:
  QString path() const { return m_folder->path(); }

  QByteArray content() const {
    QFile file(path() + "/quire.db");
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  int64_t number(const std::string& sql) const {
    return (*openStoreForReading(path()))->number(sql).value();
  }

  void overwriteOriginPage() const {
    const int64_t page = number("SELECT rootpage FROM sqlite_schema WHERE name = 'answer_origin'");
    const int64_t size = number("PRAGMA page_size");
    QFile file(path() + "/quire.db");
    QVERIFY(page > 1 && file.open(QIODevice::ReadWrite));
    QVERIFY(file.seek(static_cast<qint64>(page - 1) * size));
    QCOMPARE(file.write(QByteArray(size, '\xff')), size);
  }

  static RecordId parentOf(Tree& tree, RecordId id) {
    return tree.store().message(id).value()->parentId;
  }

  /// A chat with one answer that ended with `origin`.
  void finish(RecordId id, const std::optional<OriginRecord>& origin) const {
    const auto store = mustOpen(path());
    QVERIFY(store->beginTurn(samples::chat(kChat, id), {}, samples::emptyAnswer(id, kChat)));
    QVERIFY(store->finishAnswer(samples::finishedAnswer(id, kChat), origin));
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestAnswerOrigin)
#include "tst_answer_origin.moc"
