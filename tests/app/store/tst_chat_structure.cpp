#include <QTemporaryDir>
#include <QtTest>

#include "app/store/conversation_store.h"
#include "app/store/model_setting_table.h"
#include "tests/app/store/sample_records.h"

using namespace quire;

namespace {

template <typename T>
QString errorOf(const Result<T>& result) {
  return result ? QString() : QString::fromStdString(result.error().message);
}

OriginRecord originOf(const QList<qint32>& prompt) {
  OriginRecord origin;
  origin.templateHash = "hash";
  origin.promptTokens = prompt;
  origin.end = AnswerEnd::Stop;
  return origin;
}

}  // namespace

/// Folders, attachments, settings of models; chats made whole, and messages removed.
class TestChatStructure : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    reopen();
  }
  void cleanup() { m_store.reset(); }

  void draftFiles_areKeptWithTheirChat_andGoWithIt() {
    const AttachmentRecord file{
        .name = "a.txt", .mediaType = "text/plain", .bytes = 3, .text = "one"};
    const AttachmentRecord other{
        .name = "b.txt", .mediaType = "text/plain", .bytes = 3, .text = "two"};
    QVERIFY(m_store->putDraft(samples::chat(1), {file, other}));
    QVERIFY(m_store->putDraftToAll({other}));
    reopen();
    const auto files = m_store->draftFiles(1).value();
    QCOMPARE(files.size(), 2);
    QVERIFY(isSameFile(files[0], file) && isSameFile(files[1], other));
    QCOMPARE(m_store->draftFiles(0).value().size(), 1);
    QVERIFY(m_store->putDraft(samples::chat(1), {other}));
    QCOMPARE(m_store->draftFiles(1).value().size(), 1);
    QVERIFY(m_store->removeChat(1));
    QVERIFY(m_store->draftFiles(1).value().isEmpty());
    QCOMPARE(m_store->draftFiles(0).value().size(), 1);
    QVERIFY(m_store->putDraftToAll({}));
    QVERIFY(m_store->draftFiles(0).value().isEmpty());
  }

  void unsavedEdit_isReplaced_andGoesWithItsMessage() {
    QVERIFY(m_store->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                               samples::emptyAnswer(3, 1, 2)));
    QCOMPARE(m_store->edit(1).value().messageId, RecordId{0});
    QVERIFY(m_store->putEdit(1, {.messageId = 2, .text = "half"}));
    QVERIFY(m_store->putEdit(1, {.messageId = 3, .text = "an answer"}));
    reopen();
    QCOMPARE(m_store->edit(1).value().messageId, RecordId{3});
    QCOMPARE(m_store->edit(1).value().text, QString("an answer"));
    QVERIFY(m_store->putEdit(1, {}));
    QCOMPARE(m_store->edit(1).value().messageId, RecordId{0});
    QVERIFY(m_store->putEdit(1, {.messageId = 99, .text = "of no message"}));
    QCOMPARE(m_store->edit(1).value().messageId, RecordId{0});
    QVERIFY(m_store->putEdit(1, {.messageId = 3, .text = "again"}));
    QVERIFY(m_store->removeMessages(1, {3}));
    QCOMPARE(m_store->edit(1).value().messageId, RecordId{0});
  }

  void comparison_isKeptInItsOrder_andLosesWhatIsDeleted() {
    QVERIFY(m_store->beginAnswers(samples::chat(1, 3), samples::question(2, 1),
                                  {samples::emptyAnswer(3, 1, 2), samples::emptyAnswer(4, 1, 2)}));
    QVERIFY(m_store->putComparison(1, {{4, "hot"}, {3, "cold"}, {99, "nobody's"}}));
    reopen();
    QCOMPARE(m_store->comparedAnswers(1).value(), (QList<ComparedAnswer>{{4, "hot"}, {3, "cold"}}));
    QVERIFY(m_store->removeMessages(1, {3}));
    QCOMPARE(m_store->comparedAnswers(1).value(), (QList<ComparedAnswer>{{4, "hot"}}));
    QVERIFY(m_store->putComparison(1, {}));
    QVERIFY(m_store->comparedAnswers(1).value().isEmpty());
  }

  void folders_roundTripByPosition() {
    QVERIFY(m_store->putFolder({.id = 1, .name = "Second ✓", .position = 2, .createdMs = 5}));
    QVERIFY(m_store->putFolder({.id = 2, .name = "First", .position = 1, .isOpen = false}));
    reopen();
    const auto folders = m_store->folders().value();
    QCOMPARE(folders.size(), 2);
    QCOMPARE(folders[0].name, QString("First"));
    QVERIFY(!folders[0].isOpen);
    QCOMPARE(folders[1].name, QString("Second ✓"));
    QCOMPARE(folders[1].createdMs, qint64{5});
    QVERIFY(folders[1].isOpen);
  }

  void removeFolder_keepsItsChats() {
    QVERIFY(m_store->putFolder({.id = 1, .name = "F"}));
    ChatRecord chat = samples::chat(2);
    chat.folderId = 1;
    QVERIFY(m_store->putChat(chat));
    QCOMPARE(m_store->chats().value()[0].folderId, RecordId{1});
    QVERIFY(m_store->removeFolder(1));
    QVERIFY(m_store->folders().value().isEmpty());
    QCOMPARE(m_store->chats().value()[0].folderId, RecordId{0});
    // A late write that still names it is no reason to lose the chat.
    QVERIFY(m_store->putChat(chat));
    QCOMPARE(m_store->chats().value()[0].folderId, RecordId{0});
  }

  void attachments_comeWithTheirMessage() {
    const QList<AttachmentRecord> files = {samples::attachment(10), samples::attachment(11)};
    QVERIFY(m_store->beginTurn(samples::chat(1, 3), samples::questionWith(2, 1, files),
                               samples::emptyAnswer(3, 1, 2)));
    reopen();
    const MessageRecord message = *m_store->message(2).value();
    QCOMPARE(message.attachments(), files);
    QCOMPARE(message.text(), QString("Question 2"));
  }

  void parts_ofAnyKindComeBackAsTheyWere() {
    MessageRecord answer = samples::emptyAnswer(3, 1, 2);
    answer.role = {"critic"};  // Roles and kinds are open sets.
    answer.parts = {
        {.kind = part_kind::kReasoning, .payload = "Hm."},
        {.kind = part_kind::kText, .payload = "One "},
        {.kind = part_kind::kToolCall, .payload = R"({"name":"clock"})"},
        {.kind = "hologram", .properties = R"({"x":1})", .blob = QByteArray("\0\xff", 2)},
        {.kind = part_kind::kText, .payload = "two"}};
    QVERIFY(m_store->beginTurn(samples::chat(1, 3), samples::question(2, 1), answer));
    QCOMPARE(m_store->message(3).value()->parts, answer.parts);
    // A checkpoint writes the last text part and no other.
    QVERIFY(m_store->checkpointAnswer(3, "two and more", {1, 2}));
    answer.parts[4].payload = "two and more";
    reopen();
    QCOMPARE(m_store->messages(1).value()[1].parts, answer.parts);
    QCOMPARE(m_store->messages(1).value()[1].tokens, (QList<qint32>{1, 2}));
    QCOMPARE(m_store->messages(1).value()[1].role, answer.role);
    QCOMPARE(m_store->message(3).value()->text(), QString("One two and more"));
    QCOMPARE(m_store->message(3).value()->reasoning(), QString("Hm."));
  }

  void modelSettings_roundTrip() {
    ModelSettings settings{.path = "/m/모델.gguf", .contextLength = 8192, .device = "cuda:0"};
    settings.kvMiB = 512;
    settings.kvType = "i8";
    settings.speculates = false;
    settings.draftModel = "/m/초안";
    settings.keepLoaded = true;
    settings.generation.minP = 0.05;
    settings.lastUsedMs = 7;
    QVERIFY(m_store->putModelSettings(settings));
    QVERIFY(m_store->putModelSettings({.path = "/other", .lastUsedMs = 9}));
    reopen();
    QCOMPARE(*m_store->modelSettings(settings.path).value(), settings);
    QVERIFY(!m_store->modelSettings("/none").value());
    QCOMPARE(m_store->allModelSettings().value()[0].path, QString("/other"));
    settings.contextLength.reset();
    QVERIFY(m_store->putModelSettings(settings));
    QCOMPARE(*m_store->modelSettings(settings.path).value(), settings);
  }

  void modelSettings_keepWhatTheyDoNotKnow() {
    const QString json = R"({"kv_type":8,"novel":[1],"threads":2})";
    ModelSettings settings = model_setting_table::fromJson("/m", json, 0);
    QCOMPARE(settings.kvType, QString());
    QCOMPARE(model_setting_table::toJson(settings), QString(json));
    settings.kvType = "i8";
    QCOMPARE(model_setting_table::toJson(settings),
             QString(R"({"kv_type":"i8","novel":[1],"threads":2})"));
  }

  void createChat_storesAFork() {
    makeChat();
    NewChat fork;
    fork.chat = samples::chat(100, 104);
    fork.chat.forkedFrom = 5;
    fork.messages = {samples::question(101, 100), samples::finishedAnswer(102, 100, 101),
                     samples::question(103, 100, 102), samples::finishedAnswer(104, 100, 103)};
    fork.messages[0].setAttachments({samples::attachment(105)});
    fork.copiedFrom = {{102, 4}, {104, 6}};
    const auto created = m_store->createChat(fork);
    QVERIFY2(created, qPrintable(errorOf(created)));
    QCOMPARE(m_store->messages(100).value().size(), 4);
    QCOMPARE(m_store->message(101).value()->attachments().size(), 1);
    QCOMPARE(m_store->origin(102).value()->promptTokens, m_store->origin(4).value()->promptTokens);
    // The fork stands on its own.
    QVERIFY(m_store->removeChat(1));
    QCOMPARE(m_store->origin(102).value()->promptTokens, (QList<qint32>{1, 2, 3}));
    QCOMPARE(m_store->origin(104).value()->promptTokens, longPrompt());
    QCOMPARE(m_store->origin(104).value()->end, AnswerEnd::Stop);
    QCOMPARE(m_store->chats().value()[0].forkedFrom, RecordId{5});
  }

  void createChat_keepsTheOriginOfAVersionWithoutTheOther() {
    makeChat();
    // Made after version 4, so that its prompt is kept as what that one's is.
    QVERIFY(m_store->beginTurn(samples::chat(1, 7), {}, samples::emptyAnswer(7, 1, 2)));
    QVERIFY(m_store->finishAnswer(samples::finishedAnswer(7, 1, 2), originOf({1, 2, 3})));
    NewChat fork;
    fork.chat = samples::chat(100, 102);
    fork.messages = {samples::question(101, 100), samples::finishedAnswer(102, 100, 101)};
    fork.copiedFrom = {{102, 7}};
    QVERIFY(m_store->createChat(fork));
    QVERIFY(m_store->removeChat(1));
    QCOMPARE(m_store->origin(102).value()->promptTokens, (QList<qint32>{1, 2, 3}));
  }

  void createChat_thatFailsLeavesNothing() {
    NewChat chat;
    chat.chat = samples::chat(100, 101);
    chat.messages = {samples::question(101, 100), samples::question(102, 999)};
    QVERIFY(!m_store->createChat(chat));
    QVERIFY(m_store->chats().value().isEmpty());
  }

  void removeMessages_takesASubtreeAndMovesTheHead() {
    makeChat();
    const auto removed = m_store->removeMessages(1, {5, 6});
    QVERIFY2(removed, qPrintable(errorOf(removed)));
    QCOMPARE(m_store->messages(1).value().size(), 2);
    QCOMPARE(m_store->chats().value()[0].headMessageId, RecordId{4});
    QVERIFY(m_store->removeMessages(1, {2, 4}));
    QCOMPARE(m_store->chats().value()[0].headMessageId, RecordId{0});
    QVERIFY(m_store->messages(1).value().isEmpty());
    QCOMPARE(m_store->integrityCheck().value(), QString());
  }

  void removeMessages_keepsTheOriginsOfOtherVersions() {
    makeChat();
    QVERIFY(m_store->beginTurn(samples::chat(1, 7), {}, samples::emptyAnswer(7, 1, 2)));
    QVERIFY(m_store->finishAnswer(samples::finishedAnswer(7, 1, 2), originOf({1, 2, 3})));
    QVERIFY(m_store->removeMessages(1, {4, 5, 6}));
    QCOMPARE(m_store->chats().value()[0].headMessageId, RecordId{7});
    const auto origin = m_store->origin(7);
    QVERIFY2(origin, qPrintable(errorOf(origin)));
    QCOMPARE((*origin)->promptTokens, (QList<qint32>{1, 2, 3}));
  }

  void removeMessages_refusesToOrphanAnAnswer() {
    makeChat();
    const auto removed = m_store->removeMessages(1, {5});
    QVERIFY(!removed);
    QCOMPARE(removed.error().code, ErrorCode::kInvalidArgument);
    QCOMPARE(m_store->messages(1).value().size(), 4);
    QVERIFY(m_store->removeMessages(2, {5, 6}));  // Of another chat: nothing is theirs.
    QCOMPARE(m_store->messages(1).value().size(), 4);
  }

 private:
  static QList<qint32> longPrompt() {
    return QList<qint32>{1, 2, 3} + samples::finishedAnswer(4, 1).tokens + QList<qint32>{40, 41};
  }

  /// Chat 1: 2 (with a file) - 4 - 5 - 6, both answers with origins.
  void makeChat() {
    QVERIFY(m_store->beginTurn(samples::chat(1, 4),
                               samples::questionWith(2, 1, {samples::attachment(3)}),
                               samples::emptyAnswer(4, 1, 2)));
    QVERIFY(m_store->finishAnswer(samples::finishedAnswer(4, 1, 2), originOf({1, 2, 3})));
    QVERIFY(m_store->beginTurn(samples::chat(1, 6), samples::question(5, 1, 4),
                               samples::emptyAnswer(6, 1, 5)));
    QVERIFY(m_store->finishAnswer(samples::finishedAnswer(6, 1, 5), originOf(longPrompt())));
  }

  void reopen() {
    m_store.reset();
    m_store = std::move(*ConversationStore::open(m_folder->path()));
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ConversationStore> m_store;
};

QTEST_GUILESS_MAIN(TestChatStructure)
#include "tst_chat_structure.moc"
