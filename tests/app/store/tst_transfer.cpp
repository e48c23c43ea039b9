#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

#include "app/store/conversation_store.h"
#include "app/store/transfer/known_chats.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/sample_records.h"
#include "tests/app/store/transfer_place.h"

using namespace quire;

namespace {

OriginRecord originOf(const QList<qint32>& prompt) {
  OriginRecord origin;
  origin.templateHash = "hash";
  origin.sampling.seed = 0xfedcba9876543210u;
  origin.promptTokens = prompt;
  origin.end = AnswerEnd::Length;
  origin.deviceName = "CPU";
  return origin;
}

/// A chat with a file, two versions of an answer and origins that build on each other; a fork of
/// it; a persona, a folder and settings.
void fill(ConversationStore& store) {
  QVERIFY(store.putPersona(samples::persona(1)));
  QVERIFY(store.putFolder({.id = 2, .name = "Folder ✓", .position = 3, .createdMs = 77}));
  ChatRecord chat = samples::chat(10, 13);
  chat.personaId = 1;
  chat.folderId = 2;
  chat.archived = true;
  QVERIFY(store.beginTurn(chat, samples::questionWith(11, 10, {samples::attachment(12)}),
                          samples::emptyAnswer(13, 10, 11)));
  QVERIFY(store.finishAnswer(samples::finishedAnswer(13, 10, 11), originOf({1, 2, 3})));
  chat.headMessageId = 14;
  QVERIFY(store.beginTurn(chat, {}, samples::emptyAnswer(14, 10, 11)));
  MessageRecord second = samples::finishedAnswer(14, 10, 11);
  second.status = MessageStatus::Failed;
  second.error = "It was \"cut\" off.";
  QVERIFY(store.finishAnswer(second, originOf({1, 2, 3, 4})));
  NewChat fork;
  fork.chat = samples::chat(20, 22);
  fork.chat.forkedFrom = 13;
  fork.messages = {samples::question(21, 20), samples::finishedAnswer(22, 20, 21)};
  fork.copiedFrom = {{22, 13}};
  QVERIFY(store.createChat(fork));
  QVERIFY(store.putDraft(store.chat(20).value().value(), {{.name = "notes.md",
                                                           .mediaType = "text/markdown",
                                                           .bytes = 9,
                                                           .text = "wait",
                                                           .tokens = 1}}));
  QVERIFY(store.putComparison(10, {{14, "Answer 2"}, {13, "Answer 1"}}));
  QVERIFY(store.putModelSettings({.path = "/m", .contextLength = 4096, .lastUsedMs = 5}));
  QVERIFY(store.putSetting("theme", "dark"));
  QVERIFY(store.putSetting("remote_api_key", "sk-hidden"));
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Everything that an export says, but ids and when it was made.
QByteArray comparable(const QString& path) {
  QByteArray text = contentOf(path);
  text = text.mid(text.indexOf('\n'));
  QString words = QString::fromUtf8(text);
  static const QRegularExpression ids(
      "\"(id|parent|head|persona|folder|forked_from|prompt_base|message)\":\\d+");
  return words.replace(ids, "").toUtf8();
}

}  // namespace

class TestTransfer : public QObject {
  Q_OBJECT

 private slots:
  void json_roundTripsEverything() {
    Place from;
    fill(*from.store);
    const QString file = from.path() + "/export.json";
    const auto written = exportJson(from.path(), {}, file, goOn);
    QVERIFY2(written, qPrintable(errorOf(written)));
    Place to;
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->chatsAdded, 2);
    QCOMPARE(report->messagesAdded, 5);
    QCOMPARE(report->personasAdded, 1);
    QCOMPARE(report->foldersAdded, 1);
    const QString again = to.path() + "/again.json";
    QVERIFY(exportJson(to.path(), {}, again, goOn));
    QCOMPARE(comparable(again), comparable(file));
    QVERIFY(comparable(file).size() > 2000);
    // And what the ids held together.
    const auto chats = to.store->chats().value();
    const auto& fork = chats[0];
    const auto& chat = chats[1];
    QCOMPARE(chat.personaId, to.store->personas().value()[0].id);
    QCOMPARE(chat.folderId, to.store->folders().value()[0].id);
    const auto messages = to.store->messages(chat.id).value();
    QCOMPARE(messages.size(), 3);
    QCOMPARE(chat.headMessageId, messages[2].id);
    QCOMPARE(messages[2].parentId, messages[0].id);
    QCOMPARE(messages[1].draftedTokens, 41);
    QCOMPARE(messages[1].acceptedTokens, 30);
    QCOMPARE(fork.forkedFrom, messages[1].id);
    QCOMPARE(to.store->origin(messages[2].id).value()->promptTokens, (QList<qint32>{1, 2, 3, 4}));
    QCOMPARE(messages[0].attachments(), (QList<AttachmentRecord>{samples::attachment(12)}));
    QCOMPARE(to.store->draftFiles(fork.id).value().value(0).text, "wait");
    QCOMPARE(to.store->comparedAnswers(chat.id).value(),
             (QList<ComparedAnswer>{{messages[2].id, "Answer 2"}, {messages[1].id, "Answer 1"}}));
    QCOMPARE(to.store->integrityCheck().value(), QString());
    QVERIFY(!contentOf(file).contains("sk-hidden"));
  }

