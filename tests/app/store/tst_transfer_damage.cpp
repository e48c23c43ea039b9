#include <QFile>
#include <QTemporaryDir>
#include <QtEndian>
#include <QtTest>

#include "app/store/backup/damaged_store.h"
#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/transfer/markdown.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/sample_records.h"
#include "tests/app/store/transfer_place.h"

using namespace quire;

namespace {

int numForks(const ConversationStore& store) {
  int num = 0;
  for (const ChatRecord& chat : store.chats().value()) num += chat.forkedFrom != 0 ? 1 : 0;
  return num;
}

}  // namespace

/// What comes out of stores that are damaged, files that are not whole or forged, and work that
/// ends early.
class TestTransferDamage : public QObject {
  Q_OBJECT

 private slots:
  /// A draft model is read when its model is loaded, so an imported file must not name one.
  void draftModels_stayOnTheirMachine() {
    Place from;
    QVERIFY(from.store->putModelSettings(
        {.path = "/m", .speculates = false, .draftModel = "/draft", .lastUsedMs = 5}));
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    QByteArray text = written.readAll();
    written.close();
    QVERIFY(!text.contains("/draft"));
    QVERIFY(text.contains("\"speculates\":false"));
    text.replace("\"speculates\":false", "\"speculates\":false,\"draft_model\":\"/evil\"");
    QFile forged(file);
    QVERIFY(forged.open(QIODevice::WriteOnly) && forged.write(text) == text.size());
    forged.close();
    Place imported, restored;
    IdSource ids(1000);
    const auto report = importJson(imported.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(imported.store->allModelSettings().value()[0].speculates, std::optional(false));
    QCOMPARE(imported.store->allModelSettings().value()[0].draftModel, QString());
    QVERIFY(mergeStore(restored.path(), from.path() + "/quire.db", ids, goOn));
    QCOMPARE(restored.store->allModelSettings().value()[0].draftModel, QString("/draft"));
  }

  void merge_goesOnPastAChatThatLostAMessage() {
    Place from;
    fillThree(*from.store);
    from.store.reset();
    {
      const auto database = openStore(from.path());
      QVERIFY(database && (*database)->exec("PRAGMA foreign_keys=OFF"));
      QVERIFY((*database)->exec("DELETE FROM message WHERE id = 201"));
    }
    Place to;
    IdSource ids(1000);
    const auto report = mergeStore(to.path(), from.path() + "/quire.db", ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->chatsAdded, 2);
    QCOMPARE(report->chatsDamaged, 1);
    QCOMPARE(to.store->chats().value().size(), 2);
  }

  void merge_takesTheChatsThatCanBeRead_whereTheirTableIsDamaged() {
    Place from;
    for (RecordId id = 100; id <= 6000; id += 100) {
      ChatRecord chat = samples::chat(id, id + 2);
      chat.draft = QString(400, 'd');
      QVERIFY(from.store->beginTurn(chat, samples::question(id + 1, id),
                                    samples::emptyAnswer(id + 2, id, id + 1)));
    }
    from.store.reset();
    damageChatTable(from.path());
    const qsizetype readable = readableChats(from.path() + "/quire.db").value().size();
    QVERIFY2(readable > 30 && readable < 60, qPrintable(QString::number(readable)));
    Place to;
    IdSource ids(100'000);
    const auto report = mergeStore(to.path(), from.path() + "/quire.db", ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->chatsAdded, readable);
    QCOMPARE(to.store->chats().value().size(), readable);
  }

  /// The backup was made while the answer was written, and the store that was kept has all of it.
  void merge_completesAnAnswerThatWasCutOff() {
    Place kept, restored;
    beginAnswer(restored);
    QCOMPARE(restored.store->messages(100).value()[1].status, MessageStatus::Interrupted);
    fillThree(*kept.store);
    MessageRecord answer = samples::finishedAnswer(102, 100, 101);
    answer.setText("The first words, and the elephants");
    OriginRecord origin;
    origin.promptTokens = {1, 2};
    QVERIFY(kept.store->finishAnswer(answer, origin));
    IdSource ids(1000);
    const auto report = mergeStore(restored.path(), storePath(kept.path()), ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->completed, QList<RecordId>{100});
    QCOMPARE(report->chatsAdded, 2);
    const auto messages = restored.store->messages(100).value();
    QCOMPARE(messages.size(), 2);
    QCOMPARE(messages[1].id, RecordId{102});
    QCOMPARE(messages[1].text(), answer.text());
    QCOMPARE(messages[1].status, MessageStatus::Complete);
    QCOMPARE(messages[1].tokens, answer.tokens);
    QCOMPARE(messages[1].totalMs, answer.totalMs);
    QVERIFY(!messages[1].imported);
    QCOMPARE(restored.store->origin(102).value()->promptTokens, origin.promptTokens);
    QCOMPARE(numFound(restored, "elephants"), 1);
    QCOMPARE(numFound(restored, "first"), 1);
    QCOMPARE(mergeStore(restored.path(), storePath(kept.path()), ids, goOn)->chatsKnown, 3);
    // Nor does a copy that was cut off replace anything.
    Place cutOff;
    beginAnswer(cutOff);
    QCOMPARE(mergeStore(restored.path(), storePath(cutOff.path()), ids, goOn)->chatsKnown, 1);
    QCOMPARE(restored.store->messages(100).value()[1].text(), answer.text());
  }

  void import_completesAnAnswer_onlyWithTheSameWords() {
    Place from;
    fillThree(*from.store);
    MessageRecord answer = samples::finishedAnswer(102, 100, 101);
    const QString file = from.path() + "/export.json";
    IdSource ids(1000);
    for (const bool isSame : {true, false}) {
      answer.setText(isSame ? "The first words, and more" : "Other words, and more of them");
      QVERIFY(from.store->finishAnswer(answer));
      QVERIFY(exportJson(from.path(), {100}, file, goOn));
      Place to;
      beginAnswer(to);
      const auto report = importJson(to.path(), file, ids, goOn);
      QVERIFY2(report, qPrintable(errorOf(report)));
      QCOMPARE(report->chatsCompleted, isSame ? 1 : 0);
      const MessageRecord read = to.store->messages(100).value()[1];
      QCOMPARE(read.text(), isSame ? answer.text() : QString("The first words"));
      QCOMPARE(read.imported, isSame);
    }
  }

  /// Its clock was set back after the backup. What was deleted from a store stays away all the
  /// same.
  void merge_addsLaterMessages_whateverTheClockSays() {
    Place kept, restored;
    for (const Place* place : {&kept, &restored}) fillThree(*place->store);
    IdSource ids(restored.store->highestId().value());
    ChatRecord chat = samples::chat(100, 402);
    chat.activeMs -= 100'000;
    QVERIFY(kept.store->beginTurn(chat, samples::question(401, 100, 102),
                                  samples::emptyAnswer(402, 100, 401)));
    QVERIFY(kept.store->finishAnswer(samples::finishedAnswer(402, 100, 401)));
    const auto report = resumeMerge(restored.path(), storePath(kept.path()), ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->messagesAdded, 2);
    const auto messages = restored.store->messages(100).value();
    QCOMPARE(messages.size(), 4);
    QCOMPARE(messages[3].text(), samples::finishedAnswer(402, 100, 401).text());
    IdSource later(kept.store->highestId().value());
    QVERIFY(kept.store->removeMessages(100, {401, 402}));
    QVERIFY(kept.store->putChat(samples::chat(100, 102)));
    QCOMPARE(mergeStore(kept.path(), storePath(restored.path()), later, goOn)->messagesAdded, 0);
  }

  /// The first attempt ends early. What the user deletes until the second stays away.
  void resumedMerge_bringsNothingBack() {
    Place kept, restored;
    fillThree(*kept.store);
    QVERIFY(kept.store->putPersona(samples::persona(50)));
    IdSource ids(1000);
    const QString source = storePath(kept.path());
    QVERIFY(!resumeMerge(restored.path(), source, ids,
                         [](qint64 done, qint64 total) { return total == 0 || done < 2; }));
    const auto begun = restored.store->chats().value();
    QCOMPARE(begun.size(), 2);
    QVERIFY(restored.store->removeChat(begun[0].id));
    QVERIFY(restored.store->removePersona(restored.store->personas().value()[0].id));
    const auto report = resumeMerge(restored.path(), source, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->chatsAdded, 1);
    QCOMPARE(restored.store->chats().value().size(), 2);
    QVERIFY(restored.store->personas().value().isEmpty());
    QCOMPARE(resumeMerge(restored.path(), source, ids, goOn)->chatsAdded, 0);
  }

  void merge_leavesOutAMessageWithoutAProperId() {
    Place from;
    fillThree(*from.store);
    from.store.reset();
    {
      const auto database = openStore(from.path());
      QVERIFY(database && (*database)->exec("PRAGMA foreign_keys=OFF"));
      QVERIFY((*database)->exec("UPDATE message SET id = 0, parent_id = 0 WHERE id = 202"));
    }
    Place to;
    IdSource ids(1000);
    const auto report = mergeStore(to.path(), from.path() + "/quire.db", ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->messagesAdded, 5);
    for (const ChatRecord& chat : to.store->chats().value()) {
      QCOMPARE(to.store->messages(chat.id).value()[0].parentId, 0);
    }
  }

  void import_thatIsCancelled_leavesForksLinked_alsoByASecondOne() {
    Place from;
    fillThree(*from.store);
    putFork(*from.store, 400);
    putFork(*from.store, 150);  // Stands before what it was forked from.
    QVERIFY(from.store->putChat(samples::chat(500)));
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    Place to;
    IdSource ids(1000);
    // Cut off once both forks are there, and before the last chat.
    const auto cut = importJson(
        to.path(), file, ids, [&](qint64, qint64) { return to.store->chats().value().size() < 5; });
    QVERIFY(!cut);
    QCOMPARE(to.store->chats().value().size(), 5);
    QCOMPARE(numForks(*to.store), 2);
    QVERIFY(importJson(to.path(), file, ids, goOn));
    QCOMPARE(numForks(*to.store), 2);
  }

  void import_canBeCancelled_whileTheStoreIsChecked() {
    Place from, to;
    fillThree(*from.store);
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    for (int i = 1; i <= 200; ++i) QVERIFY(to.store->putPersona(samples::persona(i)));
    IdSource ids(1000);
    // The progress of the file has a total.
    const auto cut =
        importJson(to.path(), file, ids, [](qint64, qint64 total) { return total > 0; });
    QVERIFY(!cut);
    QVERIFY2(errorOf(cut).contains("interrupt"), qPrintable(errorOf(cut)));
    QVERIFY(to.store->chats().value().isEmpty());
  }

  void import_mendsAForkThatCameInAlone() {
    Place from;
    fillThree(*from.store);
    putFork(*from.store, 400);
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {400}, file, goOn));
    Place to;
    IdSource ids(1000);
    QVERIFY(importJson(to.path(), file, ids, goOn));
    QCOMPARE(to.store->chats().value()[0].forkedFrom, 0);
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    QVERIFY(importJson(to.path(), file, ids, goOn));
    QCOMPARE(to.store->chats().value().size(), 4);
    QCOMPARE(numForks(*to.store), 1);
  }

