#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <sqlite3.h>

#include <random>

#include "app/store/backup/backups.h"
#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/schema.h"
#include "app/store/search/search_index.h"
#include "app/store/search/search_query.h"
#include "app/store/search/search_text.h"
#include "app/store/store_writer.h"
#include "app/task_runner.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/plain_sqlite.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

bool never() {
  return false;
}

MessageRecord said(RecordId id, RecordId chatId, RecordId parentId, const QString& text) {
  MessageRecord message = samples::question(id, chatId, parentId);
  message.setText(text);
  return message;
}

MessageRecord answered(RecordId id, RecordId chatId, RecordId parentId, const QString& text) {
  MessageRecord message = samples::finishedAnswer(id, chatId, parentId);
  message.setText(text);
  return message;
}

}  // namespace

class TestSearch : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_store = std::move(*ConversationStore::open(m_folder->path()));
    m_reader = std::move(*openStoreForReading(m_folder->path()));
  }
  void cleanup() {
    m_reader.reset();
    m_store.reset();
  }

  void messages_areFoundNewestFirst() {
    turn(1, 2, 3, "The red fox", "A fox is red.");
    turn(1, 4, 5, "And wolves?", "Grey.", 3);
    QCOMPARE(found("fox"), (QList<RecordId>{3, 2}));
    QCOMPARE(found("red fox"), (QList<RecordId>{3, 2}));
    QCOMPARE(found("\"red fox\""), QList<RecordId>{2});
    QCOMPARE(found("gre"), QList<RecordId>{5});
    QCOMPARE(found("lion"), QList<RecordId>{});
    const auto answer = ask({.text = "wolves"});
    QCOMPARE(answer.messages[0].chatId, RecordId{1});
    QCOMPARE(answer.messages[0].role, MessageRole::User);
    QCOMPARE(answer.messages[0].snippet.hit, (TextRange{4, 6}));
    QVERIFY(answer.isComplete);
  }

  void cjkWords_areFoundByAnyPart_data() {
    QTest::addColumn<QString>("question");
    QTest::addColumn<QList<RecordId>>("ids");
    const auto row = [](const char* question, const QList<RecordId>& ids) {
      QTest::newRow(question) << QString::fromUtf8(question) << ids;
    };
    row("한국", {2});
    row("국어", {2});
    row("한국어", {2});
    row("국", {2});
    row("를", {2});
    row("한국어를 배", {2});
    row("北京", {3});
    row("京", {3});
    row("天安", {3});
    row("京天", {});
    row("データ", {4});
    row("ータ", {4});
    row("タベ", {4});
    row("gpt모델", {5});
    row("모델", {5});
    row("델3", {5});
    row("모3", {});
  }
  void cjkWords_areFoundByAnyPart() {
    QFETCH(QString, question);
    QFETCH(QList<RecordId>, ids);
    NewChat chat;
    chat.chat = samples::chat(1);
    chat.messages = {said(2, 1, 0, QString("저는 한국어를 배워요")),
                     said(3, 1, 2, QString("我爱北京，天安门。")),
                     said(4, 1, 3, QString("データベース")), said(5, 1, 4, QString("GPT모델3개"))};
    QVERIFY(m_store->createChat(chat));
    QCOMPARE(found(question), ids);
  }

  void accentsAndCase_doNotMatter() {
    turn(1, 2, 3, "Crème Brûlée", "ÅNGSTRÖM");
    QCOMPARE(found("creme"), QList<RecordId>{2});
    QCOMPARE(found("brulée "), QList<RecordId>{2});
    QCOMPARE(found("angstrom"), QList<RecordId>{3});
  }

  void streamingAnswers_areFoundWhenTheyAreDone() {
    QVERIFY(m_store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                               samples::emptyAnswer(3, 1, 2)));
    QVERIFY(m_store->checkpointAnswer(3, "halfway there", {}));
    QVERIFY(found("halfway").isEmpty());
    QVERIFY(m_store->finishAnswer(answered(3, 1, 2, "arrived at last")));
    QCOMPARE(found("arrived"), QList<RecordId>{3});
    // Written again (an answer that was continued), it is found by its new words only.
    QVERIFY(m_store->finishAnswer(answered(3, 1, 2, "somewhere else")));
    QVERIFY(found("arrived").isEmpty());
    QCOMPARE(found("somewhere"), QList<RecordId>{3});
  }

  void interruptedAnswers_areFoundAfterTheNextStart() {
    QVERIFY(m_store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                               samples::emptyAnswer(3, 1, 2)));
    QVERIFY(m_store->checkpointAnswer(3, "halfway there", {}));
    m_store.reset();
    m_store = std::move(*ConversationStore::open(m_folder->path()));
    QCOMPARE(found("halfway"), QList<RecordId>{3});
  }

  void removed_isNotFound() {
    turn(1, 2, 3, "alpha", "beta");
    turn(1, 4, 5, "gamma", "beta delta", 3);
    turn(6, 7, 8, "alpha", "beta");
    QVERIFY(m_store->removeMessages(1, {4, 5}));
    QCOMPARE(found("beta"), (QList<RecordId>{8, 3}));
    QVERIFY(m_store->removeMessages(6, {2, 3}));  // Of another chat: they stay.
    QCOMPARE(found("alpha"), (QList<RecordId>{7, 2}));
    QVERIFY(m_store->removeChat(1));
    QCOMPARE(found("alpha"), QList<RecordId>{7});
    QCOMPARE(ask({.text = "chat"}).titles.size(), 1);
  }

  void removed_leavesTheIndexsFile() {
    turn(1, 2, 3, "zyxwvut secretword", "plain");
    for (RecordId id = 100; id < 160; id += 2) turn(id, id + 1000, id + 1001, "other", "words");
    QVERIFY(indexHolds("zyxwvut"));
    QVERIFY(m_store->removeChat(1));
    tendAll();
    QVERIFY(!indexHolds("zyxwvut"));
    QVERIFY(indexHolds("other"));
    QCOMPARE(found("other").size(), 30);
  }

  /// A row may have 512 MiB, which an imported message can exceed. The index was once built again
  /// for such a message, without end, or the message was refused.
  void longMessages_areIndexedAsFarAsARowHolds() {
    turn(1, 2, 3, "short", "fox");
    sqlite3_limit(m_store->database().handle(), SQLITE_LIMIT_LENGTH, 40'000);
    MessageRecord manyParts = said(4, 1, 3, "beginning");
    for (int i = 0; i < 6; ++i)
      manyParts.parts.append({.kind = part_kind::kReasoning, .payload = QString(9'000, u'x')});
    manyParts.parts.append({.kind = part_kind::kReasoning, .payload = "ending"});
    // Pairs of letters take 2.3 times as much in the index.
    const MessageRecord pairs = said(6, 1, 5, "여행" + QString(6'500, u'가') + "계획");
    QTest::failOnWarning(QRegularExpression("index is damaged"));
    QVERIFY(m_store->beginTurn(samples::chat(1, 5), manyParts, samples::emptyAnswer(5, 1, 4)));
    QVERIFY(m_store->finishAnswer(answered(5, 1, 4, "wolf")));
    QVERIFY(m_store->beginTurn(samples::chat(1, 7), pairs, samples::emptyAnswer(7, 1, 6)));
    QCOMPARE(found("beginning"), QList<RecordId>{4});
    QVERIFY(found("ending").isEmpty());
    QCOMPARE(found("여행"), QList<RecordId>{6});
    QVERIFY(found("계획").isEmpty());
    QVERIFY(m_store->removeMessages(1, {4, 5, 6, 7}));
    tendAll();
    QVERIFY(found("beginning").isEmpty() && found("여행").isEmpty());
    QCOMPARE(found("fox"), QList<RecordId>{3});
    const auto check = m_store->database().exec(
        "INSERT INTO message_search (message_search) VALUES ('integrity-check')");
    QVERIFY2(check, check ? "" : check.error().message.c_str());
  }

  void titles_areFoundAndFollowARename() {
    ChatRecord chat = samples::chat(1);
    chat.title = QString("여행 계획 for Jeju");
    QVERIFY(m_store->putChat(chat));
    QCOMPARE(ask({.text = QString("계획")}).titles.size(), 1);
    QCOMPARE(ask({.text = "jej"}).titles[0].chatId, RecordId{1});
    chat.title = "Holiday";
    QVERIFY(m_store->putChat(chat));
    QVERIFY(ask({.text = "jeju"}).titles.isEmpty());
    QCOMPARE(ask({.text = "holi"}).titles[0].snippet.marks, (QList<TextRange>{{0, 4}}));
    QVERIFY(ask({.text = "holi", .role = MessageRole::User}).titles.isEmpty());
  }

  void filters_areApplied() {
    turn(1, 2, 3, "apple", "apple");
    turn(12, 13, 14, "apple", "apple");
    QCOMPARE(found({.text = "apple", .chatId = 1}), (QList<RecordId>{3, 2}));
    QCOMPARE(found({.text = "apple", .chatId = 12}), (QList<RecordId>{14, 13}));
    QCOMPARE(found({.text = "apple", .role = MessageRole::User}), (QList<RecordId>{13, 2}));
    QCOMPARE(found({.text = "apple", .chatId = 1, .role = MessageRole::Assistant}),
             QList<RecordId>{3});
    QVERIFY(found({.text = "12"}).isEmpty());  // The chat's number is nobody's word.
  }

  void pages_goOnWhereTheLastEnded() {
    for (RecordId id = 1; id < 40; id += 4) turn(id, id + 1, id + 2, "page", "page");
    auto first = ask({.text = "page", .limit = 15});
    QCOMPARE(first.messages.size(), 15);
    QVERIFY(first.hasMore);
    auto second = ask({.text = "page", .limit = 15, .before = first.messages.last().messageId});
    QCOMPARE(second.messages.size(), 5);
    QVERIFY(!second.hasMore);
    QVERIFY(second.messages[0].messageId < first.messages.last().messageId);
    using Order = SearchQuestion::Order;
    QCOMPARE(
        ask({.text = "page", .order = Order::BestFirst, .limit = 15, .skip = 15}).messages.size(),
        5);
  }

  void ranked_putsTheBestFirst() {
    turn(1, 2, 3, "needle needle needle", "hay " + QString("hay ").repeated(200) + "needle");
    QCOMPARE(found({.text = "needle", .order = SearchQuestion::Order::BestFirst}),
             (QList<RecordId>{2, 3}));
  }

  void question_withoutAWordFindsNothing() {
    turn(1, 2, 3, "???", "!");
    QVERIFY(!ask({.text = "?"}).isQuestion);
    QVERIFY(ask({.text = "x\" OR \"y* NEAR("}).messages.isEmpty());
  }

  void olderStore_isIndexedInSlices() {
    for (RecordId id = 1; id < 900; id += 3) {
      turn(id, id + 1, id + 2, QString("question %1").arg(id), "common answer");
    }
    // As a migration leaves it.
    const auto database = std::move(*openStore(m_folder->path()));
    for (const char* statement : searchIndexStatements()) QVERIFY(database->exec(statement));
    QVERIFY(!ask({.text = "common"}).isComplete);
    QVERIFY(m_store->maintain().value());
    // The titles came first; new messages are found meanwhile.
    turn(2000, 2001, 2002, "brandnew", "x");
    QCOMPARE(found("brandnew"), QList<RecordId>{2001});
    int slices = 0;
    QElapsedTimer timer;
    qint64 longest = 0;
    for (bool more = true; more; ++slices) {
      timer.start();
      const auto tended = m_store->maintain();
      QVERIFY2(tended, tended ? "" : tended.error().message.c_str());
      more = *tended;
      longest = std::max(longest, timer.elapsed());
    }
    QVERIFY(slices > 5);
    qInfo("the longest of %d slices took %lld ms", slices, static_cast<long long>(longest));
    QVERIFY(ask({.text = "common"}).isComplete);
    QCOMPARE(found({.text = "common", .limit = 200}).size(), 200);
    QCOMPARE(found("\"question 1\""), QList<RecordId>{2});
    QCOMPARE(ask({.text = "chat"}).titles.size(), 20);
    QCOMPARE(m_store->integrityCheck().value(), QString());
  }

  void version4_getsTheBeginningsOfWords() {
    QTemporaryDir older;
    {
      const auto file = samples::openAnyFile(older.path() + "/quire.db");
      QStringList statements;
      for (const Migration& migration : schemaMigrations().first(4)) {
        for (const char* statement : migration.statements) statements.append(statement);
      }
      const QString message =
          "INSERT INTO message (id, chat_id, parent_id, role, status, text, tokens, "
          "error, model_name, model_fingerprint, seed, temperature, prompt_tokens, "
          "cached_tokens, output_tokens, first_token_ms, total_ms, created_ms) "
          "VALUES (%1, 1, %2, 0, 0, '%3', x'', '', '', '', 0, 0, 0, 0, 0, 0, 0, 0)";
      statements << "INSERT INTO chat (id, title, title_is_automatic, color, draft, created_ms, "
                    "active_ms) "
                    "VALUES (1, 'Zoo', 0, 0, '', 0, 0)"
                 << message.arg("2", "NULL", "elephants")
                 << message.arg("3", "2", "中国")
                 // As that version had entered it: the words and the chat, and nothing else.
                 << "INSERT INTO message_search (rowid, body) VALUES (2, 'elephants')"
                 << QString("PRAGMA application_id=%1").arg(kApplicationId)
                 << "PRAGMA user_version=4";
      for (const QString& statement : statements) {
        const auto done = file->exec(statement.toStdString());
        QVERIFY2(done, done ? "" : done.error().message.c_str());
      }
    }
    auto store = ConversationStore::open(older.path());
    QVERIFY2(store, store ? "" : store.error().message.c_str());
    m_store = std::move(*store);
    m_reader = std::move(*openStoreForReading(older.path()));
    QVERIFY(!ask({.text = "el"}).isComplete);
    tendAll();
    QVERIFY(ask({.text = "el"}).isComplete);
    QCOMPARE(found("el"), QList<RecordId>{2});
    QCOMPARE(found("国"), QList<RecordId>{3});
    QVERIFY(m_store->removeChat(1));  // Takes out what was entered, word for word.
    QCOMPARE(found("el"), QList<RecordId>{});
    QCOMPARE(m_store->integrityCheck().value(), QString());
    cleanup();
  }

  void attachments_areFound() {
    MessageRecord question = said(2, 1, 0, "What is it about?");
    question.setAttachments({{.name = "fish.txt", .text = "A paper on zebrafish."}});
    QVERIFY(m_store->beginTurn(samples::chat(1, 3), question, samples::emptyAnswer(3, 1, 2)));
    const auto answer = ask({.text = "zebrafish"});
    QCOMPARE(answer.messages.size(), 1);
    QCOMPARE(answer.messages[0].messageId, RecordId{2});
    QCOMPARE(answer.messages[0].snippet.text, QString("A paper on zebrafish."));
    QCOMPARE(answer.messages[0].snippet.marks, (QList<TextRange>{{11, 9}}));
    QCOMPARE(answer.messages[0].snippet.hit, TextRange{});  // Not in the message's own text.
    QCOMPARE(found("about zebrafish"), QList<RecordId>{2});
  }

  void sentenceThatForksShare_isFoundOnce() {
    turn(1, 2, 3, "a common beginning", "the shared sentence");
    NewChat fork{.chat = samples::chat(10, 12)};
    fork.messages = m_store->messages(1).value();
    fork.messages[0].id = 11;
    fork.messages[1].id = 12;
    fork.messages[1].parentId = 11;
    for (MessageRecord& message : fork.messages) message.chatId = 10;
    QVERIFY(m_store->createChat(fork));
    turn(10, 13, 14, "only in the fork", "another sentence", 12);
    for (const auto order :
         {SearchQuestion::Order::NewestFirst, SearchQuestion::Order::BestFirst}) {
      QCOMPARE(found({.text = "shared", .order = order}), QList<RecordId>{3});
    }
    QCOMPARE(found("sentence"), (QList<RecordId>{14, 3}));
    QCOMPARE(found({.text = "shared", .chatId = 10}), QList<RecordId>{12});
    QVERIFY(m_store->removeChat(1));
    QCOMPARE(found("shared"), QList<RecordId>{12});
  }

  void removingALongChat_leavesTheIndexToMaintenance() {
    turn(1, 2, 3, "stays", "here");
    RecordId last = 0;
    for (RecordId id = 100; id < 300; id += 2) {
      turn(50, id, id + 1, QString("gone %1").arg(id), QString("whale ").repeated(200), last);
      last = id + 1;
    }
    QVERIFY(m_store->removeChat(50));
    const auto left = [&] { return m_reader->number("SELECT count(*) FROM search_stale").value(); };
    QVERIFY2(left() > 100, qPrintable(QString::number(left())));
    QCOMPARE(found("whale"), QList<RecordId>{});
    // An id that is given again meanwhile is entered with its own words.
    turn(60, 299, 301, "reborn", "x");
    tendAll();
    QCOMPARE(left(), 0);
    QCOMPARE(found("whale"), QList<RecordId>{});
    QCOMPARE(found("reborn"), QList<RecordId>{299});
    QCOMPARE(m_reader->number("SELECT count(*) FROM message_search_docsize").value(), 4);
    QCOMPARE(
        m_reader->number("SELECT count(*) FROM message_search WHERE message_search MATCH 'whale'")
            .value(),
        0);
  }

  void beginnings_findWhatBeginsSo() {
    std::mt19937 random(41);
    const QStringList letters = {"a", "b",  "É",  "e",  "ß",  "ж",  "Ж",  " ", " ", "-",
                                 "1", "中", "국", "か", "が", "ー", "ａ", "_", "ö", "'"};
    for (RecordId id = 1; id < 300; id += 3) {
      QString text;
      for (int i = 0; i < 24; ++i) text += letters[static_cast<qsizetype>(random() % 20)];
      turn(id, id + 1, id + 2, text, "x");
    }
    int hits = 0;
    for (const char* word : {"ab", "éb", "EE", "жж", "Жa", "1a", "öb", "中", "국", "か", "が"}) {
      const QString text = QString::fromUtf8(word);
      const QList<RecordId> wanted =
          Statement(*m_reader,
                    "SELECT rowid FROM message_search WHERE message_search MATCH ? "
                    "ORDER BY rowid DESC")
              .bind(toTitleMatch(parseSearch(text, true)))  // Gathers all words that begin so.
              .all<QList<RecordId>>()
              .value();
      QVERIFY2(found({.text = text, .limit = 200}) == wanted, word);
      hits += static_cast<int>(wanted.size());
    }
    QVERIFY2(hits > 100, qPrintable(QString::number(hits)));
  }

  void damagedIndex_isBuiltAgainAndLosesNoMessage() {
    turn(1, 2, 3, "before", "x");
    runPlainSql(m_folder->filePath("quire.db"),
                "UPDATE message_search_data SET block = x'ffffffffffffffff'");
    m_store = std::move(*ConversationStore::open(m_folder->path()));
    turn(1, 4, 5, "after", "y", 3);
    QCOMPARE(m_store->messages(1).value().size(), 4);
    tendAll();
    m_reader = std::move(*openStoreForReading(m_folder->path()));
    QCOMPARE(found("before"), QList<RecordId>{2});
    QCOMPARE(found("after"), QList<RecordId>{4});
  }

  /// The index was once built again for it, without end.
  void damagedMessage_endsTheWorkOnTheIndex() {
    for (RecordId id = 1; id < 90; id += 3) {
      const QString text = QString("number %1 ").arg(id) + QString(5'000, u'x');
      turn(id, id + 1, id + 2, text, "fox");
    }
    m_reader.reset();
    m_store.reset();
    overwritePageWith("number 43 ");
    m_store = std::move(*ConversationStore::open(m_folder->path()));
    for (const char* statement : searchIndexStatements())
      QVERIFY(m_store->database().exec(statement));
    QTest::failOnWarning(QRegularExpression("index is damaged"));
    Result<bool> more = true;
    for (int i = 0; i < 100 && more && *more; ++i) more = m_store->maintain();
    QVERIFY(!more);
    m_reader = std::move(*openStoreForReading(m_folder->path()));
    QCOMPARE(found("\"number 88\""), QList<RecordId>{89});
    turn(100, 101, 102, "said after it", "fox");
    QCOMPARE(found("said"), QList<RecordId>{101});
  }

  /// From version 3.44 on SQLite's check reads it too.
  void damagedIndex_isCopiedAndNotReported() {
    turn(1, 2, 3, "before", "x");
    runPlainSql(m_folder->filePath("quire.db"),
                "UPDATE message_search_data SET block = x'ffffffffffffffff'");
    m_reader = std::move(*openStoreForReading(m_folder->path()));
    QCOMPARE(structureFault(*m_reader).value(), QString());
    const auto made = backUpNow(m_folder->path(), {}, QDateTime::currentDateTime());
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QVERIFY(concernsIndexAlone("malformed inverted index for FTS5 table main.message_search"));
    QVERIFY(!concernsIndexAlone("Tree 5 page 9: btreeInitPage() returns error code 11"));
  }

  void writer_indexesAnOlderStoreWhenItIsIdle() {
    turn(1, 2, 3, "quiet", "x");
    {
      const auto database = std::move(*openStore(m_folder->path()));
      for (const char* statement : searchIndexStatements()) QVERIFY(database->exec(statement));
    }
    const StoreWriter writer(m_folder->path());
    QTRY_VERIFY(ask({.text = "quiet"}).isComplete);
    QCOMPARE(found("quiet"), QList<RecordId>{2});
  }

  void reader_answersTheNewestQuestionOnly() {
    turn(1, 2, 3, "first", "second");
    const auto reader = std::make_shared<SearchReader>(m_folder->path());
    QList<SearchAnswer> answers;
    TaskRunner tasks;
    const auto askReader = [&](const QString& text) {
      tasks.runNewest(
          [reader, text](std::stop_token stop) {
            return reader->ask({.text = text}, [&stop] { return stop.stop_requested(); });
          },
          [&](const Result<SearchAnswer>& answer) {
            QCOMPARE(QThread::currentThread(), thread());
            answers.append(answer.value());
          });
    };
    for (int i = 0; i < 50; ++i) askReader("first");
    askReader("second");
    QTRY_VERIFY(!tasks.isBusy());
    QCOMPARE(answers.size(), 1);
    QCOMPARE(answers[0].messages[0].messageId, RecordId{3});
    askReader("first");
    tasks.cancel();
    QTest::qWait(50);
    QCOMPARE(answers.size(), 1);
  }

  void reader_saysWhenThereIsNoStore() {
    SearchReader reader(m_folder->path() + "/none");
    const auto answer = reader.ask({.text = "x"}, [] { return false; });
    QVERIFY(!answer && answer.error().message.find("/none") != std::string::npos);
  }

  void interruption_stopsALongStatement() {
    bool wanted = false;
    const auto watch = m_reader->interruptWhen([&] { return std::exchange(wanted, true); });
    QVERIFY(watch != nullptr);
    const double begin = test::thread_ms();
    const auto counted = m_reader->number(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) "
        "SELECT count(*) FROM n");
    QVERIFY(wanted && !counted);
    // Beyond the limits of a statement, after some seconds, it would be kCorruptFile.
    QCOMPARE(counted.error().code, ErrorCode::kInternal);
    QVERIFY(test::thread_ms() - begin < 1000.0);
  }

 private:
  void turn(RecordId chat, RecordId question, RecordId answer, const QString& asked,
            const QString& text, RecordId parent = 0) {
    const auto begun =
        m_store->beginTurn(samples::chat(chat, answer), said(question, chat, parent, asked),
                           samples::emptyAnswer(answer, chat, question));
    QVERIFY2(begun, begun ? "" : begun.error().message.c_str());
    const auto done = m_store->finishAnswer(answered(answer, chat, question, text));
    QVERIFY2(done, done ? "" : done.error().message.c_str());
  }

  SearchAnswer ask(const SearchQuestion& question) const {
    const auto answer = askIndex(*m_reader, question, never);
    if (!answer) qFatal("%s", answer.error().message.c_str());
    return *answer;
  }

  QList<RecordId> found(const SearchQuestion& question) const {
    QList<RecordId> ids;
    const SearchAnswer answer = ask(question);
    for (const MessageHit& hit : answer.messages) ids.append(hit.messageId);
    return ids;
  }
  QList<RecordId> found(const QString& text) const { return found(SearchQuestion{.text = text}); }

  void tendAll() {
    while (m_store->maintain().value()) {
    }
  }

  /// Makes a page of no type of the one that holds this text.
  void overwritePageWith(const QByteArray& text) const {
    constexpr qint64 kPage = 4096;
    QFile file(m_folder->filePath("quire.db"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    const qint64 at = file.readAll().indexOf(text);
    QVERIFY(at > kPage);
    QVERIFY(file.seek(at / kPage * kPage));
    QCOMPARE(file.write(QByteArray(kPage, '\xff')), kPage);
  }

  /// In the file or its log.
  bool indexHolds(const QByteArray& word) const {
    for (const char* name : {"/quire.db", "/quire.db-wal"}) {
      QFile file(m_folder->path() + name);
      if (file.open(QIODevice::ReadOnly) && file.readAll().contains(word)) return true;
    }
    return false;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ConversationStore> m_store;
  std::unique_ptr<Database> m_reader;
};

QTEST_GUILESS_MAIN(TestSearch)
#include "tst_search.moc"