  /// A file's token ids may be another program's; those of a backup are Quire's.
  void importedAnswers_areMarked_restoredOnesNot() {
    Place from;
    fill(*from.store);
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    const auto numMarked = [](const Place& place) {
      int num = 0;
      for (const ChatRecord& chat : place.store->chats().value())
        for (const auto& message : place.store->messages(chat.id).value()) num += message.imported;
      return num;
    };
    Place imported;
    IdSource ids(1000);
    QVERIFY(importJson(imported.path(), file, ids, goOn));
    QCOMPARE(numMarked(imported), 5);
    Place restored;
    QVERIFY(mergeStore(restored.path(), from.path() + "/quire.db", ids, goOn));
    QCOMPARE(numMarked(restored), 0);
    Place both;
    QVERIFY(mergeStore(both.path(), imported.path() + "/quire.db", ids, goOn));
    QCOMPARE(numMarked(both), 5);
    // No file can say that it is not imported.
    QVERIFY(!contentOf(file).contains("\"imported\""));
  }

  void export_ofAChoiceHoldsTheseChatsAndWhatTheyName() {
    Place from;
    fill(*from.store);
    QVERIFY(from.store->putChat(samples::chat(30)));
    const QString json = from.path() + "/chosen.json";
    const QString markdown = from.path() + "/chosen.md";
    QVERIFY(exportJson(from.path(), {10, 20}, json, goOn));
    QVERIFY(exportMarkdown(from.path(), {10, 20}, markdown, goOn));
    QVERIFY(contentOf(markdown).contains("# Chat 10") && contentOf(markdown).contains("# Chat 20"));
    QVERIFY(!contentOf(markdown).contains("# Chat 30"));
    Place to;
    IdSource ids(1000);
    const auto report = importJson(to.path(), json, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->chatsAdded, 2);
    QCOMPARE(report->personasAdded, 1);
    QCOMPARE(report->settingsAdded, 0);
  }

  void import_namesTheChatsThatGotMore() {
    Place from;
    fill(*from.store);
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    IdSource ids(1000);
    QVERIFY(from.store->removeMessages(10, {14}));
    const auto report = importJson(from.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->completed, (QList<RecordId>{10}));
    QCOMPARE(from.store->chat(10).value()->title, "Chat 10 ✓");
  }

  void markdown_comesBackAsItReads_andOnlyOnce() {
    Place from;
    ChatRecord chat = samples::chat(10, 12);
    MessageRecord question = samples::question(11, 10);
    question.setText("# Not a title\n\n```\n## You\n```");
    MessageRecord answer = samples::finishedAnswer(12, 10, 11);
    answer.setText("One\n\n## Two\n\nThree ✓");
    question.setAttachments({samples::attachment(13)});
    QVERIFY(from.store->createChat({.chat = chat, .messages = {question, answer}}));
    QVERIFY(from.store->createChat(
        {.chat = samples::chat(20, 21), .messages = {samples::question(21, 20)}}));
    const QString file = from.path() + "/chats.md";
    QVERIFY(exportMarkdown(from.path(), {}, file, goOn));
    QCOMPARE(exportKindOf(file), ExportKind::AsMarkdown);
    Place to;
    IdSource ids(1000);
    const auto report = importMarkdown(to.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->chatsAdded, 2);
    const auto chats = to.store->chats().value();
    const auto found = std::find_if(chats.begin(), chats.end(),
                                    [&](const auto& one) { return one.title == chat.title; });
    QVERIFY(found != chats.end());
    const auto messages = to.store->messages(found->id).value();
    QCOMPARE(messages.size(), 2);
    QCOMPARE(messages[0].text(), question.text());
    QCOMPARE(messages[1].text(), answer.text());
    QCOMPARE(messages[1].modelName, answer.modelName);
    QCOMPARE(messages[0].attachments().value(0).text, samples::attachment(13).text);
    QCOMPARE(importMarkdown(to.path(), file, ids, goOn)->chatsKnown, 2);
  }

