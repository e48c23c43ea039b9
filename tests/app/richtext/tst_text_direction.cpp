#include "app/richtext/text_direction.h"

#include <QGuiApplication>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickTextDocument>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>

#include <memory>

#include "app/richtext/code_text.h"
#include "app/richtext/markdown_block.h"
#include "app/richtext/markup_text.h"
#include "app/richtext/paragraph_direction.h"

using namespace quire;

namespace {

const QString kArabic = QStringLiteral("هذه جملة");
const QString kHebrew = QStringLiteral("שלום");

}  // namespace

/// In which direction texts, their paragraphs and the blocks of an answer are read.
class TextDirectionTest : public QObject {
  Q_OBJECT

 private slots:
  void text_hasTheDirectionOfItsFirstLetter_data() {
    QTest::addColumn<QString>("markup");
    QTest::addColumn<TextDirection>("wanted");
    const auto none = TextDirection::None;
    const auto left = TextDirection::LeftToRight;
    const auto right = TextDirection::RightToLeft;
    QTest::newRow("nothing") << "" << none;
    QTest::newRow("numbers") << "12, 34!" << none;
    QTest::newRow("English") << "1. word" << left;
    QTest::newRow("Arabic") << "1. " + kArabic << right;
    QTest::newRow("Hebrew, then English") << kHebrew + " word" << right;
    QTest::newRow("English, then Hebrew") << "word " + kHebrew << left;
    QTest::newRow("a letter beyond 16 bits") << QString::fromUcs4(U"\U0001e900") << right;
    QTest::newRow("tags have no letters") << "<b>" + kHebrew + "</b> word" << right;
    QTest::newRow("escaped signs") << "&lt;" + kHebrew << right;
    QTest::newRow("code first") << "<code>sqrt</code> " + kArabic << right;
    QTest::newRow("code alone") << "<code>sqrt</code>" << left;
    QTest::newRow("a formula first") << "<math>$x$</math> " + kArabic << right;
    QTest::newRow("a formula alone") << "<math>$x$</math>" << none;
    QTest::newRow("a link") << "<a href=\"https://example.com\">" + kArabic + "</a>" << right;
  }
  void text_hasTheDirectionOfItsFirstLetter() {
    QFETCH(QString, markup);
    QFETCH(TextDirection, wanted);
    QCOMPARE(directionOfMarkup(markup), wanted);
    if (!markup.contains(u'<') && !markup.contains(u'&')) QCOMPARE(directionOf(markup), wanted);
  }

  void blocks_ofOneList_haveOneDirection() {
    QCOMPARE(directionsOf("- " + kArabic + "\n- HTML\n\nEnglish\n\n- HTML\n- " + kArabic),
             QStringLiteral("RRLLL"));
    QCOMPARE(directionsOf("> " + kArabic + "\n>\n> HTML"), QStringLiteral("RR"));
    QCOMPARE(directionsOf("| " + kArabic + " | b |\n|---|---|\n| HTML | d |"),
             QStringLiteral("RR"));
  }

  void blocks_withoutLetters_followTheOneBefore() {
    QCOMPARE(directionsOf("42"), QStringLiteral("N"));
    QCOMPARE(directionsOf(kArabic + "\n\n```\ncode\n```\n\n$$\nx\n$$\n\n42"),
             QStringLiteral("RRRR"));
    QCOMPARE(directionsOf(kArabic + "\n\nEnglish"), QStringLiteral("RL"));
  }

  void withoutLetters_theWindowDecides() {
    QVERIFY(!readsRightToLeft(TextDirection::None));
    QGuiApplication::setLayoutDirection(Qt::RightToLeft);
    QVERIFY(readsRightToLeft(TextDirection::None));
    QVERIFY(!readsRightToLeft(TextDirection::LeftToRight));
    QGuiApplication::setLayoutDirection(Qt::LeftToRight);
    QVERIFY(readsRightToLeft(TextDirection::RightToLeft));
  }

