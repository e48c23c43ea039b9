#include <QFile>
#include <QtTest>

#include "app/store/conversation_store.h"
#include "app/store/transfer/markdown.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/sample_records.h"
#include "tests/app/store/transfer_place.h"

using namespace quire;

namespace {

const QString kHead = "# T\n\n2026-01-01\n\n## You\n\n";

/// Text that readMarkdown() gets in pieces of this length, and what it takes of it.
struct Pieces {
  QString text;
  qsizetype length = 1;
  qsizetype at = 0;
  QList<ChatBundle> chats = {};

  MarkdownInput input() {
    return {.readMore = [this]() -> Result<QString> {
              const QString piece = text.mid(at, length);
              at += piece.size();
              return piece;
            },
            .take =
                [this](const ChatBundle& chat) {
                  chats.append(chat);
                  return Result<void>();
                }};
  }
};

/// What a chat says.
QString saidBy(const ChatBundle& bundle) {
  QStringList said = {bundle.chat.title, QString::number(bundle.chat.createdMs)};
  for (const BundledMessage& bundled : bundle.messages) {
    const MessageRecord& message = bundled.message;
    said << message.role.name << message.modelName << message.text();
    for (const AttachmentRecord& file : message.attachments()) said << file.name << file.text;
  }
  return said.join(u'|');
}

}  // namespace

/// Markdown files are read chat by chat, whatever their size.
class TestTransferMarkdown : public QObject {
  Q_OBJECT

 private slots:
  void chats_areTheSame_howeverTheTextIsDivided() {
    const QString text =
        "words\n" + kHead + "Attached: a.txt\n\n````\n```\n# T\n\n2026-01-01\n````\n\nQ\n\n" +
        "## Answer (m)\n\n```\n## You\n```\n\\## You\n\n# Not a chat\n\nwords\n\n" +
        "# Another ✓\n\n2026-01-02\n\n" + "# Third\n\n2026-01-03\n\n## You\n\nend";
    const QList<ChatBundle> whole = chatsFromMarkdown(text);
    QCOMPARE(whole.size(), 3);
    QCOMPARE(whole[0].messages.size(), 2);
    QCOMPARE(whole[0].messages[0].message.attachments().size(), 1);
    QCOMPARE(whole[2].messages.value(0).message.text(), QString("end"));
    for (qsizetype length = 1; length <= 80; ++length) {
      Pieces pieces{.text = text, .length = length};
      const auto read = readMarkdown(pieces.input());
      QVERIFY2(read, qPrintable(errorOf(read)));
      QCOMPARE(pieces.chats.size(), 3);
      for (int i = 0; i < 3; ++i) QCOMPARE(saidBy(pieces.chats[i]), saidBy(whole[i]));
    }
  }

