#include "app/chat/conversation.h"

#include <QTest>

using namespace quire;

namespace {

MessageRecord message(RecordId id, RecordId parent, MessageRole role, const QString& text = {}) {
  MessageRecord record;
  record.id = id;
  record.chatId = 1;
  record.parentId = parent;
  record.role = role;
  record.setText(text);
  return record;
}

/// 10 asks, 11 and 14 answer; after 11: 12 asks, 13 answers.
QList<MessageRecord> tree() {
  return {message(10, 0, MessageRole::User, "question"),
          message(11, 10, MessageRole::Assistant, "first"),
          message(12, 11, MessageRole::User, "more"),
          message(13, 12, MessageRole::Assistant, "then"),
          message(14, 10, MessageRole::Assistant, "second")};
}

}  // namespace

class ConversationTest : public QObject {
  Q_OBJECT

 private slots:
  void path_leadsFromTheFirstMessageToTheHead() {
    QCOMPARE(Conversation(tree(), 13).path(), QList<RecordId>({10, 11, 12, 13}));
    QCOMPARE(Conversation(tree(), 14).path(), QList<RecordId>({10, 14}));
  }

  void head_unknown_isTheNewestLeaf() {
    QCOMPARE(Conversation(tree(), 0).head(), 14);
    QCOMPARE(Conversation(tree(), 999).head(), 14);
    QVERIFY(Conversation({}, 0).isEmpty());
  }

  void parents_thatAreNotOlder_areIgnored() {
    // A cycle and a message that is its own parent, which Quire never writes.
    const Conversation conversation(
        {message(10, 12, MessageRole::User, "question"),
         message(11, 10, MessageRole::Assistant, "answer"),
         message(12, 11, MessageRole::User, "more"), message(13, 13, MessageRole::User, "alone")},
        12);
    QCOMPARE(conversation.path(), QList<RecordId>({10, 11, 12}));
    QCOMPARE(conversation.subtree(10).size(), 3);
    QCOMPARE(conversation.version(13).count, 2);
  }

  void messages_withoutAValidId_areIgnored() {
    // 0 is the parent of the first messages, so a message with that id would be its own parent.
    const Conversation conversation(
        {message(-7, -7, MessageRole::User, "less than none"),
         message(0, 0, MessageRole::User, "none"), message(5, 0, MessageRole::Assistant, "five"),
         message(6, -7, MessageRole::Assistant, "six")},
        5);
    QCOMPARE(conversation.path(), QList<RecordId>({5}));
    QVERIFY(!conversation.find(0));
    QCOMPARE(conversation.version(6).count, 2);
  }

  void fork_copiesTheFilesOfItsMessages() {
    Conversation conversation(tree(), 13);
    conversation.find(10)->setAttachments({{.name = "one.txt"}});
    conversation.find(12)->setAttachments({{.name = "two.txt"}});
    IdSource ids(100);
    const NewChat fork = forkOf({.id = 1}, conversation, 11, ids);
    QCOMPARE(fork.messages.size(), 2);
    QCOMPARE(fork.messages[0].attachments().size(), 1);
    QCOMPARE(fork.messages[0].attachments()[0].name, QString("one.txt"));
  }

  void showVersion_goesDownToTheNewestLeafOfTheOtherVersion() {
    Conversation conversation(tree(), 14);
    QVERIFY(!conversation.showVersion(14, 1));
    QVERIFY(conversation.showVersion(14, -1));
    QCOMPARE(conversation.path(), QList<RecordId>({10, 11, 12, 13}));
    QCOMPARE(conversation.version(11).index, 1);
    QCOMPARE(conversation.version(11).count, 2);
    QCOMPARE(conversation.version(13).count, 1);
  }

  void append_editOfTheFirstMessage_keepsTheOldBranch() {
    Conversation conversation(tree(), 13);
    conversation.append(message(20, 0, MessageRole::User, "edited"));
    QCOMPARE(conversation.path(), QList<RecordId>({20}));
    QCOMPARE(conversation.version(20).index, 2);
    QVERIFY(conversation.showVersion(20, -1));
    QCOMPARE(conversation.path().first(), 10);
  }

