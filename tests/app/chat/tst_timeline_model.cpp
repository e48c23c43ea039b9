#include "app/chat/timeline_model.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

using namespace quire;

namespace {

MessageRecord message(RecordId id, MessageRole role, const QString& text,
                      MessageStatus status = MessageStatus::Complete) {
  MessageRecord record;
  record.id = id;
  record.chatId = 1;
  record.parentId = id - 1;
  record.role = role;
  record.setText(text);
  record.status = status;
  return record;
}

using Kind = TimelineModel::RowKind;

/// A question and its answer, which is complete or streamed token by token.
struct Chat {
  Conversation conversation;
  std::unique_ptr<TimelineModel> model;

  explicit Chat(const QString& answer, MessageStatus status = MessageStatus::Complete,
                const QString& question = "question") {
    conversation.append(message(1, MessageRole::User, question));
    conversation.append(message(2, MessageRole::Assistant, answer, status));
    model = std::make_unique<TimelineModel>(conversation);
    new QAbstractItemModelTester(
        model.get(), QAbstractItemModelTester::FailureReportingMode::QtTest, model.get());
    while (model->isLoading()) QCoreApplication::processEvents();
  }
  void write(const QString& text) {
    conversation.find(2)->appendText(text);
    model->appendText(2, text);
  }
  void finish(MessageStatus status = MessageStatus::Complete) {
    conversation.find(2)->status = status;
    model->finishMessage(2);
  }
  QList<Kind> kinds() const {
    QList<Kind> kinds;
    for (int row = 0; row < model->rowCount(); ++row)
      kinds.append(at(row, TimelineModel::kKind).value<Kind>());
    return kinds;
  }
  QVariant at(int row, int role) const { return model->data(model->index(row), role); }
  QString text(int row, int role) const { return at(row, role).toString(); }
};

QString code(int lines) {
  QStringList all;
  for (int i = 0; i < lines; ++i) all.append(QString("line %1").arg(i));
  return all.join('\n');
}

}  // namespace

class TimelineModelTest : public QObject {
  Q_OBJECT

 private slots:
  void reasoning_isFolded_untilToggled() {
    Chat chat("<think>\nfirst\n\nsecond\n</think>\n\nanswer");
    using enum TimelineModel::RowKind;
    QCOMPARE(chat.kinds(), QList<Kind>({User, Thought, Paragraph, Footer}));
    QVERIFY(chat.at(1, TimelineModel::kIsFolded).toBool());
    QCOMPARE(chat.text(1, TimelineModel::kThoughtText), QString("Thought"));
    chat.model->toggleFold(1);
    QCOMPARE(chat.kinds(), QList<Kind>({User, Thought, Paragraph, Paragraph, Paragraph, Footer}));
    QVERIFY(!chat.at(1, TimelineModel::kIsFolded).toBool());
    QVERIFY(chat.at(2, TimelineModel::kIsThought).toBool());
    QVERIFY(!chat.at(4, TimelineModel::kIsThought).toBool());
    chat.model->toggleFold(1);
    QCOMPARE(chat.kinds(), QList<Kind>({User, Thought, Paragraph, Footer}));
  }

  void reasoning_streams_asOneLine_andStaysOpenIfOpened() {
    Chat chat("", MessageStatus::Streaming);
    chat.model->setPhase(2, TimelineModel::Phase::Writing);
    QElapsedTimer timer;
    timer.start();
    for (QChar c : QString("<think>\nfirst\n\nsecond")) chat.write(c);
    using enum TimelineModel::RowKind;
    QCOMPARE(chat.kinds(), QList<Kind>({User, Thought, Footer}));
    QCOMPARE(chat.text(1, TimelineModel::kThoughtText), QString("Thinking…"));
    QCOMPARE(chat.text(1, TimelineModel::kText), QString("second"));
    chat.model->toggleFold(1);
    QCOMPARE(chat.kinds(), QList<Kind>({User, Thought, Paragraph, Paragraph, Footer}));
    QTest::qSleep(60);
    for (QChar c : QString("\n</think>\n\nanswer")) chat.write(c);
    chat.finish();
    QCOMPARE(chat.kinds(), QList<Kind>({User, Thought, Paragraph, Paragraph, Paragraph, Footer}));
    const double most = static_cast<double>(timer.elapsed()) / 1000.0 + 0.05;
    const QString thought = chat.text(1, TimelineModel::kThoughtText);
    const auto match = QRegularExpression("^Thought for (\\d+\\.\\d) s$").match(thought);
    const double seconds = match.captured(1).toDouble();
    QVERIFY2(match.hasMatch() && seconds >= 0.1 && seconds <= most, qPrintable(thought));
  }