  void markdown_chatsThatBeginAlike_stayTwo() {
    Place from;
    for (const RecordId id : {10, 20}) {
      MessageRecord answer = samples::finishedAnswer(id + 2, id, id + 1);
      answer.setText(QStringLiteral("Answer %1").arg(id));
      MessageRecord question = samples::question(id + 1, id);
      question.setText("The same");
      ChatRecord chat = samples::chat(id, id + 2);
      chat.title = "Alike";
      QVERIFY(from.store->createChat({.chat = chat, .messages = {question, answer}}));
    }
    const QString file = from.path() + "/chats.md";
    QVERIFY(exportMarkdown(from.path(), {}, file, goOn));
    Place to;
    IdSource ids(1000);
    QCOMPARE(importMarkdown(to.path(), file, ids, goOn)->chatsAdded, 2);
    QStringList answers;
    for (const ChatRecord& chat : to.store->chats().value())
      answers.append(to.store->messages(chat.id).value().last().text());
    answers.sort();
    QCOMPARE(answers, QStringList({"Answer 10", "Answer 20"}));
  }

  void presets_ofAnotherStore_comeInOnce_unlessTheyWereChanged() {
    Place from;
    Place to;
    for (Place* place : {&from, &to}) {
      for (const RecordId id : {1, 2}) {
        PersonaRecord persona = samples::persona(id);
        persona.presetId = QStringLiteral("preset-%1").arg(id);
        persona.createdMs = place == &to ? 2000 : 1000;
        if (id == 2 && place == &from) persona.systemPrompt = "The user's own words";
        QVERIFY(place->store->putPersona(persona));
      }
    }
    ChatRecord chat = samples::chat(10, 0);
    chat.personaId = 1;
    QVERIFY(from.store->createChat({.chat = chat}));
    IdSource ids(1000);
    const auto report = mergeStore(to.path(), from.path() + "/quire.db", ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->personasAdded, 1);
    const auto personas = to.store->personas().value();
    QCOMPARE(personas.size(), 3);
    const auto changed =
        std::count_if(personas.begin(), personas.end(), [](const PersonaRecord& persona) {
          return persona.systemPrompt == "The user's own words";
        });
    QCOMPARE(changed, 1);
    QCOMPARE(to.store->chats().value().value(0).personaId, RecordId(1));
  }

  /// Ids are those of other chats here, and a stranger's file must not choose what is read at the
  /// next start. What a backup says of models and deleted chats is the user's own.
  void settings_ofOneStore_stayThere() {
    const QMap<QString, QString> settings = {{"backups.erasing", "3:17"},
                                             {"window.lastChat", "10"},
                                             {"window.panes", "[10,20]"},
                                             {"models.last", "/net/host/a.gguf"},
                                             {"models.folders", "[\"/net/host\"]"},
                                             {"models.opened", "[\"/net/host/a.gguf\"]"},
                                             {"models.quantizing", "{\"model\":\"/net/a\"}"},
                                             {"prefix.chatMiB", "9"},
                                             {"remote.endpoints", "[]"},
                                             {"server.port", "80"},
                                             {"server.reach", "network"},
                                             {"theme", "dark"}};
    Place from;
    for (auto at = settings.begin(); at != settings.end(); ++at) {
      QVERIFY(from.store->putSetting(at.key(), at.value()));
    }
    const auto takenBy = [&](const Place& place) {
      QStringList keys = settings.keys();
      keys.removeIf(
          [&](const QString& key) { return !place.store->setting(key).value().has_value(); });
      return keys;
    };
    IdSource ids(1000);
    Place restored;
    QVERIFY(mergeStore(restored.path(), from.path() + "/quire.db", ids, goOn));
    QCOMPARE(takenBy(restored),
             QStringList({"backups.erasing", "models.folders", "models.last", "models.opened",
                          "models.quantizing", "prefix.chatMiB", "remote.endpoints", "server.port",
                          "server.reach", "theme"}));

    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    QVERIFY(!contentOf(file).contains("backups.erasing"));
    QVERIFY(!contentOf(file).contains("window.panes"));
    Place imported;
    QVERIFY(importJson(imported.path(), file, ids, goOn));
    QCOMPARE(takenBy(imported), QStringList({"theme"}));

    Place forged;  // Quire writes no such file.
    const QByteArray text = contentOf(file).replace("models.last", "backups.erasing");
    QFile changed(from.path() + "/forged.json");
    QVERIFY(changed.open(QIODevice::WriteOnly) && changed.write(text) == text.size());
    changed.close();
    QVERIFY(text.contains("backups.erasing"));
    QVERIFY(importJson(forged.path(), changed.fileName(), ids, goOn));
    QCOMPARE(takenBy(forged), QStringList({"theme"}));
  }