  /// A forged store once led to an id that was there; its message became its own ancestor, and the
  /// branch did not end.
  void append_neverMakesACycle() {
    Conversation conversation(tree(), 13);
    conversation.append(message(10, 13, MessageRole::User, "again"));
    QCOMPARE(conversation.path(), QList<RecordId>({10, 11, 12, 13}));
    QCOMPARE(conversation.find(10)->text(), QString("question"));
    conversation.append(message(20, 20, MessageRole::User, "its own parent"));
    QCOMPARE(conversation.path(), QList<RecordId>({20}));
    conversation.append(message(19, 20, MessageRole::Assistant, "older than its parent"));
    QCOMPARE(conversation.path(), QList<RecordId>({19}));
    conversation.append(message(0, 13, MessageRole::User, "without an id"));
    QCOMPARE(conversation.path(), QList<RecordId>({19}));
    conversation.restore({message(30, 31, MessageRole::User), message(31, 30, MessageRole::User)},
                         31);
    QCOMPARE(conversation.path(), QList<RecordId>({30, 31}));
  }

  void removeLeaf_removesOnlyMessagesWithoutChildren() {
    Conversation conversation(tree(), 13);
    conversation.append(message(20, 13, MessageRole::User));
    conversation.append(message(21, 20, MessageRole::Assistant));
    conversation.removeLeaf(20);  // It has a child.
    QCOMPARE(conversation.head(), 21);
    conversation.removeLeaf(21);
    conversation.removeLeaf(20);
    QCOMPARE(conversation.path(), QList<RecordId>({10, 11, 12, 13}));
  }

  void turns_beginWithThePersona_thenTheBranch() {
    const QList<ChatTurn> turns = Conversation(tree(), 13).turns("Be brief.", 12);
    QCOMPARE(turns.size(), 4);
    QCOMPARE(turns[0].role, QString("system"));
    QCOMPARE(turns[1].text, QString("question"));
    QCOMPARE(turns[2].role, QString("assistant"));
    QCOMPARE(turns[3].text, QString("more"));
  }

  void turns_omitEmptyAnswers_andJoinAdjacentMessages() {
    QList<MessageRecord> messages = tree();
    messages[1].setText({});
    const QList<ChatTurn> turns = Conversation(messages, 13).turns({}, 12);
    QCOMPARE(turns.size(), 1);
    QCOMPARE(turns[0].text, QString("question\n\nmore"));
  }

  void turns_omitMessagesWhoseAnswerFailed() {
    QList<MessageRecord> messages = tree();
    messages[1].setText({});
    messages[1].status = MessageStatus::Failed;
    const Conversation conversation(messages, 13);
    QList<ChatTurn> turns = conversation.turns({}, 12);
    QCOMPARE(turns.size(), 1);
    QCOMPARE(turns[0].text, QString("more"));
    // It is included when it was asked again.
    turns = conversation.turns({}, 10);
    QCOMPARE(turns.size(), 1);
    QCOMPARE(turns[0].text, QString("question"));
    // An answer that failed after some text is included.
    messages[1].setText("half an answer");
    QCOMPARE(Conversation(messages, 13).turns({}, 12).size(), 3);
  }

  void turns_carryTheSampledTokens() {
    QList<MessageRecord> messages = tree();
    messages[1].tokens = {5, 6, 7};
    QCOMPARE(Conversation(messages, 13).turns({}, 12)[1].tokens, QList<qint32>({5, 6, 7}));
    QVERIFY(!Conversation(messages, 13).turns({}, 12)[1].isImported);
    messages[1].imported = true;
    QVERIFY(Conversation(messages, 13).turns({}, 12)[1].isImported);
  }

  void title_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("title");
    QTest::newRow("short") << "What is Quire?"
                           << "What is Quire?";
    QTest::newRow("first line with words") << "\n\n# Notes\nmore"
                                           << "Notes";
    QTest::newRow("spaces") << "  a \t b  "
                            << "a b";
    QTest::newRow("cut at a word")
        << "Explain in detail why a page table beats one big contiguous cache, and what it costs"
        << "Explain in detail why a page table beats one big contiguous cache, and what it…";
    QTest::newRow("no words to cut at") << QString(90, u'한') << QString(80, u'한') + "…";
    QTest::newRow("korean") << "이메일 초안을 다듬어 주세요"
                            << "이메일 초안을 다듬어 주세요";
  }
  void title() {
    QFETCH(QString, text);
    QTEST(titleFromMessage(text), "title");
  }
};

QTEST_APPLESS_MAIN(ConversationTest)
#include "tst_conversation.moc"