  void markup_givesEachLineItsDirection() {
    MarkupText markup;
    QTextDocument* document = show(markup, "one<br/>" + kArabic + "<br/>12<br/>two");
    QCOMPARE(document->blockCount(), 4);
    QCOMPARE(sidesOf(*document), QStringLiteral("lrrl"));
    QVERIFY(!markup.endsRightToLeft());
    markup.setMarkup("one<br/>" + kArabic);  // Streaming adds, and takes away.
    QCOMPARE(sidesOf(*document), QStringLiteral("lr"));
    QVERIFY(markup.endsRightToLeft());
    markup.setMarkup("one");
    QCOMPARE(sidesOf(*document), QStringLiteral("l"));
  }

  void markup_thatAlignsTogether_standsAtOneSide() {
    MarkupText markup;
    markup.setProperty("isRightToLeft", true);
    markup.setProperty("alignsTogether", true);
    QTextDocument* document = show(markup, "HTML");
    QCOMPARE(document->firstBlock().textDirection(), Qt::LeftToRight);
    QVERIFY(document->firstBlock().blockFormat().alignment() & Qt::AlignRight);
  }

  void code_runsFromLeftToRight() {
    CodeText code;
    QQuickTextDocument* document = makeDocument();
    code.setDocument(document);
    code.setCode("# " + kArabic + "\nx = 1\n# " + kHebrew);
    QCOMPARE(sidesOf(*document->textDocument()), QStringLiteral("lll"));
  }

  void typedParagraphs_haveTheirOwnDirection() {
    QTextDocument* document = makeDocument()->textDocument();
    ParagraphDirection direction;
    direction.setField(m_view.get());
    m_view->setProperty("text", "one\n" + kArabic + "\ntwo");
    QCOMPARE(document->findBlockByNumber(0).textDirection(), Qt::LeftToRight);
    QCOMPARE(document->findBlockByNumber(1).textDirection(), Qt::RightToLeft);
    QCOMPARE(document->findBlockByNumber(2).textDirection(), Qt::LeftToRight);
    m_view->setProperty("text", kArabic + "\ntwo");
    QCOMPARE(document->findBlockByNumber(0).textDirection(), Qt::RightToLeft);
    QCOMPARE(document->findBlockByNumber(1).textDirection(), Qt::LeftToRight);
  }

 private:
  QQuickTextDocument* makeDocument() {
    QQmlComponent component(&m_engine);
    component.setData("import QtQuick\nTextEdit { width: 400; wrapMode: TextEdit.Wrap }", QUrl());
    m_view.reset(qobject_cast<QQuickItem*>(component.create()));
    return m_view->property("textDocument").value<QQuickTextDocument*>();
  }
  QTextDocument* show(MarkupText& markup, const QString& text) {
    markup.setMarkup(text);
    markup.setDocument(makeDocument());
    return markup.textDocument();
  }
  /// "l" or "r" for each paragraph; "?" where its side is not that of its direction.
  static QString sidesOf(const QTextDocument& document) {
    QString sides;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
      const bool isRight = block.textDirection() == Qt::RightToLeft;
      const Qt::Alignment alignment = block.blockFormat().alignment();
      const bool isAtRight =
          (alignment & Qt::AlignAbsolute) ? bool(alignment & Qt::AlignRight) : isRight;
      sides += isAtRight != isRight ? u'?' : isRight ? u'r' : u'l';
    }
    return sides;
  }
  static QString directionsOf(const QString& markdown) {
    const QList<MarkdownBlock> blocks = parseMarkdown(markdown);
    QString directions;
    TextDirection previous = TextDirection::None;
    for (qsizetype i = 0; i < blocks.size(); ++i) {
      previous = directionOfBlock(blocks[i], i > 0 ? &blocks[i - 1] : nullptr, previous);
      directions += QStringLiteral("NLR")[static_cast<int>(previous)];
    }
    return directions;
  }

  QQmlEngine m_engine;
  std::unique_ptr<QQuickItem> m_view;
};

QTEST_MAIN(TextDirectionTest)
#include "tst_text_direction.moc"