  void reasoning_withoutAnAnswer_isUnfolded() {
    Chat streamed("", MessageStatus::Streaming);
    streamed.write("<think>only this");
    streamed.finish(MessageStatus::Stopped);
    Chat stored("<think>only this", MessageStatus::Interrupted);
    for (const Chat* chat : {&streamed, &stored}) {
      QCOMPARE(chat->kinds(),
               QList<Kind>({Kind::User, Kind::Thought, Kind::Paragraph, Kind::Footer}));
      QCOMPARE(chat->text(2, TimelineModel::kMarkup), QString("only this"));
      QCOMPARE(chat->text(1, TimelineModel::kThoughtText),
               QString("Thought, stopped before an answer"));
    }
  }

  void phaseText_ofACutOffAnswer_dependsOnItsText() {
    const Chat none("", MessageStatus::Interrupted);
    const Chat some("half", MessageStatus::Interrupted);
    const auto words = [](const Chat& chat) {
      return chat.text(static_cast<int>(chat.kinds().size()) - 1, TimelineModel::kPhaseText);
    };
    QCOMPARE(words(none), QString("The answer was cut off before it started. Regenerate it."));
    QVERIFY(words(some).contains("text so far is kept"));
  }

  void longCode_isFoldedInAStoredAnswer() {
    Chat chat("```c\n" + code(812) + "\n```\n\nafter");
    using enum TimelineModel::RowKind;
    QCOMPARE(chat.kinds(), QList<Kind>({User, Code, Paragraph, Footer}));
    QCOMPARE(chat.text(1, TimelineModel::kText), code(40));
    QCOMPARE(chat.text(1, TimelineModel::kFoldText), QString("Show all 812 lines"));
    QCOMPARE(chat.model->sourceAt(1), code(812));
    chat.model->toggleFold(1);
    QVERIFY(chat.kinds().count(Code) > 15);
    const int last = chat.model->rowCount() - 3;
    QCOMPARE(chat.text(last, TimelineModel::kFoldText), QString("Show less"));
    QCOMPARE(chat.model->sourceAt(last), code(812));
    chat.model->toggleFold(last);
    QCOMPARE(chat.kinds(), QList<Kind>({User, Code, Paragraph, Footer}));
  }

  void longCode_isNotFoldedInAStreamedAnswer() {
    Chat chat("", MessageStatus::Streaming);
    chat.write("```c\n" + code(300) + "\n```\n");
    const int rows = chat.model->rowCount();
    chat.finish();
    QCOMPARE(chat.model->rowCount(), rows);
    QCOMPARE(chat.text(1, TimelineModel::kFoldText), QString());
  }

  void longQuestion_isFolded() {
    const QString question = code(500);
    Chat chat("answer", MessageStatus::Complete, question);
    QCOMPARE(chat.kinds(), QList<Kind>({Kind::User, Kind::Paragraph, Kind::Footer}));
    QVERIFY(chat.text(0, TimelineModel::kFoldText).startsWith("Show all 500 lines"));
    chat.model->toggleFold(0);
    QStringList parts;
    for (int row = 0; row < chat.model->rowCount() - 2; ++row)
      parts.append(chat.text(row, TimelineModel::kText));
    QVERIFY(parts.size() > 5);
    QCOMPARE(parts.join('\n'), question);
  }

  void token_changesOnlyTheLastBlock() {
    Chat chat("", MessageStatus::Streaming);
    for (int i = 0; i < 500; ++i) chat.write(QString("- item %1\n").arg(i));
    QSignalSpy changed(chat.model.get(), &TimelineModel::dataChanged);
    QSignalSpy inserted(chat.model.get(), &TimelineModel::rowsInserted);
    QSignalSpy removed(chat.model.get(), &TimelineModel::rowsRemoved);
    chat.write("- begun");
    chat.write(" and more");
    QCOMPARE(inserted.size(), 1);
    QCOMPARE(removed.size(), 0);
    for (const auto& arguments : changed)
      QVERIFY(arguments[0].toModelIndex().row() >= chat.model->rowCount() - 3);
  }

