#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <sstream>

#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/transfer/json_record_reader.h"
#include "app/store/transfer/known_records.h"
#include "app/store/transfer/markdown.h"
#include "app/store/transfer/merger.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/sample_records.h"
#include "tests/app/store/transfer_place.h"
#include "tests/support/growth.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

/// Its characters take two units each, the first excepted.
const QString kLongName = QString('x') + QString::fromUtf8("\U0001F600").repeated(100'000);

}  // namespace

/// What files of a stranger may take: time, memory, and what the window makes of them.
class TestTransferLimits : public QObject {
  Q_OBJECT

 private slots:
  void manyValues_areRefusedInBoundedMemory_data() {
    QTest::addColumn<QByteArray>("values");
    QTest::newRow("numbers") << "[" + QByteArray("0,").repeated(6'000'000) + "0]";
    QTest::newRow("lists") << "[" + QByteArray("[0],").repeated(3'000'000) + "0]";
    QTest::newRow("members") << "{" + numberedMembers(2'000'000) + "\"x\":0}";
  }
  void manyValues_areRefusedInBoundedMemory() {
    QFETCH(QByteArray, values);
    Place to;
    const QString file = to.path() + "/export.json";
    QVERIFY(writeFile(file,
                      "{\"format\":\"quire-export\",\"version\":2,\"chats\":[{\"title\":\"a\","
                      "\"more\":" +
                          values + "}]}"));
    IdSource ids(1000);
    const qint64 before = residentBytes();
    qint64 peak = 0;
    const auto report = importJson(to.path(), file, ids, [&](qint64, qint64) {
      peak = std::max(peak, residentBytes());
      return true;
    });
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains("one of its records is too large"),
             qPrintable(errorOf(report)));
    QVERIFY2(peak - before < qint64{250} << 20, qPrintable(QString::number(peak - before)));
    QCOMPARE(to.store->chats().value().size(), 0);
  }

  void longText_isRefusedInBoundedMemory() {
    Place to;
    const QString file = to.path() + "/export.json";
    const QByteArray begin = R"({"format":"quire-export","version":2,"chats":[{"more":[)";
    QVERIFY(writeFile(file, begin + '"' + QByteArray(33 << 20, 'x') + "\"]}]}"));
    IdSource ids(1000);
    const bool hasPeak = resetPeak();
    const qint64 before = residentBytes();
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains(file) &&
                 errorOf(report).contains("one of its texts has more than 32 MiB"),
             qPrintable(errorOf(report)));
    const qint64 grown = hasPeak ? peakBytes() - before : 0;
    QVERIFY2(grown < (qint64{450} << 20) * test::kSanitizerFactor,
             qPrintable(QString::number(grown)));
    QCOMPARE(to.store->chats().value().size(), 0);
  }

  /// The longest text is that of a file of 8 MiB, whose characters may take three bytes here.
  void longText_isRefusedByItsLength() {
    constexpr qsizetype kMost = 1'000;
    const auto read = [](const QByteArray& text, const char* key) {
      std::istringstream input("{\"chats\":[{\"" + std::string(key) + "\":\"" + text.toStdString() +
                               "\"}]}");
      JsonRecordReader reader{.maxTextLength = kMost};
      reader.wants = [](const std::string&) { return false; };
      reader.take = [](const std::string&, const Json&) { return Result<void>(); };
      reader.onValue = [] {};
      return errorOf(reader.read(input));
    };
    const QString refused = "one of its texts has more than 1000 characters";
    QCOMPARE(read(QByteArray(kMost, 'x'), "a"), QString());
    QCOMPARE(read(QByteArray(kMost + 1, 'x'), "a"), refused);
    QCOMPARE(read(QByteArray("\\n").repeated(kMost), "a"), QString());
    QCOMPARE(read(QString(kMost, u'가').toUtf8(), "a"), QString());
    QCOMPARE(read(QByteArray("\xf0\x9f\x98\x80").repeated(kMost / 2), "a"), QString());
    QCOMPARE(read(QByteArray("\xf0\x9f\x98\x80").repeated(kMost / 2 + 1), "a"), refused);
    QCOMPARE(read(QByteArray(kMost + 1, 'x'), "data"), QString());
    QCOMPARE(kMaxImportedText, qsizetype{8} << 20);
    QCOMPARE(JsonRecordReader().maxTextLength, int64_t{kMaxImportedText});
    QCOMPARE(MarkdownInput().maxTextLength, kMaxImportedText);
  }

  /// The parser keeps what is between two texts or numbers, and enlarges it for its message.
  void gap_isRefusedInBoundedMemory_data() {
    QTest::addColumn<QByteArray>("gap");
    QTest::newRow("line ends") << QByteArray(31 << 20, '\n');
    QTest::newRow("values") << (QByteArray(4 << 10, '\n') + "null,").repeated(8 << 10);
  }
  void gap_isRefusedInBoundedMemory() {
    QFETCH(QByteArray, gap);
    Place to;
    const QString file = to.path() + "/export.json";
    QVERIFY(writeFile(file, R"({"format":"quire-export","version":2,"more":[)" + gap + "x]}"));
    IdSource ids(1000);
    const bool hasPeak = resetPeak();
    const qint64 before = residentBytes();
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains(file) &&
                 errorOf(report).contains("it has a long gap between two of its values"),
             qPrintable(errorOf(report)));
    const qint64 grown = hasPeak ? peakBytes() - before : 0;
    QVERIFY2(grown < (qint64{100} << 20) * test::kSanitizerFactor,
             qPrintable(QString::number(grown)));
  }

  /// Files of a chat, for example; two of these texts are more than all values may take. They are
  /// counted in a section that is not wanted too.
  void texts_areCountedApart_data() {
    QTest::addColumn<bool>("isWanted");
    QTest::newRow("wanted") << true;
    QTest::newRow("not wanted") << false;
  }
  void texts_areCountedApart() {
    QFETCH(bool, isWanted);
    const std::string text = '"' + std::string(20'000, 'x') + '"';
    const std::string record = "{\"a\":[" + text + "," + text + "," + text + "]}";
    const auto read = [&](int64_t maxTextBytes) {
      std::istringstream input("{\"chats\":[" + record + "," + record + "]}");
      JsonRecordReader reader{.maxRecordBytes = 30'000, .maxTextBytes = maxTextBytes};
      reader.wants = [&](const std::string&) { return isWanted; };
      reader.take = [](const std::string&, const Json&) { return Result<void>(); };
      reader.onValue = [] {};
      return reader.read(input);
    };
    QVERIFY(read(60'000));
    QVERIFY(!read(59'999));
  }

  void largeChat_isRefusedBeforeTheFirstComesIn() {
    Place to;
    const QString file = to.path() + "/export.json";
    const QByteArray first = R"({"title":"a","created_ms":1})";
    const QByteArray large = "{\"more\":[" + QByteArray("0,").repeated(6'000'000) + "0]}";
    QVERIFY(writeFile(file, "{\"format\":\"quire-export\",\"version\":2,\"chats\":[" + first + "," +
                                large + "]}"));
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains("one of its records is too large"),
             qPrintable(errorOf(report)));
    QCOMPARE(to.store->chats().value().size(), 0);
  }

  /// The prompt of a pinned one is computed at each start.
  void importedPersona_isNotPinned() {
    Place from, imported, restored;
    PersonaRecord persona = samples::persona(1);
    persona.pinned = true;
    QVERIFY(from.store->putPersona(persona));
    const QString file = from.path() + "/export.json";
    QVERIFY(exportJson(from.path(), {}, file, goOn));
    IdSource ids(1000);
    QVERIFY(importJson(imported.path(), file, ids, goOn));
    QVERIFY(!imported.store->personas().value().value(0).pinned);
    QVERIFY(mergeStore(restored.path(), storePath(from.path()), ids, goOn));
    QVERIFY(restored.store->personas().value().value(0).pinned);
  }

  /// Each is a column of the window. One that was there twice once ended the import.
  void comparedAnswers_areEightDifferentOnes() {
    Place to;
    const QString file = to.path() + "/export.json";
    QByteArray messages = R"({"id":1,"role":"user","status":0,"created_ms":1})";
    QByteArray compared = R"({"message":2,"label":"a"})";
    for (int id = 2; id < 22; ++id) {
      const QByteArray number = QByteArray::number(id);
      messages += ",{\"id\":" + number + ",\"parent\":1,\"role\":\"assistant\",\"status\":0," +
                  "\"created_ms\":" + number + '}';
      compared += ",{\"message\":" + number + ",\"label\":\"b\"}";
    }
    QVERIFY(writeFile(file,
                      chatWith("\"messages\":[" + messages + "],\"compared\":[" + compared + "]")));
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    const RecordId chat = to.store->chats().value().value(0).id;
    const auto answers = to.store->comparedAnswers(chat).value();
    QCOMPARE(answers.size(), 8);
    QCOMPARE(answers[0].label, "a");
    QCOMPARE(answers[1].label, "b");
  }

  void manyLongPersonas_areRefused() {
    Place to;
    const QString file = to.path() + "/export.json";
    const QByteArray persona =
        "{\"name\":\"a\",\"system_prompt\":\"" + QByteArray(8 << 20, 'x') + "\"},";
    QVERIFY(writeFile(file, "{\"format\":\"quire-export\",\"version\":2,\"personas\":[" +
                                persona.repeated(16) + persona.chopped(1) + "]}"));
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains("personas, folders and settings take more than 128 MiB"),
             qPrintable(errorOf(report)));
    QCOMPARE(to.store->personas().value().size(), 0);
  }

  /// Thousands of them would each wait for the disk; cancelled, they leave nothing.
  void surroundings_areOneTransaction() {
    constexpr int kCount = 1000;
    Place to, cancelled;
    const QString file = to.path() + "/export.json";
    QVERIFY(writeFile(file, R"({"format":"quire-export","version":2,"folders":[)" +
                                numberedFolders(kCount) + R"(],"settings":{)" +
                                numberedMembers(kCount, "\"x\"") + R"("last":"x"}})"));
    IdSource ids(1000);
    int numAsked = 0;
    bool isWhole = true;
    const auto report = importJson(to.path(), file, ids, [&](qint64, qint64) {
      ++numAsked;
      const qsizetype seen = to.store->allSettings().value().size();
      isWhole = isWhole && (seen == 0 || seen > kCount);
      return true;
    });
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->foldersAdded, kCount);
    QCOMPARE(report->settingsAdded, kCount + 1);
    QVERIFY2(isWhole, "a part of the settings was written");
    QVERIFY2(numAsked > 2 * kCount, qPrintable(QString::number(numAsked)));
    int numLeft = numAsked - kCount / 2;
    QVERIFY(
        !importJson(cancelled.path(), file, ids, [&](qint64, qint64) { return --numLeft > 0; }));
    QCOMPARE(cancelled.store->allSettings().value().size(), 0);
    QCOMPARE(cancelled.store->folders().value().size(), 0);
  }

  void tooManySurroundings_areRefused_data() {
    QTest::addColumn<QByteArray>("members");
    QTest::addColumn<QString>("sentence");
    const QByteArray many = numberedFolders(2'001);
    const QByteArray some = numberedFolders(1'001);
    QTest::newRow("settings") << R"("settings":{)" + numberedMembers(10'001, "\"x\"") +
                                     R"("last":"x"})"
                              << "more than 10000 settings";
    QTest::newRow("personas") << "\"personas\":[" + many + "]"
                              << "more than 2000 personas";
    QTest::newRow("folders") << "\"folders\":[" + many + "]"
                             << "more than 2000 folders";
    QTest::newRow("folders in two lists") << "\"folders\":[" + some + "],\"folders\":[" + some + "]"
                                          << "more than 2000 folders";
  }
  void tooManySurroundings_areRefused() {
    QFETCH(QByteArray, members);
    QFETCH(QString, sentence);
    Place to;
    const QString file = to.path() + "/export.json";
    QVERIFY(writeFile(file, R"({"format":"quire-export","version":2,)" + members + "}"));
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains(sentence), qPrintable(errorOf(report)));
  }

  void manyPersonas_areFoundInTime() {
    constexpr int kCount = 30'000;
    KnownRecords<PersonaRecord> known;
    const double begin = test::thread_ms();
    for (int i = 1; i <= kCount; ++i) {
      PersonaRecord persona = samples::persona(i);
      persona.name = QString::number(i);
      persona.systemPrompt = "Prompt " + persona.name;
      QCOMPARE(known.idOfSame(persona), RecordId(0));
      known.add(persona);
      QCOMPARE(known.idOfSame(persona), RecordId(i));
    }
    const double ms = test::thread_ms() - begin;
    QVERIFY2(ms < 5000 * test::kSanitizerFactor, qPrintable(QString::number(ms)));
  }

  /// Each continues the one before: its messages once were read again for each of them.
  void chatsThatBeginAlike_areMergedInTime() {
    QVERIFY(test::grows_linearly(500, [](int count) {
      Place to;
      const auto database = openStore(to.path());
      IdSource ids(5'000);
      Merger merger(**database, ids, Merger::Policy::Import);
      // Without waiting for the disk.
      bool isMerged = (*database)->exec("PRAGMA synchronous=OFF").has_value();
      const double begin = test::thread_ms();
      for (int i = 0; i < 2 * count; ++i) {  // The second half adds nothing.
        ChatBundle bundle{.chat = samples::chat(1, 3)};
        bundle.messages = {{samples::question(2, 1), {}}, {samples::question(3, 1, 2), {}}};
        bundle.messages[1].message.setText(QString::number(i % count / 2));
        isMerged &= merger.addChat(bundle).has_value();
      }
      const double ms = test::thread_ms() - begin;
      const RecordId chat = to.store->chats().value().value(0).id;
      isMerged &= merger.report().chatsAdded == 1 && merger.report().messagesAdded == 1 + count / 2;
      isMerged &= to.store->messages(chat).value().size() == 1 + count / 2;
      return isMerged ? ms : -1.0;
    }));
  }

  /// What the window writes in between counts.
  void chatThatIsRemovedMeanwhile_comesInAgain() {
    Place to;
    const auto database = openStore(to.path());
    IdSource ids(5'000);
    Merger merger(**database, ids, Merger::Policy::Import);
    ChatBundle bundle{.chat = samples::chat(1, 2), .messages = {{samples::question(2, 1), {}}}};
    for (int i = 0; i < 2; ++i) QVERIFY(merger.addChat(bundle));
    const auto chats = to.store->chats().value();
    QCOMPARE(chats.size(), 1);
    QVERIFY(to.store->removeChat(chats[0].id));
    QVERIFY(merger.addChat(bundle));
    QCOMPARE(to.store->chats().value().size(), 1);
    QCOMPARE(to.store->messages(to.store->chats().value()[0].id).value().size(), 1);
  }

  void manyErasedChats_areReadInTime() {
    QVERIFY(test::grows_linearly(20'000, [](int count) {
      Place from, to;
      QString erased;
      for (int i = 1; i <= count; ++i) erased += QString("%1:%1,").arg(i);
      const bool isNoted = from.store->putSetting("backups.erasing", erased.chopped(1)).has_value();
      IdSource ids(1000);
      const double begin = test::thread_ms();
      const bool isMerged = mergeStore(to.path(), storePath(from.path()), ids, goOn).has_value();
      const double ms = test::thread_ms() - begin;
      const auto noted = to.store->setting("backups.erasing").value().value_or(QString());
      return isNoted && isMerged && noted.count(u',') == count - 1 ? ms : -1.0;
    }));
  }

  /// Each part is a row of the store, and the text is asked for again and again.
  void manyParts_areReadInTime() {
    constexpr int kCount = 60'000;
    const QByteArray part = R"({"kind":"text","text":"abcdefghij"},)";
    MessageRecord message;
    message.parts = QList<MessagePart>(kCount, {.kind = part_kind::kText, .payload = "abcdefghij"});
    const double begin = test::thread_ms();
    QCOMPARE(message.text().size(), 10 * kCount);
    const double ms = test::thread_ms() - begin;
    QVERIFY2(ms < 500 * test::kSanitizerFactor, qPrintable(QString::number(ms)));
    Place to;
    const QString file = to.path() + "/export.json";
    QVERIFY(writeFile(file, chatWith(R"("messages":[{"id":2,"parts":[)" + part.repeated(kCount) +
                                     R"({"kind":"text","text":"","properties":{"a":1}}]}])")));
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    const ChatRecord chat = to.store->chats().value().value(0);
    const MessageRecord read = to.store->messages(chat.id).value().value(0);
    QCOMPARE(read.parts.size(), 2);  // What has properties stays apart.
    QCOMPARE(read.text(), message.text());
  }

  /// The window makes an item of each.
  void manyFiles_areRefused_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("record");
    QTest::addColumn<QByteArray>("after");
    QTest::newRow("draft") << "draft_files" << QByteArray("\"draft_files\":[")
                           << QByteArray(R"({"name":"a"})") << QByteArray("]");
    QTest::newRow("message") << "parts" << QByteArray(R"("messages":[{"id":2,"parts":[)")
                             << QByteArray(R"({"kind":"attachment","properties":{"name":"a"}})")
                             << QByteArray("]}]");
    QTest::newRow("message of version 1")
        << "attachments" << QByteArray(R"("messages":[{"id":2,"attachments":[)")
        << QByteArray(R"({"name":"a"})") << QByteArray("]}]");
  }
  void manyFiles_areRefused() {
    QFETCH(QString, field);
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, record);
    QFETCH(QByteArray, after);
    Place to;
    const QString file = to.path() + "/export.json";
    IdSource ids(1000);
    for (const int count : {201, 200}) {
      const QByteArray records = (record + ',').repeated(count - 1) + record;
      QVERIFY(writeFile(file, chatWith(before + records + after)));
      const auto report = importJson(to.path(), file, ids, goOn);
      if (count == 200) QVERIFY2(report, qPrintable(errorOf(report)));
      if (count == 200) break;
      QVERIFY(!report);
      QVERIFY2(errorOf(report).contains("the field \"" + field + "\""),
               qPrintable(errorOf(report)));
    }
  }

  /// The composer would lay it out at every start. Nothing of it is lost.
  void longDraft_becomesAFile() {
    Place to;
    const QString file = to.path() + "/export.json";
    const QByteArray draft(200'001, 'x');
    QVERIFY(writeFile(file, chatWith("\"draft\":\"" + draft + "\"")));
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    const ChatRecord chat = to.store->chats().value().value(0);
    QCOMPARE(chat.draft, QString());
    const auto files = to.store->draftFiles(chat.id).value();
    QCOMPARE(files.size(), 1);
    QCOMPARE(files[0].text, QString(draft));
  }

  void markdown_ofManyLinesAndFiles_isReadInTime() {
    const QString head = "# T\n\n2026-01-01\n\n## You\n\n";
    const QString files = QString("Attached: a\n\n```\nx\n```\n\n").repeated(60'000);
    const double begin = test::thread_ms();
    const auto chats = chatsFromMarkdown(head + files);
    const double ms = test::thread_ms() - begin;
    QVERIFY2(ms < 2000 * test::kSanitizerFactor, qPrintable(QString::number(ms)));
    QCOMPARE(chats.size(), 1);
    const MessageRecord& question = chats[0].messages[0].message;
    QCOMPARE(question.attachments().size(), 200);
    QVERIFY(question.text().startsWith("Attached: a\n"));  // The others are not lost.
    const QString lines = head + QString(4'000'000, u'\n') + "end";
    const bool hasPeak = resetPeak();
    const qint64 before = residentBytes();
    QCOMPARE(chatsFromMarkdown(lines).size(), 1);
    const qint64 grown = hasPeak ? peakBytes() - before : 0;
    QVERIFY2(grown < (qint64{60} << 20) * test::kSanitizerFactor,
             qPrintable(QString::number(grown)));
  }

  void longTextInMarkdown_isRefused() {
    Place to;
    const QString file = to.path() + "/export.md";
    const QByteArray head = "# T\n\n2026-01-01\n\n## You\n\n";
    QVERIFY(writeFile(
        file, head + "Hello\n\n" + head + (QByteArray(1'023, 'x') + '\n').repeated(9 << 10)));
    IdSource ids(1000);
    const auto report = importMarkdown(to.path(), file, ids, goOn);
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains(file) &&
                 errorOf(report).contains("a text of more than 8388608 characters"),
             qPrintable(errorOf(report)));
    QCOMPARE(to.store->chats().value().size(), 0);
  }

  void manyMessagesInMarkdown_areRefused() {
    Place to;
    const QString file = to.path() + "/export.md";
    const QByteArray head = "# T\n\n2026-01-01\n\n";
    const QByteArray messages = QByteArray("## You\n").repeated(200'001);
    QVERIFY(writeFile(file, head + "## You\n\nHello\n\n" + head + messages));
    IdSource ids(1000);
    const auto report = importMarkdown(to.path(), file, ids, goOn);
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains(file) && errorOf(report).contains("200000 messages"),
             qPrintable(errorOf(report)));
    QCOMPARE(to.store->chats().value().size(), 0);
  }

  /// The window lays each of them out at every start. No character is halved.
  void longNames_areCut() {
    Place to;
    const QString file = to.path() + "/export.json";
    QByteArray text = R"({"format":"quire-export","version":2,)"
                      R"("personas":[{"id":1,"name":"@","description":"@","icon":"@"}],)"
                      R"("folders":[{"id":2,"name":"@"}],)"
                      R"("chats":[{"id":3,"title":"@","created_ms":1,"head":4,"messages":[{"id":4,)"
                      R"("role":"assistant","status":4,"created_ms":1,"error":"@","model":"@",)"
                      R"("parts":[{"kind":"text","text":"a"}]}]}]})";
    QVERIFY(writeFile(file, text.replace('@', kLongName.toUtf8())));
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    checkNames(*to.store);
    const auto database = openStore(to.path());
    // As another program may have written them.
    for (const char* update : {"UPDATE persona SET name = ?1, description = ?1, icon = ?1",
                               "UPDATE folder SET name = ?1", "UPDATE chat SET title = ?1",
                               "UPDATE message SET error = ?1, model_name = ?1"}) {
      const auto done = Statement(**database, update).bind(kLongName).run();
      QVERIFY2(done, qPrintable(errorOf(done)));
    }
    checkNames(*to.store);
  }

  void longTitleInMarkdown_isCut() {
    Place to;
    const QString file = to.path() + "/export.md";
    QVERIFY(writeFile(file, "# " + kLongName.toUtf8() + "\n\n2024-05-06\n\n## Answer (" +
                                kLongName.toUtf8() + ")\n\nwords\n"));
    IdSource ids(1000);
    QVERIFY(importMarkdown(to.path(), file, ids, goOn));
    const ChatRecord chat = to.store->chats().value()[0];
    QCOMPARE(chat.title, kLongName.left(199));
    QCOMPARE(to.store->messages(chat.id).value()[0].modelName, kLongName.left(199));
  }

  /// Each record is a transaction. Nothing is imported of a file that is refused.
  void tooManyChats_areRefused() {
    Place to;
    const QString file = to.path() + "/export.json";
    const QByteArray chats = QByteArray("{},").repeated(200'001) + "{}";
    QVERIFY(
        writeFile(file, "{\"format\":\"quire-export\",\"version\":2,\"chats\":[" + chats + "]}"));
    IdSource ids(1000);
    const auto report = importJson(to.path(), file, ids, goOn);
    QVERIFY(!report);
    QVERIFY2(errorOf(report).contains("export.json") &&
                 errorOf(report).contains("more than 200000 chats"),
             qPrintable(errorOf(report)));
    QCOMPARE(to.store->chats().value().size(), 0);
  }

 private:
  /// An export of one chat with these members.
  static QByteArray chatWith(const QByteArray& members) {
    return R"({"format":"quire-export","version":2,"chats":[{"id":1,"created_ms":1,)" + members +
           "}]}";
  }

  static QByteArray numberedMembers(int count, const QByteArray& value = "0") {
    QByteArray members;
    for (int i = 0; i < count; ++i)
      members += '"' + QByteArray::number(i, 36) + "\":" + value + ',';
    return members;
  }

  static QByteArray numberedFolders(int count) {
    QByteArray folders;
    for (int i = 0; i < count; ++i) folders += "{\"name\":\"" + QByteArray::number(i) + "\"},";
    folders.chop(1);
    return folders;
  }

  static void checkNames(const ConversationStore& store) {
    const PersonaRecord persona = store.personas().value().value(0);
    QCOMPARE(persona.name, kLongName.left(199));
    QCOMPARE(persona.icon, kLongName.left(199));
    QCOMPARE(persona.description, kLongName.left(999));
    QCOMPARE(store.folders().value().value(0).name, kLongName.left(199));
    const ChatRecord chat = store.chats().value().value(0);
    QCOMPARE(chat.title, kLongName.left(199));
    const MessageRecord answer = store.messages(chat.id).value().value(0);
    QCOMPARE(answer.error, kLongName.left(3999));
    QCOMPARE(answer.modelName, kLongName.left(199));
  }

  /// Sets the peak to what the process has now. False if the system does not do that.
  static bool resetPeak() {
    QFile file("/proc/self/clear_refs");
    return file.open(QIODevice::WriteOnly | QIODevice::Unbuffered) && file.write("5") == 1;
  }
  static qint64 peakBytes() {
    QFile file("/proc/self/status");
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QByteArray text = file.readAll();
    const QByteArray line = text.mid(text.indexOf("VmHWM:") + 6);
    return line.left(line.indexOf("kB")).trimmed().toLongLong() * 1024;
  }

  static bool writeFile(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
  }

  static qint64 residentBytes() {
    QFile file("/proc/self/statm");
    if (!file.open(QIODevice::ReadOnly)) return 0;
    return file.readAll().split(' ').value(1).toLongLong() * 4096;
  }
};

QTEST_GUILESS_MAIN(TestTransferLimits)
#include "tst_transfer_limits.moc"
