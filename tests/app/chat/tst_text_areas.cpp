#include "app/chat/text_areas.h"

#include <QAbstractTextDocumentLayout>
#include <QGlyphRun>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>

using namespace quire;

/// Where parts of a text are, also where words run in both directions.
class TextAreasTest : public QObject {
  Q_OBJECT

 private slots:
  void rectsOf_lieOverTheGlyphs_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("word");
    QTest::newRow("English") << "some words and a needle here"
                             << "needle";
    QTest::newRow("Arabic") << QStringLiteral("هذه جملة عربية فيها كلمة واحدة")
                            << QStringLiteral("عربية");
    QTest::newRow("English in Arabic") << QStringLiteral("تعلم HTML في المدرسة") << "HTML";
    QTest::newRow("English ends an Arabic text") << QStringLiteral("تعلم لغة HTML") << "HTML";
    QTest::newRow("Hebrew in English")
        << QStringLiteral("The word שלום means peace") << QStringLiteral("שלום");
    QTest::newRow("number in Hebrew") << QStringLiteral("יש כאן 1234 מילים") << "1234";
  }
  void rectsOf_lieOverTheGlyphs() {
    QFETCH(QString, text);
    QFETCH(QString, word);
    QTextDocument document;
    lay(document, text);
    const auto begin = static_cast<int>(text.indexOf(word));
    const QList<QRectF> rects = rectsOf(document, begin, word.size());
    QCOMPARE(rects.size(), 1);
    const QRectF glyphs = glyphsOf(document, begin, static_cast<int>(word.size()));
    QVERIFY2(std::abs(rects[0].left() - glyphs.left()) < 4 &&
                 std::abs(rects[0].right() - glyphs.right()) < 4,
             qPrintable(QString("%1-%2 %3-%4")
                            .arg(rects[0].left())
                            .arg(rects[0].right())
                            .arg(glyphs.left())
                            .arg(glyphs.right())));
  }

  /// What is found over the border of two directions is in two places.
  void rectsOf_areTwo_whereTheDirectionChanges() {
    const QString text = QStringLiteral("one two שלום עולם three");
    QTextDocument document;
    lay(document, text);
    const auto begin = static_cast<int>(text.indexOf(u'ש')) - 4;  // "two " and the first word.
    QCOMPARE(rectsOf(document, begin, 8).size(), 2);
    QCOMPARE(rectsOf(document, begin, 4).size(), 1);
  }

  /// The lines in view are whole lines: the last letter need not be at the end of its line.
  void positionsIn_coverTheLine() {
    const QString text = QStringLiteral("תעלם שפה HTML");
    QTextDocument document;
    lay(document, text);
    QQuickItem item;
    item.setSize({400, 40});
    const auto [first, last] = positionsIn(&item, document, &item, {0, 0, 400, 10});
    QCOMPARE(first, 0);
    QVERIFY(last >= text.size());
  }

 private:
  static void lay(QTextDocument& document, const QString& text) {
    document.setTextWidth(400);
    document.setPlainText(text);
    document.documentLayout()->documentSize();
  }
  static QRectF glyphsOf(const QTextDocument& document, int begin, int length) {
    const QTextBlock block = document.firstBlock();
    const QTextLine line = block.layout()->lineForTextPosition(begin);
    QRectF all;
    for (const QGlyphRun& run : line.glyphRuns(begin, length)) all |= run.boundingRect();
    return all.translated(block.layout()->position());
  }
};

QTEST_MAIN(TextAreasTest)
#include "tst_text_areas.moc"
