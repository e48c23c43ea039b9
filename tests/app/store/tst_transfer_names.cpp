#include <QtTest>

#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/name_limits.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/sample_records.h"
#include "tests/app/store/transfer_place.h"

using namespace quire;

namespace {

/// More than the window lays out; cut between two units of a character.
const QString kWholeName = QString('x') + QString::fromUtf8("\U0001F600").repeated(5'000) + " end";

}  // namespace

/// Names that are longer than the window shows, or that hold what it does not show.
class TestTransferNames : public QObject {
  Q_OBJECT

 private slots:
  /// What the window's own fields allow comes back as it was, and is known again.
  void ownNames_comeBack() {
    Place from, to;
    PersonaRecord persona = samples::persona(1);
    persona.name = "Two  spaces ";
    persona.systemPrompt = "one";
    persona.description = "Two\nlines";
    FolderRecord folder{.id = 2, .name = " My  folder", .createdMs = 5};
    ChatRecord empty = samples::chat(3);
    empty.title = "No  message yet ";
    MessageRecord answer = samples::finishedAnswer(6, 4, 5);
    answer.error = "It failed.\nAnd that is why.";
    QVERIFY(from.store->putPersona(persona) && from.store->putFolder(folder));
    QVERIFY(from.store->putChat(empty));
    QVERIFY(from.store->beginTurn(samples::chat(4, 6), samples::question(5, 4),
                                  samples::emptyAnswer(6, 4, 5)));
    QVERIFY(from.store->finishAnswer(answer));
    const QString file = from.path() + "/export.json";
    const auto written = exportJson(from.path(), {}, file, goOn);
    QVERIFY2(written, qPrintable(errorOf(written)));
    IdSource ids(1000);
    for (Place* const place : {&to, &to, &from}) {
      const auto report = importJson(place->path(), file, ids, goOn);
      QVERIFY2(report, qPrintable(errorOf(report)));
      QCOMPARE(place->store->chats().value().size(), 2);
      QCOMPARE(place->store->folders().value().size(), 1);
      QCOMPARE(place->store->personas().value().size(), 1);
    }
    QCOMPARE(to.store->personas().value()[0].description, persona.description);
    const auto isWhole = [](const ChatRecord& chat) { return chat.headMessageId != 0; };
    const auto chats = to.store->chats().value();
    const ChatRecord chat = *std::find_if(chats.begin(), chats.end(), isWhole);
    QCOMPARE(to.store->messages(chat.id).value()[1].error, answer.error);
  }

  void spelling_staysInNames() {
    for (const QString& text :
         {QString::fromUtf8("ភាសា\u200bខ្មែរ"), QString::fromUtf8("\u182c\u180b"),
          QString::fromUtf8("辻\U000e0100")}) {
      QCOMPARE(visibleName(text), text);
      QCOMPARE(visibleSentences(text, 100), text);
    }
  }

  void namesThatNobodySees_areShown() {
    QCOMPARE(visibleName(QString::fromUtf8("\u200b")), QString("<U+200B>"));
    QCOMPARE(visibleName(QString::fromUtf8(" \u180b\u200b")), QString("<U+180B><U+200B>"));
    QCOMPARE(visibleName(QString::fromUtf8("\U000e0100")), QString("<U+E0100>"));
    QCOMPARE(visibleName(QString::fromUtf8("\U0001F389")), QString::fromUtf8("\U0001F389"));
  }

