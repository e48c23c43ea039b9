#include "app/documents/attachment_list.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/chat/conversation.h"
#include "app/documents/attachment_file.h"
#include "app/documents/attachment_reader.h"
#include "tests/support/fake_backend.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

AttachmentRecord record(const QString& name, const QString& text) {
  AttachmentRecord file;
  file.name = name;
  file.text = text;
  file.bytes = text.size();
  return file;
}

ModelState serving(const QString& path, int contextLength) {
  ModelState model;
  model.path = path;
  model.state = ModelState::State::kReady;
  model.primary = true;
  model.serving = true;
  model.contextLength = contextLength;
  return model;
}

/// A backend that records questions and never replies on its own.
class SilentBackend : public FakeBackend {
 public:
  PendingReply forecast(const ChatRequest&, Reply<ContextForecast> reply) override {
    replies.append(reply);
    return reply.pending();
  }
  QList<Reply<ContextForecast>> replies;
};

}  // namespace

/// The files of a message: reading, counting, limits, and the reader.
class AttachmentListTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_files = std::make_unique<AttachmentList>(*m_backend, *m_backend);
    m_tester = std::make_unique<QAbstractItemModelTester>(
        m_files.get(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  }
  void cleanup() {
    m_tester.reset();
    m_files.reset();
  }

  void file_isReadAndCounted() {
    m_backend->foretold = {.promptTokens = 1240, .contextTokens = 8192};
    m_files->add({put("notes.md", "Words.")});
    QCOMPARE(m_files->count(), 1);
    QVERIFY(m_files->isReading());
    QVERIFY(!m_files->isSendable());
    QTRY_COMPARE(detail(0), QString("≈ 1,240 tokens"));
    QCOMPARE(m_backend->questions[0].turns[0].text, QString("Words."));
    QVERIFY(m_files->isSendable());
    QCOMPARE(m_files->records()[0].tokens, 1240);
  }

  void files_areCountedOneAfterTheOther() {
    m_backend->foretold = {.promptTokens = 10, .contextTokens = 8192};
    m_files->add({put("a.md", "A"), put("b.md", "B")});
    QTRY_COMPARE(detail(1), QString("≈ 10 tokens"));
    QCOMPARE(m_backend->questions.size(), 2);
  }

  void chatsOwnModel_countsAndLimits() {
    m_files->setModel("/models/own");
    m_backend->foretold = {.promptTokens = 600, .contextTokens = 512};
    m_files->add({put("a.md", "A")});
    QTRY_VERIFY(!m_files->isReading());
    QVERIFY(m_backend->questions.isEmpty());  // The model that would count is not loaded.
    m_backend->setModels({serving("/models/own", 512)});
    QTRY_COMPARE(detail(0), QString("≈ 600 tokens, too large (limit 512)"));
    QCOMPARE(m_backend->questions[0].modelPath, QString("/models/own"));
    QVERIFY(!m_files->isSendable());
  }

  void setModel_countsAgain_exceptSentFiles() {
    AttachmentList sent(*m_backend, *m_backend);
    sent.keepCounts();
    m_backend->foretold = {.promptTokens = 10, .contextTokens = 8192};
    m_backend->setModels({serving("/models/a", 8192)});
    m_files->add({put("a.md", "A"), put("b.md", "B")});
    sent.setRecords({record("c.md", "C")});
    m_backend->setState(ModelManager::State::Ready);
    QTRY_COMPARE(detail(1), QString("≈ 10 tokens"));
    QTRY_COMPARE(m_backend->questions.size(), 3);
    QTRY_COMPARE(sent.records()[0].tokens, 10);
    m_backend->foretold = {.promptTokens = 14, .contextTokens = 8192};
    m_backend->setModels({serving("/models/b", 8192)});
    QTRY_COMPARE(detail(0), QString("≈ 14 tokens"));
    QTRY_COMPARE(detail(1), QString("≈ 14 tokens"));
    QCOMPARE(m_backend->questions.size(), 5);
    QCOMPARE(sent.records()[0].tokens, 10);
  }

  void unloadedModel_isNotWaitedFor() {
    SilentBackend silent;
    AttachmentList files(silent, silent);
    files.add({put("a.md", "A")});
    QTRY_COMPARE(silent.replies.size(), 1);
    silent.setState(ModelManager::State::Unloaded);
    silent.setState(ModelManager::State::Ready);
    QCOMPARE(silent.replies.size(), 2);
    silent.replies[0]({.promptTokens = 3, .contextTokens = 8192});
    QCoreApplication::processEvents();
    QCOMPARE(files.records()[0].tokens, 0);  // The count of the previous model is not used.
    silent.replies[1]({});
    QCoreApplication::processEvents();
    QCOMPARE(silent.replies.size(), 2);  // A model that is being unloaded is not asked again.
    silent.setState(ModelManager::State::Ready);
    silent.replies[2]({.promptTokens = 5, .contextTokens = 8192});
    QTRY_COMPARE(files.records()[0].tokens, 5);
  }

  /// An imported message may have thousands.
  void filesBeyondTheLimit_haveNoRow() {
    QList<AttachmentRecord> records;
    for (int i = 0; i < 3000; ++i) records.append(record(QString("%1.md").arg(i), "A"));
    m_files->setRecords(records);
    QCOMPARE(m_files->rowCount(), AttachmentList::kMaxFiles);
    QCOMPARE(m_files->count(), 3000);
    QCOMPARE(m_files->hiddenCount(), 3000 - AttachmentList::kMaxFiles);
    QCOMPARE(m_files->records(), records);
    m_files->remove(0);
    QCOMPARE(m_files->rowCount(), AttachmentList::kMaxFiles);
    QCOMPARE(m_files->hiddenCount(), 2999 - AttachmentList::kMaxFiles);
    QCOMPARE(m_files->find(0)->name, QString("1.md"));
    m_files->setRecords(records.first(AttachmentList::kMaxFiles + 1));
    m_files->remove(3);
    m_files->remove(3);
    QCOMPARE(m_files->rowCount(), AttachmentList::kMaxFiles - 1);
    QCOMPARE(m_files->hiddenCount(), 0);
    QCOMPARE(m_files->records().last().name, records[AttachmentList::kMaxFiles].name);
  }

  void tooLargeFile_isReported_andNotSendable() {
    m_backend->foretold = {.promptTokens = 12400, .contextTokens = 8192, .error = "Too long."};
    m_files->add({put("long.txt", "Many words.")});
    QTRY_COMPARE(detail(0), QString("≈ 12,400 tokens, too large (limit 8,192)"));
    QVERIFY(!m_files->isSendable());
    QVERIFY(!m_files->fits());
    QVERIFY(m_files->note().contains("12,400"));
    m_files->remove(0);
    QVERIFY(m_files->isSendable());
  }

  void hugeText_isEstimatedWithoutTheEngine() {
    m_files->add({put("huge.txt", QByteArray(8192 * 16 + 1, 'a'))});
    QTRY_VERIFY(!m_files->isReading());
    QTRY_VERIFY(detail(0).contains("32,768 tokens, too large"));
    QVERIFY(m_backend->questions.isEmpty());
    QVERIFY(!m_files->isSendable());
  }

  void unreadableFile_preventsSending_untilRemoved() {
    m_files->add({put("x.bin", QByteArray("\0\1", 2))});
    QTRY_VERIFY(detail(0).contains("is not a text file"));
    QCOMPARE(m_files->note(), QString("Remove x.bin, which could not be read."));
    QVERIFY(!m_files->isSendable());
    QVERIFY(m_files->records().isEmpty());
  }

  void moreThanTwenty_areRefused() {
    QList<QUrl> urls;
    for (int i = 0; i < 22; ++i) urls.append(put(QString("%1.txt").arg(i), "a"));
    m_files->add(urls);
    QCOMPARE(m_files->count(), 20);
    QCOMPARE(m_files->note(), QString("You can attach up to 20 files to a message."));
    QTRY_VERIFY(m_files->isSendable());
  }

  void accepts_decidesByName() {
    QVERIFY(AttachmentList::accepts({QUrl("file:///a.pdf"), QUrl("file:///b")}));
    QVERIFY(!AttachmentList::accepts({QUrl("https://example.org/a.pdf")}));
    QVERIFY(!AttachmentList::accepts({QUrl("file:///a.txt"), QUrl("file:///m.GGUF")}));
    QVERIFY(!AttachmentList::accepts({}));
  }

  void prompt_putsFilesBeforeTheMessage() {
    QCOMPARE(attachmentPrompt({}, "Hello"), QString("Hello"));
    QCOMPARE(attachmentPrompt({record("a\nb.CSV", "x,y")}, "Sum?"),
             QString("File: a b.CSV\n```csv\nx,y\n```\n\nSum?"));
    QCOMPARE(attachmentPrompt({record("README", "````\nin\n````\n")}, "?"),
             QString("File: README\n`````\n````\nin\n````\n`````\n\n?"));
  }

  void turns_includeTheFilesOfEachMessage() {
    MessageRecord message;
    message.id = 1;
    message.setText("Sum?");
    message.setAttachments({record("a.csv", "1,2")});
    Conversation conversation({message}, 1);
    QCOMPARE(conversation.turns({}, 1)[0].text, QString("File: a.csv\n```csv\n1,2\n```\n\nSum?"));
    conversation.removeLeaf(1);
    QVERIFY(conversation.attachments(1).isEmpty());
  }

  void reader_hasTheWholeTextInPieces() {
    QString text;
    for (int line = 0; line < 1000; ++line) text += QString("Line %1\n").arg(line);
    m_files->setRecords({record("a.txt", text)});
    AttachmentReader reader;
    reader.open(m_files.get(), 0);
    QVERIFY(reader.isOpen());
    QCOMPARE(reader.rowCount(), 25);
    QStringList pieces;
    for (int row = 0; row < reader.rowCount(); ++row)
      pieces.append(reader.index(row).data(AttachmentReader::kText).toString());
    QCOMPARE(pieces.join(u'\n') + u'\n', text);
    reader.close();
    QVERIFY(!reader.isOpen());
    reader.open(m_files.get(), 5);
    QVERIFY(!reader.isOpen());
  }

  void pieces_haveSoManyLinesAndCharacters() {
    QCOMPARE(pieceEnd("ab\ncd\nef", 0, 2, 100), 6);
    QCOMPARE(pieceEnd("ab\ncd\nef", 6, 2, 100), 8);
    QCOMPARE(pieceEnd("ab\ncd\nef", 0, 9, 6), 6);  // The third line does not fit.
    QCOMPARE(pieceEnd("ab\ncd\nef", 0, 9, 5), 3);  // Nor does the end of the second.
    QCOMPARE(pieceEnd("abcdef\n", 0, 9, 6), 6);
    QCOMPARE(pieceEnd("abcdef", 0, 9, 6), 6);
    QCOMPARE(pieceEnd(QString::fromUtf8("abc😀"), 0, 9, 4), 3);
    QCOMPARE(pieceEnd(QString(), 0, 9, 4), 0);
  }

  /// Each piece looks no farther than its end.
  void oneLongLine_isCutInTime() {
    const QString text(32'000'000, u'x');
    const double before = test::thread_ms();
    int pieces = 0;
    for (qsizetype at = 0; at < text.size(); ++pieces) at = pieceEnd(text, at, 40, 4000);
    const double ms = test::thread_ms() - before;
    QCOMPARE(pieces, 8000);
    QVERIFY2(ms < 2000 * test::kSanitizerFactor, qPrintable(QString::number(ms)));
  }

  void table_hasItsFirstRowsInColumns() {
    QCOMPARE(tablePreview("name,n\n\"Smith, A\",1\n\"say \"\"so\"\"\",22\n"),
             QString("name      n\nSmith, A  1\nsay \"so\"  22"));
    QCOMPARE(tablePreview("a;b\n1;2"), QString("a  b\n1  2"));
    QCOMPARE(tablePreview("a\nb\nc\n", 2), QString("a\nb"));
    // Hangul takes two columns, as it does where the preview is shown.
    QCOMPARE(tablePreview("이름,n\nLee,1\n"), QString("이름  n\nLee   1"));
    QCOMPARE(tablePreview(QString(13, u'가')), QString(11, u'가') + u'…');
    QVERIFY(tablePreview("\"open\n" + QString(100000, u'x')).size() < 200);
  }

 private:
  QUrl put(const QString& name, const QByteArray& bytes) {
    QFile file(m_folder->filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("No disk.");
    return QUrl::fromLocalFile(file.fileName());
  }
  QString detail(int row) { return m_files->index(row).data(AttachmentList::kDetail).toString(); }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<AttachmentList> m_files;
  std::unique_ptr<QAbstractItemModelTester> m_tester;
};

QTEST_GUILESS_MAIN(AttachmentListTest)
#include "tst_attachment_list.moc"