  void markdown_keepsEachAnswersWords_data() {
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("back");
    const auto same = [](const char* name, const QString& text) {
      QTest::newRow(name) << text << text;
    };
    QTest::newRow("cut off in a fence") << "Here:\n\n```python\nprint(1)"
                                        << "Here:\n\n```python\nprint(1)\n```";
    QTest::newRow("cut off in a longer fence") << "````\n```"
                                               << "````\n```\n````";
    same("a heading like ours", "Think.\n\n## Answer\n\n42");
    same("with a model", "## Answer (of all)\n\n42");
    same("the question's", "## You\n\nare");
    same("one that is marked already", "\\## Answer\n\\\\## You");
    same("one that only begins alike", "## Answers to it\n\n42");
    same("in a fence", "```\n## Answer\n\\## Answer\n```\nso");
    same("like a chat", "# Title\n\n2024-05-06\n\nwords");
    same("code within a line", "```x``` is code\n\n## Answer");
  }
  void markdown_keepsEachAnswersWords() {
    QFETCH(QString, first);
    QFETCH(QString, back);
    Place from;
    fillThree(*from.store);
    MessageRecord answer = samples::finishedAnswer(102, 100, 101);
    answer.setText(first);
    QVERIFY(from.store->finishAnswer(answer));
    const QString file = from.path() + "/export.md";
    QVERIFY(exportMarkdown(from.path(), {}, file, goOn));
    Place to;
    IdSource ids(1000);
    QVERIFY(importMarkdown(to.path(), file, ids, goOn));
    QStringList texts;
    for (const ChatRecord& chat : to.store->chats().value()) {
      for (const MessageRecord& message : to.store->messages(chat.id).value()) {
        texts.append(message.text());
      }
    }
    QCOMPARE(texts.size(), 6);
    QVERIFY2(texts.contains(back), qPrintable(texts.join("|")));
    QVERIFY(texts.contains(samples::finishedAnswer(302, 300, 301).text()));
  }

