#include "app/richtext/code_text.h"

#include <QFontMetricsF>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QTest>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>

#include <memory>

#include "app/richtext/markup_text.h"
#include "app/richtext/message_blocks.h"
#include "app/richtext/message_copy.h"

using namespace quire;

/// CodeText and MarkupText in a TextEdit: colours, columns and emphasis.
class CodeTextTest : public QObject {
  Q_OBJECT

 private:
  QQmlEngine m_engine;
  std::unique_ptr<QObject> m_view;
  std::unique_ptr<CodeText> m_code;

  QQuickTextDocument* makeDocument() {
    QQmlComponent component(&m_engine);
    component.setData("import QtQuick\nTextEdit { font.family: 'JetBrains Mono' }", QUrl());
    m_view.reset(component.create());
    return m_view->property("textDocument").value<QQuickTextDocument*>();
  }

  QTextDocument* show(const QString& code, int startState) {
    QQuickTextDocument* document = makeDocument();
    m_code = std::make_unique<CodeText>();
    m_code->setProperty("language", "c");
    m_code->setProperty("startState", startState);
    m_code->setProperty("commentColor", QColor(Qt::red));
    m_code->setProperty("keywordColor", QColor(Qt::blue));
    m_code->setCode(code);
    m_code->setDocument(document);
    return document->textDocument();
  }

  static QColor colorAt(const QTextDocument& document, int line, int column) {
    const auto formats = document.findBlockByNumber(line).layout()->formats();
    for (const QTextLayout::FormatRange& range : formats) {
      if (range.start <= column && column < range.start + range.length)
        return range.format.foreground().color();
    }
    return {};
  }

 private slots:
  void laterPart_isColoured_fromItsStartState() {
    const QString code = QStringLiteral("still a comment */ int x;\nint y;");
    const QTextDocument* first = show(code, 0);
    QVERIFY(colorAt(*first, 0, 0) != QColor(Qt::red));
    const QTextDocument* later = show(code, 1);
    QCOMPARE(colorAt(*later, 0, 0), QColor(Qt::red));
    QCOMPARE(colorAt(*later, 0, 19), QColor(Qt::blue));
    QCOMPARE(colorAt(*later, 1, 0), QColor(Qt::blue));
  }

  void wideLetters_takeTwoColumns() {
    const QTextDocument* document = show(QStringLiteral("한글,1\n漢字,2\nabcd,3"), 0);
    const auto comma = [&](int line, int column) {
      return document->findBlockByNumber(line).layout()->lineAt(0).cursorToX(column);
    };
    const qreal expected = comma(2, 4);
    QVERIFY(expected > 0);
    QVERIFY2(qAbs(comma(0, 2) - expected) < 1.5, qPrintable(QString::number(comma(0, 2))));
    QVERIFY2(qAbs(comma(1, 2) - expected) < 1.5, qPrintable(QString::number(comma(1, 2))));
  }

  /// Text may neither be shown in another order than it is run, nor control a terminal.
  void hiddenCharacters_areSigns_asTheyAreCopied_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("prefix");
    QTest::newRow("block") << ""
                           << "";
    QTest::newRow("item") << "- a\n\n"
                          << "  ";
    QTest::newRow("quote") << ""
                           << "> ";
  }
  void hiddenCharacters_areSigns_asTheyAreCopied() {
    QFETCH(QString, before);
    QFETCH(QString, prefix);
    const QString line =
        QStringLiteral("a\u202eb\u2066c\u2069d\u001b[201~\u200b\u2060\ufeff\tint x;");
    const QString signs =
        QStringLiteral("a<U+202E>b<U+2066>c<U+2069>d<U+001B>[201~<U+200B><U+2060><U+FEFF>\tint x;");
    MessageBlocks blocks;
    blocks.append(before + prefix + "```c\n" + prefix + line + "\n" + prefix + "```\n");
    blocks.finish();
    const MarkdownBlock block = blocks.blocks().last();
    QCOMPARE(block.text, signs);
    QCOMPARE(groupText(blocks.blocks(), block.group), signs);
    const QTextDocument* document = show(block.text, 0);
    QCOMPARE(document->toPlainText(), signs);
    const auto keyword = static_cast<int>(signs.indexOf("int"));
    QCOMPARE(colorAt(*document, 0, keyword), QColor(Qt::blue));
    QVERIFY(colorAt(*document, 0, keyword - 1) != QColor(Qt::blue));
    QVERIFY(colorAt(*document, 0, keyword + 3) != QColor(Qt::blue));
  }

  void growingCode_showsTheSameSigns() {
    const QString text = QStringLiteral("```sh\nls \u202e\u001b[201~ # 한글\n```");
    MessageBlocks blocks;
    for (const QChar c : text) blocks.append(QStringView(&c, 1));
    QCOMPARE(blocks.blocks()[0].text, QStringLiteral("ls <U+202E><U+001B>[201~ # 한글"));
  }

  void emphasisedHangul_isHeavier_insteadOfItalic() {
    QQuickTextDocument* document = makeDocument();
    MarkupText text;
    text.setMarkup(QStringLiteral("<i>word</i> <i>단어</i>"));
    text.setDocument(document);
    QTextCursor cursor(document->textDocument());
    cursor.setPosition(1);
    QVERIFY(cursor.charFormat().fontItalic());
    cursor.setPosition(6);
    QVERIFY(!cursor.charFormat().fontItalic());
    QCOMPARE(cursor.charFormat().fontWeight(), int{QFont::DemiBold});
  }
};

QTEST_MAIN(CodeTextTest)
#include "tst_code_text.moc"
