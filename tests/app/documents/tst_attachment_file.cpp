#include "app/documents/attachment_file.h"

#include <QElapsedTimer>
#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <thread>

#include "tests/support/sample_pdf.h"

using namespace quire;

/// Reading attached files, and the errors of unreadable ones.
class AttachmentFileTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { m_path = qgetenv("PATH"); }
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void cleanup() { qputenv("PATH", m_path); }

  void decode_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    const QString words = QStringLiteral("값, 12 €");
    QTest::newRow("UTF-8") << words.toUtf8() << words;
    QTest::newRow("UTF-8 with a mark") << "\xEF\xBB\xBF" + words.toUtf8() << words;
    QTest::newRow("UTF-16, small end first")
        << QByteArray("\xFF\xFE\x12\x04\x41\x00", 6) << QStringLiteral("ВA");
    QTest::newRow("UTF-16, big end first")
        << QByteArray("\xFE\xFF\x04\x12\x00\x41", 6) << QStringLiteral("ВA");
    QTest::newRow("Latin") << QByteArray("caf\xE9") << QStringLiteral("café");
    QTest::newRow("lines of Windows") << QByteArray("a\r\nb") << QStringLiteral("a\nb");
    QTest::newRow("a null") << QByteArray("a\0b", 3) << QString();
    QTest::newRow("controls") << QByteArray("\xE9\x01\x02") << QString();
    QTest::newRow("UTF-16 with a null") << QByteArray("\xFF\xFE\x41\x00\x00\x00", 6) << QString();
  }
  void decode() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, text);
    QCOMPARE(AttachmentFile::decode(bytes).value_or(QString()), text);
  }

  void read_returnsNameSizeAndType() {
    const auto file = AttachmentFile::read(put("표.csv", "a,b\n1,2\n"), m_cancelled);
    QVERIFY(file);
    QCOMPARE(file->name, QString("표.csv"));
    QCOMPARE(file->bytes, 8);
    QCOMPARE(file->mediaType, QString("text/csv"));
    QCOMPARE(file->text, QString("a,b\n1,2\n"));
  }

  void read_nonText_isRefusedWithASentence() {
    QVERIFY(refusal(put("x.bin", QByteArray("\0\1\2\3", 4))).contains("x.bin is not a text file"));
    QVERIFY(refusal(put("e.txt", " \n")).contains("is empty"));
    QVERIFY(refusal(m_folder->path()).contains("is a folder"));
    const QString pipe = m_folder->filePath("p.txt");
    QCOMPARE(::mkfifo(qPrintable(pipe), 0600), 0);
    QVERIFY(refusal(pipe).contains("p.txt is a pipe or a device"));
    QVERIFY(QFile::link("/dev/zero", m_folder->filePath("z.txt")));
    QVERIFY(refusal(m_folder->filePath("z.txt")).contains("z.txt is a pipe or a device"));
    QVERIFY(refusal(m_folder->filePath("none.txt")).contains("was not found"));
    QFile large(m_folder->filePath("large.txt"));
    QVERIFY(large.open(QIODevice::WriteOnly) && large.resize(AttachmentFile::kMaxTextBytes + 1));
    QVERIFY(refusal(large.fileName()).contains("is too large"));
  }

  void read_pdf_usesPoppler() {
    if (QStandardPaths::findExecutable("pdftotext").isEmpty())
      QSKIP("pdftotext (poppler-utils) is not installed");
    const auto file = AttachmentFile::read(put("one.pdf", pdfWith("Quiet paper")), m_cancelled);
    QVERIFY2(file, file ? "" : file.error().message.c_str());
    QCOMPARE(file->text, QString("Quiet paper"));
    QCOMPARE(file->mediaType, QString("application/pdf"));
    QVERIFY(refusal(put("scan.pdf", pdfWith(""))).contains("scan without text"));
    QVERIFY(refusal(put("broken.pdf", "%PDF-1.4\nnothing")).contains("is damaged"));
  }

  void read_unreadablePdf_reportsWhy() {
    const QString pdf = put("a.pdf", pdfWith("x"));
    pretend("i=0; while [ $i -lt 501 ]; do printf 'a\\f'; i=$((i + 1)); done");
    QVERIFY(refusal(pdf).contains("more than 500 pages"));
    pretend("echo 'Command Line Error: Incorrect password' >&2; exit 1");
    QVERIFY(refusal(pdf).contains("password-protected"));
    pretend("exec yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    QVERIFY(refusal(pdf).contains("more than 8 MB"));
    qputenv("PATH", m_folder->path().toUtf8() + "/nowhere");
    QVERIFY(refusal(pdf).contains("Install the package poppler-utils"));
  }

  /// What a PDF that takes pdftotext over can do.
  void read_hostilePdf_changesNothing_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::newRow("writes") << QByteArray("echo x > \"$0.made\" && echo done");
    QTest::newRow("creates") << QByteArray(": >> \"$0.made\" && echo done");
    QTest::newRow("starts another") << QByteArray("true & echo done");
    QTest::newRow("deletes") << QByteArray("exec rm \"$0.kept\"");
    QTest::newRow("connects") << QByteArray(
        "exec /usr/bin/python3 -c 'import socket; socket.socket(); print(\"done\")'");
    QTest::newRow("reads other files") << QByteArray("read word < \"$0.kept\" && echo done $word");
  }

  void read_hostilePdf_changesNothing() {
    QFETCH(QByteArray, script);
    const QString pdf = put("a.pdf", pdfWith("x"));
    const QString kept = put("pdftotext.kept", "secret\n");
    pretend(script);
    const auto file = AttachmentFile::read(pdf, m_cancelled);
    QVERIFY2(!file, file ? qPrintable(file->text) : "");
    QVERIFY(QFile::exists(kept));
    QVERIFY(!QFile::exists(m_folder->filePath("pdftotext.made")));
  }

  void read_slowPdf_timesOut() {
    const QString pdf = put("a.pdf", pdfWith("x"));
    pretend("exec sleep 30");
    const auto slow = PdfText::read(pdf, m_cancelled, 200);
    QVERIFY(!slow);
    QVERIFY(QString::fromStdString(slow.error().message).contains("too long"));
  }

  /// A small file gets one second of the processor, however long it may wait.
  void read_smallPdfThatComputesForever_isStopped() {
    const QString pdf = put("a.pdf", pdfWith("x"));
    pretend("while :; do :; done");
    const auto busy = PdfText::read(pdf, m_cancelled, 60'000);
    QVERIFY(!busy);
    QVERIFY(QString::fromStdString(busy.error().message).contains("too long"));
  }

  void read_cancelledPdf_returnsAtOnce() {
    const QString pdf = put("a.pdf", pdfWith("x"));
    pretend("exec sleep 30");
    std::atomic<bool> cancelled = false;
    QElapsedTimer clock;
    clock.start();
    std::thread other([&] { cancelled = true; });
    const auto file = AttachmentFile::read(pdf, cancelled);
    other.join();
    QVERIFY(!file);
    QCOMPARE(file.error().code, ErrorCode::kCancelled);
    QVERIFY(clock.elapsed() < 5000);
  }

 private:
  QString put(const QString& name, const QByteArray& bytes) {
    QFile file(m_folder->filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("No disk.");
    return file.fileName();
  }
  /// Puts a pdftotext that runs this script on the PATH.
  void pretend(const QByteArray& script) {
    const QString program = put("pdftotext", "#!/bin/sh\n" + script + "\n");
    QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("PATH", m_folder->path().toUtf8() + ":" + m_path);
  }
  QString refusal(const QString& path) {
    const auto file = AttachmentFile::read(path, m_cancelled);
    return file ? QString() : QString::fromStdString(file.error().message);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  QByteArray m_path;
  const std::atomic<bool> m_cancelled = false;
};

QTEST_GUILESS_MAIN(AttachmentFileTest)
#include "tst_attachment_file.moc"