  void chatsWithoutTimes_stayApart_andComeInOnce() {
    const QString chat =
        "{'id':%1,'title':'%2','messages':[{'id':2,'role':'user','text':'Hello'},"
        "{'id':3,'parent':2,'role':'assistant','text':'%3'}]}";
    const QString file = writeChats(
        {chat.arg(1).arg("A", "one"), chat.arg(2).arg("B", "two"), chat.arg(3).arg("B", "three")});
    IdSource ids(0);
    QCOMPARE(importJson(m_place->path(), file, ids, goOn)->chatsAdded, 2);
    QStringList answers;
    for (const ChatRecord& known : m_place->store->chats().value()) {
      for (const MessageRecord& message : m_place->store->messages(known.id).value()) {
        if (message.role == MessageRole::Assistant) answers.append(message.text());
      }
    }
    answers.sort();
    QCOMPARE(answers, QStringList({"one", "three", "two"}));
    const auto again = importJson(m_place->path(), file, ids, goOn);
    QCOMPARE(again->messagesAdded, 0);
    QCOMPARE(again->chatsKnown, 3);
  }

  void chatsOfOneMoment_areToldByTheirFirstMessage() {
    ChatBundle wanted;
    for (RecordId id = 10; id <= 200; id += 10) {
      ChatRecord chat = samples::chat(id, id + 1);
      chat.createdMs = 0;
      const MessageRecord question = samples::question(id + 1, id);
      QVERIFY(m_place->store->createChat({.chat = chat, .messages = {question}}));
      wanted = {.chat = chat, .messages = {{question, {}}}, .draftFiles = {}, .compared = {}};
    }
    const auto database = openStore(m_place->path());
    KnownChats known(**database);
    for (const ChatRecord& chat : m_place->store->chats().value()) known.add(chat);
    // The others are not even read again: a file of thousands would take minutes.
    QCOMPARE(known.alike(wanted)->size(), 1);
    QCOMPARE(known.alike(wanted)->first().id, RecordId(200));
    wanted.messages[0].message.setText("Another");
    QCOMPARE(known.alike(wanted)->size(), 0);
  }

  void import_stopsBetweenTwoChats() {
    QStringList chats;
    for (int i = 1; i <= 100; ++i) {
      chats.append(QString("{'id':%1,'created_ms':%1,'messages':[]}").arg(i));
    }
    const QString file = writeChats(chats);
    IdSource ids(0);
    const auto untilTheTenth = [&](qint64, qint64) {
      return m_place->store->chats().value().size() < 10;
    };
    QVERIFY(!importJson(m_place->path(), file, ids, untilTheTenth));
    QCOMPARE(m_place->store->chats().value().size(), 10);
  }

  void pipesAndDevices_areRefused_notWaitedFor() {
    const QTemporaryDir folder;
    for (const char* end : {"json", "md"}) {
      const QString device = folder.filePath(QStringLiteral("device.") + end);
      QVERIFY(QFile::link("/dev/null", device));
      IdSource ids(0);
      QVERIFY(errorOf(importJson(m_place->path(), device, ids, goOn)).contains("is not a file"));
      QVERIFY(
          errorOf(importMarkdown(m_place->path(), device, ids, goOn)).contains("is not a file"));
      const QString path = folder.filePath(QStringLiteral("pipe.") + end);
      QCOMPARE(mkfifo(path.toUtf8().constData(), 0600), 0);
      const int pipe = open(path.toUtf8().constData(), O_RDWR | O_NONBLOCK);
      QVERIFY(pipe >= 0);
      // Full, so that who opens it all the same finds an export and does not hang.
      const QByteArray words =
          QByteArray("# quire-export\n\n## You\n\nHello\n").leftJustified(64 * 1024, ' ');
      QCOMPARE(::write(pipe, words.constData(), size_t(words.size())), words.size());
      QCOMPARE(exportKindOf(path), ExportKind::None);
      close(pipe);
    }
  }