  void aChatOfAMillionTokens_isImported() {
    Place from;
    fillThree(*from.store);
    MessageRecord answer = samples::finishedAnswer(102, 100, 101);
    answer.tokens = QList<qint32>(1'000'000, 7);
    QVERIFY(from.store->finishAnswer(answer));
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    Place to;
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->chatsAdded, 3);
  }

  /// Of a file that is imported, and of a store that another program wrote.
  void deepSampling_isAnError() {
    const QByteArray deep =
        "{\"stop\":" + QByteArray(300'000, '[') + QByteArray(300'000, ']') + "}";
    Place from;
    fillThree(*from.store);
    OriginRecord origin;
    origin.promptTokens = {1, 2};
    QVERIFY(from.store->finishAnswer(samples::finishedAnswer(102, 100, 101), origin));
    QVERIFY(from.store->origin(102).value());
    {
      const auto database = openStore(from.path());
      Statement update(**database, "UPDATE answer_origin SET sampling = ?");
      QVERIFY(update.bind(QString(deep)).run());
    }
    const auto read = from.store->origin(102);
    QVERIFY(!read);
    QVERIFY2(errorOf(read).contains("sampling parameters are damaged"), qPrintable(errorOf(read)));
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    Place to;
    IdSource ids(1000);
    QVERIFY(importJson(to.path(), file, ids, goOn));
    QVERIFY(
        writeFile(file,
                  "{\"format\":\"quire-export\",\"version\":2,\"chats\":[{\"messages\":[{\"id\":1,"
                  "\"origin\":{\"sampling\":" +
                      deep + "}}]}]}"));
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains("nested too deeply"), qPrintable(errorOf(report)));
  }

  void importedNames_areVisible() {
    Place from;
    ChatRecord chat = samples::chat(100);
    chat.title = QString("a\u202Egpj.exe\x1b[1m");
    QVERIFY(from.store->putChat(chat));
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    Place to;
    IdSource ids(1000);
    QVERIFY(importJson(to.path(), file, ids, goOn));
    QCOMPARE(to.store->chats().value()[0].title, QString("a<U+202E>gpj.exe<U+001B>[1m"));
  }

  /// Of everything that the window shows, on one line.
  void importedNames_areVisibleEverywhere() {
    const QString forged = QString("a\u202Eb\nc");
    const QString shown = "a<U+202E>b c";
    Place from;
    ChatRecord chat = samples::chat(100, 102);
    chat.title = forged;
    AttachmentRecord file = samples::attachment(103);
    file.name = forged;
    MessageRecord question = samples::questionWith(101, 100, {file});
    MessageRecord answer = samples::finishedAnswer(102, 100, 101);
    answer.modelName = forged;
    answer.error = forged;
    answer.status = MessageStatus::Failed;
    QVERIFY(from.store->createChat({.chat = chat, .messages = {question, answer}}));
    QVERIFY(from.store->putDraft(chat, {file}));
    QVERIFY(from.store->putComparison(100, {{102, forged}}));
    const QString path = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, path, goOn));
    Place to;
    IdSource ids(1000);
    const auto report = importJson(to.path(), path, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    const ChatRecord read = to.store->chats().value().value(0);
    const auto messages = to.store->messages(read.id).value();
    QCOMPARE(messages.size(), 2);
    QCOMPARE(read.title, shown);
    QCOMPARE(messages[0].attachments().value(0).name, shown);
    QCOMPARE(messages[0].attachments().value(0).text, file.text);
    QCOMPARE(messages[1].modelName, shown);
    QCOMPARE(messages[1].error, "a<U+202E>b\nc");  // Sentences may have several lines.
    QCOMPARE(to.store->draftFiles(read.id).value().value(0).name, shown);
    QCOMPARE(to.store->comparedAnswers(read.id).value().value(0).label, shown);
  }

  void importedNames_ofMarkdown_areVisible() {
    const auto chats = chatsFromMarkdown(
        "# T\n\n2026-01-01\n\n## You\n\nAttached: a\u202Eb\n\n```\nx\n```\n\n"
        "## Answer (m\u202En)\n\nb\n");
    QCOMPARE(chats.value(0).messages.size(), 2);
    QCOMPARE(chats[0].messages[0].message.attachments().value(0).name, QString("a<U+202E>b"));
    QCOMPARE(chats[0].messages[1].message.modelName, QString("m<U+202E>n"));
  }

  void import_refusesAMessageWithoutAnId() {
    Place from;
    fillThree(*from.store);
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    QFile changed(file);
    QVERIFY(changed.open(QIODevice::ReadWrite));
    QByteArray text = changed.readAll();
    QCOMPARE(text.count("\"id\":201,"), 1);
    QVERIFY(changed.resize(0));
    changed.write(text.replace("\"id\":201,", ""));
    changed.close();
    Place to;
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::kCorruptFile);
    bool isNamed = false;
    for (const ChatRecord& chat : from.store->chats().value()) {
      isNamed |= errorOf(report).contains("the chat \"" + chat.title + "\"");
    }
    QVERIFY2(isNamed, qPrintable(errorOf(report)));
  }

 private:
  static bool writeFile(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
  }

  /// Three chats, 100 to 300, of a question and an answer each.
  static void fillThree(ConversationStore& store) {
    for (const RecordId id : {100, 200, 300}) {
      QVERIFY(store.beginTurn(samples::chat(id, id + 2), samples::question(id + 1, id),
                              samples::emptyAnswer(id + 2, id, id + 1)));
      QVERIFY(store.finishAnswer(samples::finishedAnswer(id + 2, id, id + 1)));
    }
  }

  /// The first of the three chats when its answer was cut off.
  static void beginAnswer(Place& place) {
    QVERIFY(place.store->beginTurn(samples::chat(100, 102), samples::question(101, 100),
                                   samples::emptyAnswer(102, 100, 101)));
    QVERIFY(place.store->checkpointAnswer(102, "The first words", {1}));
    place.store.reset();
    place.store = ConversationStore::open(place.path()).value();
  }

  static qint64 numFound(const Place& place, const std::string& word) {
    return place.store->database()
        .number("SELECT count(*) FROM message_search WHERE message_search MATCH '" + word + "'")
        .value_or(-1);
  }

  /// Writes over the first page below the root of the table of chats.
  static void damageChatTable(const QString& folder) {
    qint64 root = 0;
    {
      const auto database = openStore(folder);
      QVERIFY(database);
      root = (*database)->number("SELECT rootpage FROM sqlite_schema WHERE name='chat'").value();
    }
    QFile file(folder + "/quire.db");
    QVERIFY(file.open(QIODevice::ReadWrite));
    const auto read = [&](qint64 at) {
      char bytes[4] = {};
      return file.seek(at) && file.read(bytes, 4) == 4 ? qFromBigEndian<quint32>(bytes) : 0;
    };
    const qint64 page = (root - 1) * 4096;
    // An inner page: its first cell's place stands at 12, and a cell begins with its page.
    QCOMPARE(read(page) >> 24, 5u);
    const qint64 child = read(page + (read(page + 12) >> 16));
    QVERIFY(child > 1 && file.seek((child - 1) * 4096));
    file.write(QByteArray(4096, 'x'));
  }

  /// A chat of one message, forked from the third chat's answer.
  static void putFork(ConversationStore& store, RecordId id) {
    NewChat fork;
    fork.chat = samples::chat(id, id + 1);
    fork.chat.forkedFrom = 302;
    fork.messages = {samples::question(id + 1, id)};
    QVERIFY(store.createChat(fork));
  }
};

QTEST_GUILESS_MAIN(TestTransferDamage)
#include "tst_transfer_damage.moc"