  /// A chat is handed over before the next one is read, so that only one is in memory.
  void chats_areTakenOneAfterAnother() {
    Pieces pieces{.text = (kHead + QString(1'000, 'x') + '\n').repeated(10), .length = 100};
    MarkdownInput input = pieces.input();
    QList<qsizetype> readBefore;
    input.take = [&](const ChatBundle&) {
      readBefore.append(pieces.at);
      return Result<void>();
    };
    QVERIFY(readMarkdown(input));
    QCOMPARE(readBefore.size(), 10);
    for (qsizetype i = 0; i < 10; ++i) QVERIFY(readBefore[i] <= (i + 1) * 1'100 + 200);
  }

  /// The limits are those of one chat; a file may have many.
  void limits_areThoseOfAChat() {
    const QString chat = kHead + "a\n\n## Answer\n\n" + QString(1'000, 'x') + "\n\n";
    Pieces many{.text = chat.repeated(10), .length = 64};
    MarkdownInput input = many.input();
    input.maxChatLength = 1'100;
    input.maxMessages = 2;
    QVERIFY(readMarkdown(input));
    QCOMPARE(many.chats.size(), 10);
    for (const bool isLong : {true, false}) {
      Pieces one{.text = chat + chat + (isLong ? QString(200, 'y') : "## You\n"), .length = 64};
      input = one.input();
      input.maxChatLength = 1'100;
      input.maxMessages = 2;
      input.tooLarge = {ErrorCode::kUnsupported, "too large"};
      QCOMPARE(errorOf(readMarkdown(input)), "too large");
      QCOMPARE(one.chats.size(), 1);
    }
  }

  /// A message may have files of that length each.
  void textLimit_isThatOfAFileAndOfAMessage() {
    const auto file = [](qsizetype length) {
      return QString("Attached: a\n\n```\n%1\n```\n\n").arg(QString(length, 'x'));
    };
    const auto read = [](const QString& message) {
      Pieces pieces{.text = kHead + message + '\n', .length = 64};
      MarkdownInput input = pieces.input();
      input.maxTextLength = 1'000;
      input.tooLarge = {ErrorCode::kUnsupported, "too large"};
      return errorOf(readMarkdown(input));
    };
    QCOMPARE(read(file(1'000).repeated(200) + QString(1'000, 'y')), QString());
    QCOMPARE(read(file(1'001)), QString("too large"));
    QCOMPARE(read(QString(1'001, 'y')), QString("too large"));
    QCOMPARE(read(QString("y\n").repeated(501) + 'y'), QString("too large"));
    QCOMPARE(read("a\n\n## Answer\n\n" + QString("y\n").repeated(501) + 'y'), QString("too large"));
  }

  /// Such a message is not read to its end.
  void longMessage_isReadUpToTheLimit() {
    Pieces pieces{.text = kHead + QString("y\n").repeated(500'000), .length = 1'000};
    MarkdownInput input = pieces.input();
    input.maxTextLength = 10'000;
    QVERIFY(!readMarkdown(input));
    QVERIFY2(pieces.at < 150'000, qPrintable(QString::number(pieces.at)));
  }

  void endlessLine_isReadUpToTheLimit() {
    Pieces pieces{.text = kHead + QString(1'000'000, 'x'), .length = 1'000};
    MarkdownInput input = pieces.input();
    input.maxChatLength = 10'000;
    QVERIFY(!readMarkdown(input));
    QVERIFY2(pieces.at < 20'000, qPrintable(QString::number(pieces.at)));
  }

  void errors_endTheReading() {
    Pieces pieces{.text = kHead.repeated(100), .length = 50};
    MarkdownInput input = pieces.input();
    input.take = [](const ChatBundle&) { return Result<void>(Error{ErrorCode::kIo, "full"}); };
    QCOMPARE(errorOf(readMarkdown(input)), "full");
    QVERIFY(pieces.at < pieces.text.size());
    input.readMore = [] { return Result<QString>(Error{ErrorCode::kIo, "gone"}); };
    QCOMPARE(errorOf(readMarkdown(input)), "gone");
  }

  /// A file of two million lines was refused, although Quire had exported it.
  void fileOfManyLines_isImported() {
    Place to;
    const QString file = to.path() + "/export.md";
    QByteArray text;
    for (int i = 0; i < 3; ++i) {
      text += kHead.toUtf8() + QByteArray::number(i) + QByteArray(700'000, '\n') + "end\n";
    }
    QVERIFY(writeFile(file, text));
    IdSource ids(1000);
    const auto report = importMarkdown(to.path(), file, ids, goOn);
    QVERIFY2(report, qPrintable(errorOf(report)));
    QCOMPARE(report->chatsAdded, 3);
    for (const ChatRecord& chat : to.store->chats().value()) {
      const QString read = to.store->messages(chat.id).value().value(0).text();
      QCOMPARE(read.size(), 700'004);
      QVERIFY(read.endsWith("\nend"));
    }
  }

  /// Chats that are removed while it is written are in it.
  void export_isOfOneState() {
    Place from;
    for (const RecordId id : {10, 20}) {
      QVERIFY(from.store->createChat(
          {.chat = samples::chat(id, id + 1), .messages = {samples::question(id + 1, id)}}));
    }
    bool isRemoved = false;
    const auto removeAll = [&](qint64 done, qint64) {
      if (done == 0) isRemoved = from.store->removeChat(10) && from.store->removeChat(20);
      return true;
    };
    const QString path = from.path() + "/export.md";
    QVERIFY(exportMarkdown(from.path(), {}, path, removeAll));
    QVERIFY(isRemoved);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("Question 11"));
    QVERIFY(text.contains("Question 21"));
  }

  void import_thatIsCancelled_leavesWholeChats() {
    Place to;
    const QString file = to.path() + "/export.md";
    QString text;
    for (int i = 0; i < 100; ++i) text += kHead + QString::number(i) + '\n';
    QVERIFY(writeFile(file, text.toUtf8()));
    IdSource ids(1000);
    QVERIFY(!importMarkdown(to.path(), file, ids, [](qint64, qint64) { return false; }));
    QCOMPARE(to.store->chats().value().size(), 0);
    const auto untilTheFirst = [&](qint64 done, qint64 total) {
      return done <= total && to.store->chats().value().isEmpty();
    };
    QVERIFY(!importMarkdown(to.path(), file, ids, untilTheFirst));
    QCOMPARE(to.store->chats().value().size(), 1);
  }

 private:
  static bool writeFile(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
  }
};

QTEST_GUILESS_MAIN(TestTransferMarkdown)
#include "tst_transfer_markdown.moc"
