#include "app/richtext/message_copy.h"

#include <QMimeData>
#include <QTest>
#include <QTextDocument>

#include "app/richtext/message_blocks.h"

using namespace quire;

namespace {

const char* const kAnswer =
    "<think>secret</think>Some **bold** and `code` & <b>html</b>.\n\n"
    "- one\n  - two\n\n| a | b |\n|---|---|\n| 1 | x\\|y |\n\n```c\nint x;\n```\n\n"
    "![cat](http://example.org/cat.png) $x^2$\n\n$$\\alpha$$\n";

MessageCopy copyOf(const char* text) {
  MessageBlocks blocks;
  blocks.append(QString(text));
  blocks.finish();
  return MessageCopy(blocks.blocks(), text);
}

}  // namespace

class MessageCopyTest : public QObject {
  Q_OBJECT

 private slots:
  void plain_isTheDisplayedText_withoutReasoning() {
    QCOMPARE(copyOf(kAnswer).plain(),
             QString("Some bold and code & <b>html</b>.\n• one\n  • two\n\na\tb\n1\tx|y\n\n"
                     "int x;\n\ncat $x^2$\n\n$$\\alpha$$"));
  }

  void markdown_isTheSource_withoutReasoning() {
    QCOMPARE(copyOf("a **b**").markdown(), QString("a **b**"));
    QCOMPARE(copyOf("<think>x</think>\n\na **b**").markdown(), QString("a **b**"));
    QCOMPARE(copyOf("x\n</think>\n\na **b**").markdown(), QString("a **b**"));
  }

  void html_fetchesNothing_andHasNoHtmlOfTheModel() {
    const QString html = copyOf(kAnswer).html();
    QVERIFY(!html.contains("<img"));
    QVERIFY(!html.contains("secret"));
    QVERIFY(html.contains("&lt;b&gt;html&lt;/b&gt;"));
    QVERIFY(html.contains("<b>bold</b>"));
    QVERIFY(html.contains("<td>x|y</td>"));
    QTextDocument document;
    document.setHtml(html);
    QVERIFY(document.toPlainText().contains("int x;"));
    QVERIFY(document.toPlainText().contains("$x^2$"));
  }

  void javascriptAndFile_areDropped_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<bool>("kept");
    const auto row = [](const char* target, bool kept) { QTest::newRow(target) << target << kept; };
    row("javascript:alert(1)", false);
    row("JaVaScRiPt:alert(1)", false);
    row("&#106;avascript:alert(1)", false);
    row("file:///etc/passwd", false);
    row("data:text/html,x", false);
    row("vbscript:x", false);
    row("smb://host/share", false);
    row("//host/path", false);
    row("page.html", false);
    row("http:", false);
    row("https://example.org/?a=1", true);
    row("http://example.org", true);
    row("HTTP://example.org", true);
    row("mailto:a@example.org", true);
  }
  void javascriptAndFile_areDropped() {
    QFETCH(QString, target);
    QFETCH(bool, kept);
    const QString text = "[a](" + target + ") ![b](" + target + ") <" + target + "> [![c](" +
                         target + ")](" + target + ") [d]\n\n| x |\n|---|\n| [e](" + target +
                         ") |\n\n[d]: " + target + "\n";
    const QString html = copyOf(qPrintable(text)).html();
    QCOMPARE(html.contains("href"), kept);
    QCOMPARE(html.count("<a "), html.count("</a>"));
    QTextDocument document;
    document.setHtml(html);
    QVERIFY2(document.toPlainText().contains("a b"), qPrintable(html));
  }

  /// A target is checked and opened with its entities decoded.
  void entitiesOfTargets_areDecoded_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("href");
    const auto row = [](const char* target, const char* href) {
      QTest::newRow(target) << target << href;
    };
    row("https://e.example/?a=1&amp;b=2", "https://e.example/?a=1&b=2");
    row("https://e.example/?a=1&b=2", "https://e.example/?a=1&b=2");
    row("https://e.example/?a&amp;amp;b", "https://e.example/?a&amp;b");
    row("htt&#112;s://e.example/", "https://e.example/");
    row("mailto:a@e.example?subject=a&amp;body=b", "mailto:a@e.example?subject=a&body=b");
    row("java&#x73;cript:alert(1)", "");
    row("&#102;ile:///etc/passwd", "");
    row("mailto:a@e.example?subject=a&amp;attach=/etc/passwd", "");
  }
  void entitiesOfTargets_areDecoded() {
    QFETCH(QString, target);
    QFETCH(QString, href);
    MessageBlocks blocks;
    blocks.append("[c](" + target + ")");
    blocks.finish();
    QCOMPARE(
        blocks.blocks()[0].markup,
        href.isEmpty() ? QString("c") : QString("<a href=\"%1\">c</a>").arg(href.toHtmlEscaped()));
  }

  void controls_areLeftOut() {
    const QString text = QStringLiteral(
        "a\u001b[201~b\u0007 c\u009bd \u200f\u05d0\u202e `x\u001by`\n\n"
        "| h\u001bi |\n|---|\n| j\u007fk |\n\n```sh\nl\tm\u001b[201~\nn\n```");
    MessageBlocks blocks;
    blocks.append(text);
    blocks.finish();
    const MessageCopy copy(blocks.blocks(), text);
    const QString prose = QStringLiteral("a[201~b cd \u200f\u05d0\u202e");
    const QString code = QStringLiteral("l\tm<U+001B>[201~\nn");
    QCOMPARE(copy.plain(), prose + " xy\n\nhi\njk\n\n" + code);
    QVERIFY(copy.html().contains(prose));
    QVERIFY(copy.html().contains(code.toHtmlEscaped()));
    const std::unique_ptr<QMimeData> data = copy.rich();
    for (const QString& copied :
         {copy.plain(), copy.html(), copy.markdown(), data->text(), copyOf("a&#27;b").plain()}) {
      for (const QChar c : copied)
        QVERIFY(c == '\n' || c == '\t' || c.category() != QChar::Other_Control);
    }
  }

  void rich_hasBoth() {
    const std::unique_ptr<QMimeData> data = copyOf("a **b**").rich();
    QCOMPARE(data->text(), QString("a b"));
    QVERIFY(data->html().contains("<b>b</b>"));
  }

  void table_copiesWithTabs_andAsHtml() {
    MessageBlocks blocks;
    blocks.append(u"| a | b |\n|---|---|\n| 1 | 2 |\n\ntext");
    blocks.finish();
    QCOMPARE(groupText(blocks.blocks(), 1), QString("a\tb\n1\t2"));
    QCOMPARE(groupHtml(blocks.blocks(), 1),
             QString("<table border=\"1\" cellspacing=\"0\"><tr><th>a</th><th>b</th></tr>"
                     "<tr><td>1</td><td>2</td></tr></table>"));
  }
};

QTEST_MAIN(MessageCopyTest)
#include "tst_message_copy.moc"