  void exportKind_isToldFromOtherFiles() {
    const QTemporaryDir folder;
    const auto put = [&](const QString& name, const QByteArray& bytes) {
      QFile file(folder.filePath(name));
      return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
    };
    QVERIFY(put("notes.md", "# Notes\n\nToday\n\n## You\n") && put("data.json", "[1, 2]"));
    QCOMPARE(exportKindOf(folder.filePath("notes.md")), ExportKind::None);
    QCOMPARE(exportKindOf(folder.filePath("data.json")), ExportKind::None);
    QCOMPARE(exportKindOf(folder.filePath("missing.json")), ExportKind::None);
    IdSource ids(1000);
    Place to;
    const auto refused = importMarkdown(to.path(), folder.filePath("notes.md"), ids, goOn);
    QCOMPARE(refused.error().code, ErrorCode::kCorruptFile);
    QVERIFY(to.store->chats().value().isEmpty());
  }

  void import_twiceAddsNothing() {
    Place place;
    fill(*place.store);
    const QString file = place.path() + "/export.json";
    QVERIFY(exportJson(place.path(), {}, file, goOn));
    IdSource ids(place.store->highestId().value());
    for (int round = 0; round < 2; ++round) {
      const auto report = importJson(place.path(), file, ids, goOn);
      QVERIFY2(report, qPrintable(errorOf(report)));
      QCOMPARE(report->chatsAdded, 0);
      QCOMPARE(report->chatsKnown, 2);
      QCOMPARE(report->messagesAdded, 0);
      QCOMPARE(report->personasAdded, 0);
    }
    QCOMPARE(place.store->highestId().value(), RecordId{22});
  }

  void import_neverOverwritesAndAddsWhatIsMissing() {
    Place place;
    fill(*place.store);
    const QString file = place.path() + "/export.json";
    QVERIFY(exportJson(place.path(), {10}, file, goOn));
    QVERIFY(place.store->removeMessages(10, {14}));
    ChatRecord chat = samples::chat(10, 13);
    chat.title = "Renamed since";
    chat.activeMs += 99'999;
    QVERIFY(place.store->putChat(chat));
    IdSource ids(place.store->highestId().value());
    const auto report = importJson(place.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->chatsCompleted, 1);
    QCOMPARE(report->messagesAdded, 1);
    QCOMPARE(place.store->chats().value()[0].title, QString("Renamed since"));
    QCOMPARE(place.store->chats().value()[0].headMessageId, RecordId{13});
    const auto messages = place.store->messages(10).value();
    QCOMPARE(messages.size(), 3);
    QCOMPARE(messages[2].parentId, RecordId{11});
  }

  void oneChat_comesWithItsPersonaOnly() {
    Place place;
    fill(*place.store);
    PersonaRecord other = samples::persona(50);
    other.createdMs = 1;
    QVERIFY(place.store->putPersona(other));
    const QString file = place.path() + "/one.json";
    QVERIFY(exportJson(place.path(), {10}, file, goOn));
    Place to;
    IdSource ids(0);
    const auto report = importJson(to.path(), file, ids, goOn);
    QCOMPARE(report->chatsAdded, 1);
    QCOMPARE(report->personasAdded, 1);
    QVERIFY(!to.store->setting("theme").value());
    QCOMPARE(exportJson(place.path(), {999}, file, goOn).error().code, ErrorCode::kNotFound);
  }

