#include "app/richtext/message_blocks.h"

#include <QTest>

using namespace quire;

namespace {

/// A beginning of what stands for a formula within BlockReader's work.
QString placeholders(int count) {
  return QString(QString(QChar(0xFDD0)) + QChar(0xE000)).repeated(count);
}

}  // namespace

/// How much markup texts become that were written to become a lot.
class MarkupSizeTest : public QObject {
  Q_OBJECT

 private slots:
  void markup_growsWithItsText_data() {
    QTest::addColumn<QString>("text");
    const QString labels = QString("[a]").repeated(900);
    QTest::newRow("labels in an item") << "- x\n\n  [a]: http://e.com/" + QString(2900, u'a') +
                                              "\n\n" + ("  " + labels + "\n").repeated(7);
    QTest::newRow("labels in paragraphs")
        << "[a]: http://e.com/" + QString(400, u'a') + "\n\n" + (labels + "\n\n").repeated(10);
    QTest::newRow("target that is escaped")
        << "[a]: http://e.com/?" + QString(400, u'&') + "\n\n" + (labels + "\n\n").repeated(10);
    QTest::newRow("target with a formula") << "- x\n\n  [a]: http://e.com/$$" +
                                                  QString(2800, u'x') + "$$\n\n" +
                                                  ("  " + labels + "\n").repeated(7);
    QTest::newRow("placeholders") << "- $$" + QString(2900, u'x') + "$$\n" +
                                         ("  `" + placeholders(1400) + "`\n").repeated(7);
  }
  void markup_growsWithItsText() {
    QFETCH(QString, text);
    qsizetype size = 0;
    MessageBlocks blocks;
    blocks.append(text);
    blocks.finish();
    for (const MarkdownBlock& block : blocks.blocks()) {
      size += block.markup.size() + block.text.size();
      for (const QString& cell : block.cells) size += cell.size();
    }
    QVERIFY2(size <= 40 * text.size() + 65'536, qPrintable(QString::number(size)));
  }
};

QTEST_APPLESS_MAIN(MarkupSizeTest)
#include "tst_markup_size.moc"
