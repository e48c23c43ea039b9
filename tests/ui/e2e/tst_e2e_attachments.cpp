#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

#include "tests/support/sample_pdf.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

/// Files that are dropped onto the chats, as far as the tokens that the engine computes.
class AttachmentsTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void droppedFile_saysItsTokens_andTheEngineReadsItsText_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("text") << "notes.txt" << QByteArray("The harbour opens when the tide is high.");
    QTest::newRow("Markdown") << "notes.md"
                              << QByteArray("# Harbour\n\nThe harbour opens **late**.\n");
    QTest::newRow("code") << "open.py" << QByteArray("def harbour():\n    return 'open'\n");
    QTest::newRow("table") << "ships.csv" << QByteArray("harbour,ships\nnorth,2\nsouth,5\n");
    QTest::newRow("PDF") << "harbour.pdf" << pdfWith("The harbour is quiet");
  }

  void droppedFile_saysItsTokens_andTheEngineReadsItsText() {
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    if (name.endsWith(".pdf") && QStandardPaths::findExecutable("pdftotext").isEmpty())
      QSKIP("pdftotext (poppler-utils) is not installed.");
    QVERIFY(hands().drop({put(name, bytes)}));
    QTRY_VERIFY(hands().sees(name + ", ≈ "));
    QVERIFY(hands().sees(" tokens"));
    QVERIFY(hands().say("What is in it?"));
    QTRY_VERIFY(!m_real->chat().isEmpty());
    const MessageRecord answer = m_real->waitForAnswer();
    QVERIFY2(answer.error.isEmpty(), qPrintable(answer.error));
    QTRY_VERIFY(hands().sees(name));  // In the bubble.
    const QString read = blockTexts();
    QVERIFY2(read.contains("File: " + name) && read.contains("arbour"), qPrintable(read));
    QVERIFY(hands().click("attachmentChip"));
    QTRY_VERIFY(hands().find("attachmentText"));
    QTRY_VERIFY(hands().sees("arbour"));
    hands().press(Qt::Key_Escape);
    QTRY_VERIFY(!hands().find("attachmentText"));
  }

  void fileOfTheDialog_standsAtTheMessage() {
    put("ships.txt", "Two ships lie in the harbour.");
    QDir::setCurrent(m_files->path());  // Where the dialog opens.
    QVERIFY(hands().click("attachButton"));
    QVERIFY(hands().click("fileDialogDelegate0"));
    QVERIFY(hands().click("Open"));
    QDir::setCurrent(QDir::rootPath());
    QTRY_VERIFY(hands().sees("ships.txt, ≈ "));
  }

  void tooLarge_isSaidBeforeSending_andTakingItOutLetsItGo() {
    QString large;
    for (int line = 0; line < 900; ++line)
      large +=
          QStringLiteral("Line %1 of a file that is far too long for a small model.\n").arg(line);
    QVERIFY(hands().drop({put("small.txt", "A few words."), put("large.txt", large.toUtf8())}));
    QTRY_VERIFY_WITH_TIMEOUT(hands().sees("too large (limit"), kEngineMs);
    QTRY_VERIFY(hands().sees("The files have ≈ "));
    QVERIFY(hands().say("Sum it up"));
    QTest::qWait(200);
    QVERIFY(m_real->chat().isEmpty());
    QCOMPARE(m_real->chat().composer()->draft(), "Sum it up");
    QVERIFY(hands().click("Remove large.txt"));
    QTRY_VERIFY(!hands().sees("too large (limit"));
    QTRY_VERIFY(m_real->app().composer()->canSend());
    QVERIFY(hands().click("composerText"));
    hands().press(Qt::Key_Return);
    QTRY_VERIFY(!m_real->chat().isEmpty());
    QVERIFY(m_real->waitForAnswer().error.isEmpty());
    QVERIFY(blockTexts().contains("A few words."));
  }

  void hostileFile_isRefusedInASentence_andCanBeTakenOut_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<qint64>("size");
    QTest::addColumn<QString>("words");
    const QByteArray binary = QByteArray(4000, '\0') + QByteArray(100, '\x7f');
    QTest::newRow("binary") << "a.txt" << binary << qint64(0) << "a.txt is not a text file";
    QTest::newRow("huge") << "huge.txt" << QByteArray("x") << (qint64(200) << 20) << "is too large";
    QTest::newRow("missing") << "gone.txt" << QByteArray() << qint64(-1) << "was not found";
    QTest::newRow("broken PDF") << "broken.pdf" << QByteArray("%PDF-1.4\nnothing") << qint64(0)
                                << "is damaged";
  }

  void hostileFile_isRefusedInASentence_andCanBeTakenOut() {
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    QFETCH(qint64, size);
    QFETCH(QString, words);
    if (name.endsWith(".pdf") && QStandardPaths::findExecutable("pdftotext").isEmpty())
      QSKIP("pdftotext (poppler-utils) is not installed.");
    const QString path = put(name, bytes);
    if (size > 0) QVERIFY(QFile(path).resize(size));  // Takes no room on the disk.
    if (size < 0) QVERIFY(QFile::remove(path));
    QVERIFY(hands().drop({path}));
    QTRY_VERIFY(hands().sees(words));
    QVERIFY(hands().say("What is in it?"));
    QTest::qWait(100);
    QVERIFY(m_real->chat().isEmpty());
    QVERIFY(hands().click("Remove " + name));
    QTRY_VERIFY(!hands().sees(words));
    QTRY_VERIFY(m_real->app().composer()->canSend());
  }

 private:
  Hands& hands() { return m_real->hands(); }

  QString put(const QString& name, const QByteArray& bytes) {
    QFile file(m_files->filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("No disk.");
    return file.fileName();
  }

  /// What stands in the first blocks of the engine's cache: the prompts as they were computed.
  QString blockTexts() {
    constexpr int kBlocks = 24;
    QString text;
    int numRead = 0;
    QObject receiver;
    const auto add = [&](const BlockReading& reading) {
      text += reading.text;
      ++numRead;
    };
    for (int block = 0; block < kBlocks; ++block) {
      m_real->engine().inspector().readBlock(block, {&receiver, add});
    }
    return QTest::qWaitFor([&] { return numRead == kBlocks; }, kEngineMs) ? text : QString();
  }

  void prepare() override {
    m_files = std::make_unique<QTemporaryDir>();
    m_real = std::make_unique<RealApplication>();
  }
  void tidyUp() override { m_real.reset(); }

  std::unique_ptr<QTemporaryDir> m_files;
  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(AttachmentsTest)
#include "tst_e2e_attachments.moc"
