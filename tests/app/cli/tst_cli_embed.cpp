#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/app/cli/cli_process.h"

using namespace quire;

/// quire-cli embed with files of lines: many, long, empty, of bytes.
class TestCliEmbed : public QObject {
  Q_OBJECT

 private:
  QString write(const QByteArray& content) const {
    QFile file(m_folder.filePath("lines.txt"));
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
    file.write(content);
    return file.fileName();
  }
  static CliResult embed(const QStringList& more) {
    const QString model = QStringLiteral(QUIRE_SOURCE_DIR "/resources/models/quire-mini-draft");
    return runCli(QStringList{"embed", "--model", model, "--device", "cpu"} + more);
  }
  static QJsonArray vectorsOf(const CliResult& result) {
    return QJsonDocument::fromJson(result.out).object()["embeddings"].toArray();
  }

  QTemporaryDir m_folder;

 private slots:
  /// More texts than are computed at once, in the same form and order as few.
  void manyLines_areOneDocument() {
    constexpr int kLines = 2'500;
    QByteArray content;
    for (int i = 0; i < kLines; ++i) content += "line " + QByteArray::number(i) + "\r\n\n";
    const CliResult result = embed({"--file", write(content)});
    QVERIFY2(result.code == 0, result.err);
    QCOMPARE(result.out.count('\n'), 1);
    const QJsonArray all = vectorsOf(result);
    QCOMPARE(all.size(), kLines);
    for (int i = 0; i < kLines; ++i) QCOMPARE(all[i].toObject()["index"].toInt(), i);
    const QJsonArray some = vectorsOf(embed({"line 0", "line 1024", "line 2499"}));
    QCOMPARE(some.size(), 3);
    const int places[] = {0, 1024, 2499};
    for (int i = 0; i < 3; ++i) {
      QCOMPARE(all[places[i]].toObject()["embedding"], some[i].toObject()["embedding"]);
      QCOMPARE(all[places[i]].toObject()["tokens"], some[i].toObject()["tokens"]);
    }
  }

  void badLines_areNamed_andNothingIsWritten() {
    const QString file = write("one\n\ntwo\n" + QByteArray("word ").repeated(50'000) + "\nthree\n");
    const CliResult longLine = embed({"--file", file});
    QCOMPARE(longLine.code, 1);
    QVERIFY2(longLine.err.contains("lines.txt, line 4, has "), longLine.err);
    QCOMPARE(longLine.out, QByteArray());
    const CliResult longText = embed({"a", QString("word ").repeated(20'000)});
    QVERIFY2(longText.err.contains("text 2 has "), longText.err);
    QCOMPARE(longText.out, QByteArray());
    const CliResult empty = embed({"--file", write("\r\n\n")});
    QCOMPARE(empty.code, 1);
    QVERIFY2(empty.err.contains("holds no text"), empty.err);
  }

  /// Bytes that are no text are encoded as any others.
  void lines_mayHoldAnyBytes() {
    const CliResult result = embed({"--file", write(QByteArray("\xff\xfe\0a\n\x1b[2J\n", 10))});
    QVERIFY2(result.code == 0, result.err);
    QCOMPARE(vectorsOf(result).size(), 2);
  }
};

QTEST_GUILESS_MAIN(TestCliEmbed)
#include "tst_cli_embed.moc"