  void table_hasARowForEachLine() {
    Chat chat("| a | b |\n|---|---|\n| 1 | a long cell |\n| 2 | x |");
    using enum TimelineModel::RowKind;
    QCOMPARE(chat.kinds(), QList<Kind>({User, Table, Table, Table, Footer}));
    auto* state = chat.at(1, TimelineModel::kState).value<BlockDisplay*>();
    QCOMPARE(chat.at(3, TimelineModel::kState).value<BlockDisplay*>(), state);
    QCOMPARE(state->columnWidths().size(), 2);
    QVERIFY(state->columnWidths()[1] > state->columnWidths()[0]);
    QCOMPARE(chat.model->sourceAt(2), QString("a\tb\n1\ta long cell\n2\tx"));
  }

  void longChat_loadsItsEndFirst() {
    QList<MessageRecord> messages;
    for (int i = 1; i <= 600; ++i)
      messages.append(message(i, i % 2 ? MessageRole::User : MessageRole::Assistant,
                              QString("Message %1. ").arg(i).repeated(20)));
    const Conversation conversation(messages, 600);
    TimelineModel model(conversation);
    QVERIFY(model.isLoading());
    QVERIFY(model.rowCount() < 300);
    QCOMPARE(model.data(model.index(model.rowCount() - 1), TimelineModel::kMessageId).toInt(), 600);
    QCOMPARE(model.firstRowOf(300), -1);
    while (model.isLoading()) QCoreApplication::processEvents();
    const int row = model.firstRowOf(300);
    QCOMPARE(model.data(model.index(row), TimelineModel::kMessageId).toInt(), 300);
    QCOMPARE(model.rowCount(), 900);
    QCOMPARE(model.data(model.index(0), TimelineModel::kMessageId).toInt(), 1);
  }

  void longAnswer_withALink_isReadAgainInSlices() {
    const QString text = "[a]: http://b.c\n\n[a]\n\n```c\n" + code(20'000) + "\n```\n\nend of [a]";
    const QString link = "<a href=\"http://b.c\">a</a>";
    Chat streamed("", MessageStatus::Streaming);
    streamed.write(text);
    streamed.finish();
    const auto markupOf = [](const Chat& chat, int row) {
      return chat.text(row < 0 ? chat.model->rowCount() + row : row, TimelineModel::kMarkup);
    };
    QCOMPARE(markupOf(streamed, 2), QString("[a]"));  // Only a slice was read again.
    QCOMPARE(markupOf(streamed, -2), QString("end of [a]"));
    QTRY_COMPARE(markupOf(streamed, 1), link);
    QCOMPARE(markupOf(streamed, -2), "end of " + link);
    const Chat stored(text);
    QCOMPARE(markupOf(stored, 1), link);
    QCOMPARE(markupOf(stored, -2), "end of " + link);
  }

  void longAnswer_thatGoesOn_isReadAgainInSlices() {
    const QString text = "```c\n" + code(20'000) + "\n```\n\na **bo";
    Chat chat(text, MessageStatus::Interrupted);
    chat.conversation.find(2)->status = MessageStatus::Streaming;
    const auto last = [&] { return chat.text(chat.model->rowCount() - 2, TimelineModel::kMarkup); };
    chat.write("ld");
    QCOMPARE(last(), QString("a **bo"));  // Only a slice was read again.
    int written = 1;
    for (; last() != "a <b>bold</b>" && written < 100; ++written) chat.write("");
    QVERIFY2(written > 10 && written < 100, qPrintable(QString::number(written)));
    chat.write("** text");
    QCOMPARE(last(), QString("a <b>bold</b> text"));
    chat.finish();
    QCOMPARE(last(), QString("a <b>bold</b> text"));
  }

  void continuedAnswer_isParsedAgain() {
    Chat chat("a **bo", MessageStatus::Interrupted);
    QCOMPARE(chat.text(1, TimelineModel::kMarkup), QString("a **bo"));
    chat.conversation.find(2)->status = MessageStatus::Streaming;
    chat.write("ld** text");
    QCOMPARE(chat.text(1, TimelineModel::kMarkup), QString("a <b>bold</b> text"));
    chat.finish();
    QCOMPARE(chat.text(1, TimelineModel::kMarkup), QString("a <b>bold</b> text"));
  }
};

QTEST_MAIN(TimelineModelTest)
#include "tst_timeline_model.moc"