  /// An older version imported them whole. The window reads them cut and writes the records again.
  void longNames_stayWhole_ifTheirRecordsAreWritten() {
    Place place;
    fillWithLongNames(place);
    ConversationStore& store = *place.store;
    PersonaRecord persona = store.personas().value().value(0);
    FolderRecord folder = store.folders().value().value(0);
    ChatRecord chat = store.chats().value().value(0);
    MessageRecord answer = store.messages(chat.id).value().value(1);
    QVERIFY(persona.name.size() < 300 && folder.name.size() < 300 && chat.title.size() < 300);
    QVERIFY(answer.modelName.size() < 300 && answer.error.size() < 5'000);
    persona.pinned = true;
    folder.isOpen = false;
    chat.archived = true;
    answer.outputTokens = 77;
    QVERIFY(store.putPersona(persona) && store.putFolder(folder) && store.putChat(chat));
    QVERIFY(store.putDraft(chat, {}));
    QVERIFY(store.finishAnswer(answer));
    QVERIFY(store.chats().value().value(0).archived);
    QCOMPARE(store.messages(chat.id).value().value(1).outputTokens, 77);
    checkWholeNames(place);
  }

  void changedNames_areWritten() {
    Place place;
    fillWithLongNames(place);
    ChatRecord chat = place.store->chats().value().value(0);
    chat.title = "Renamed";
    QVERIFY(place.store->putChat(chat));
    QCOMPARE(textIn(place, "SELECT title FROM chat"), "Renamed");
    chat.title = QString(200, 'x');  // As long as a cut one.
    QVERIFY(place.store->putChat(chat));
    QCOMPARE(textIn(place, "SELECT title FROM chat"), chat.title);
  }

  void longNames_goWholeIntoFilesAndOtherStores() {
    Place from, to;
    fillWithLongNames(from);
    const QString file = from.path() + "/export.json";
    const auto written = exportJson(from.path(), {}, file, goOn);
    QVERIFY2(written, qPrintable(errorOf(written)));
    QFile exported(file);
    QVERIFY(exported.open(QIODevice::ReadOnly));
    // Of the persona three, of the folder and the chat one, of the answer two.
    QCOMPARE(exported.readAll().count(kWholeName.toUtf8()), 7);
    IdSource ids(1000);
    const auto report = mergeStore(to.path(), from.path() + "/quire.db", ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    checkWholeNames(to);
  }

  /// The names of an import are shown otherwise than they were, and cut after that.
  void hiddenCharacters_areKnownAgain() {
    const QString name = QString("\u202E") + QString(191, 'x') + " yz";
    Place from, to;
    QVERIFY(from.store->putFolder({.id = 2, .name = name, .createdMs = 5}));
    ChatRecord chat = samples::chat(3);
    chat.title = name;
    QVERIFY(from.store->putChat(chat));
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    IdSource ids(1000);
    for (const Place* const place : {&to, &to, &from}) {
      const auto report = importJson(place->path(), file, ids, goOn);
      QVERIFY2(report, qPrintable(errorOf(report)));
      QCOMPARE(place->store->chats().value().size(), 1);
      QCOMPARE(place->store->folders().value().size(), 1);
    }
    QCOMPARE(to.store->chats().value().value(0).title, "<U+202E>" + QString(191, 'x'));
  }

  void linesAndTabsOfAnError_comeBack() {
    Place from, to;
    MessageRecord answer = samples::finishedAnswer(102, 100, 101);
    answer.error = "a\tb\r\nc\rd";
    QVERIFY(from.store->createChat(
        {.chat = samples::chat(100, 102), .messages = {samples::question(101, 100), answer}}));
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    IdSource ids(1000);
    QVERIFY(importJson(to.path(), file, ids, goOn));
    const RecordId id = to.store->chats().value().value(0).id;
    QCOMPARE(to.store->messages(id).value().value(1).error, QString("a\tb\nc<U+000D>d"));
  }

 private:
  /// A persona, a folder and a chat of a question and an answer, as another program or an older
  /// version may have named them.
  static void fillWithLongNames(const Place& place) {
    QVERIFY(place.store->putPersona(samples::persona(1)));
    QVERIFY(place.store->putFolder({.id = 2, .name = "F", .createdMs = 5}));
    QVERIFY(place.store->createChat(
        {.chat = samples::chat(10, 12),
         .messages = {samples::question(11, 10), samples::finishedAnswer(12, 10, 11)}}));
    const auto database = openStore(place.path());
    QVERIFY(database);
    for (const char* update : {"UPDATE persona SET name = ?1, description = ?1, icon = ?1",
                               "UPDATE folder SET name = ?1", "UPDATE chat SET title = ?1",
                               "UPDATE message SET error = ?1, model_name = ?1 WHERE id = 12"}) {
      const auto done = Statement(**database, update).bind(kWholeName).run();
      QVERIFY2(done, qPrintable(errorOf(done)));
    }
  }

  /// Not as the window reads it.
  static QString textIn(const Place& place, const char* sql) {
    const auto database = openStore(place.path());
    return database ? QString::fromStdString((*database)->text(sql).value_or("?")) : QString();
  }

  static void checkWholeNames(const Place& place) {
    for (const char* sql :
         {"SELECT name FROM persona", "SELECT description FROM persona", "SELECT icon FROM persona",
          "SELECT name FROM folder", "SELECT title FROM chat",
          "SELECT error FROM message WHERE role = 'assistant'",
          "SELECT model_name FROM message WHERE role = 'assistant'"}) {
      QVERIFY2(textIn(place, sql) == kWholeName, sql);
    }
  }
};

QTEST_GUILESS_MAIN(TestTransferNames)
#include "tst_transfer_names.moc"