  void keysInAnyOrder_areRead() {
    const QString file = write(R"({"chats":[{"persona":5,"messages":[{"id":2,"role":"user",
      "text":"hi","created_ms":1}],"title":"T","id":1,"created_ms":1}],
      "other":{"deep":[[[1]]]},"personas":[{"id":5,"name":"P"}],"version":1,
      "format":"quire-export"})");
    IdSource ids(0);
    const auto report = importJson(m_place->path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    const auto chat = m_place->store->chats().value()[0];
    QCOMPARE(chat.title, QString("T"));
    QVERIFY(chat.personaId != 0);
    QCOMPARE(m_place->store->messages(chat.id).value()[0].text(), QString("hi"));
  }

  void hostileFiles_areRefusedInOneSentence_data() {
    QTest::addColumn<QByteArray>("json");
    const QByteArray head = R"({"format":"quire-export","version":1,"chats":[)";
    const auto chat = [&](const QByteArray& messages) {
      return head + R"({"id":1,"created_ms":1,"messages":[)" + messages + "]}]}";
    };
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no json") << QByteArray("hello");
    QTest::newRow("list") << QByteArray("[1,2]");
    QTest::newRow("number") << QByteArray("3");
    QTest::newRow("another's") << QByteArray(R"({"chats":[]})");
    QTest::newRow("newer") << QByteArray(R"({"format":"quire-export","version":9})");
    QTest::newRow("cut") << head + R"({"id":1)";
    QTest::newRow("deep") << head + QByteArray(200'000, '[');
    QTest::newRow("deep and whole") << head + QByteArray(200, '[') + QByteArray(200, ']') + "]}";
    QTest::newRow("chat is a number") << head + "1]}";
    QTest::newRow("message is a list") << chat("[]");
    QTest::newRow("id") << chat(R"({"id":"x"})");
    QTest::newRow("huge id") << chat(R"({"id":99999999999999999999})");
    QTest::newRow("negative id") << chat(R"({"id":-4})");
    QTest::newRow("orphan") << chat(R"({"id":2,"parent":77})");
    QTest::newRow("own parent") << chat(R"({"id":2,"parent":2})");
    QTest::newRow("tokens") << chat(R"({"id":2,"tokens":[-1]})");
    QTest::newRow("status") << chat(R"({"id":2,"status":12})");
    QTest::newRow("attachment") << chat(R"({"id":2,"attachments":[{"bytes":1e300}]})");
    QTest::newRow("part") << chat(R"({"id":2,"parts":[{"kind":7}]})");
    QTest::newRow("origin") << chat(R"({"id":2,"origin":7})");
    QTest::newRow("not utf-8") << chat("{\"id\":2,\"text\":\"\xff\xfe\"}");
  }
  void hostileFiles_areRefusedInOneSentence() {
    QFETCH(QByteArray, json);
    const QString file = write(json);
    IdSource ids(0);
    const auto report = importJson(m_place->path(), file, ids, goOn);
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains(file), qPrintable(errorOf(report)));
    QVERIFY2(errorOf(report).size() < 300, qPrintable(errorOf(report)));
    QVERIFY(m_place->store->chats().value().isEmpty());
    QCOMPARE(m_place->store->integrityCheck().value(), QString());
  }

  void import_ofADuplicateIdKeepsTheStoreWhole() {
    const QString file = write(R"({"format":"quire-export","version":1,"chats":[{"id":1,
      "head":2,"messages":[{"id":2,"text":"a"},{"id":2,"text":"b"}]}]})");
    IdSource ids(0);
    const auto report = importJson(m_place->path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->messagesAdded, 1);
    QCOMPARE(m_place->store->integrityCheck().value(), QString());
  }

  void export_isThereWholeOrNotAtAll() {
    Place place;
    fill(*place.store);
    const QString file = place.path() + "/given_up.json";
    QVERIFY(!exportJson(place.path(), {}, file, [](qint64, qint64) { return false; }));
    QVERIFY(!QFile::exists(file));
    const auto refused = exportJson(place.path(), {}, "/proc/none/x.json", goOn);
    QVERIFY(!refused);
    QVERIFY(errorOf(refused).contains("/proc/none/x.json"));
  }

  void markdown_showsTheBranch() {
    Place place;
    fill(*place.store);
    const QString file = place.path() + "/chat.md";
    QVERIFY(exportMarkdown(place.path(), {10}, file, goOn));
    const QByteArray text = contentOf(file);
    QVERIFY(text.startsWith("# Chat 10"));
    QVERIFY(text.contains("## You\n\nAttached: 표 12.csv"));
    QVERIFY(text.contains("Question 11"));
    QVERIFY(text.contains("## Answer (quire-mini)\n\nAnswer 14"));
    QVERIFY(!text.contains("Answer 13"));
    QVERIFY(exportMarkdown(place.path(), {}, file, goOn));
    QVERIFY(contentOf(file).contains("# Chat 20"));
  }

  void init() { m_place = std::make_unique<Place>(); }

 private:
  /// With apostrophes for quotation marks.
  QString writeChats(const QStringList& chats) const {
    QString json = "{'format':'quire-export','version':1,'chats':[" + chats.join(',') + "]}";
    return write(json.replace('\'', '"').toUtf8());
  }
  QString write(const QByteArray& json) const {
    const QString path = m_place->path() + "/in.json";
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(path));
    file.write(json);
    return path;
  }

  std::unique_ptr<Place> m_place;
};

QTEST_GUILESS_MAIN(TestTransfer)
#include "tst_transfer.moc"
