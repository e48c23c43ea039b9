#include "kernels/base/visible_text.h"

#include <QTest>

using namespace quire;

class TestVisibleText : public QObject {
  Q_OBJECT

 private slots:
  void text_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    const auto row = [](const char* name, const QByteArray& text, const QByteArray& shown) {
      QTest::newRow(name) << text << shown;
    };
    row("plain", "Hello, world", "Hello, world");
    row("Korean and emoji", "안녕 👍", "안녕 👍");
    row("joined emoji stay", "👩\xE2\x80\x8D🔬", "👩\xE2\x80\x8D🔬");
    row("escape", "\x1b[31mred", "<U+001B>[31mred");
    row("line end", "a\nb\r\tc", "a<U+000A>b<U+000D><U+0009>c");
    row("null", QByteArray("a\0b", 3), "a<U+0000>b");
    row("delete", "\x7f", "<U+007F>");
    row("C1 control sequence",
        "\xC2\x9B"
        "31m",
        "<U+009B>31m");
    row("no-break space stays", "\xC2\xA0", "\xC2\xA0");
    row("C1 as one byte",
        "\x9B"
        "31m",
        "<0x9B>31m");
    row("Arabic letter mark", "\xD8\x9C", "<U+061C>");
    row("marks", "\xE2\x80\x8E\xE2\x80\x8F", "<U+200E><U+200F>");
    row("separators", "\xE2\x80\xA8\xE2\x80\xA9", "<U+2028><U+2029>");
    row("overrides", "\xE2\x80\xAA\xE2\x80\xAE", "<U+202A><U+202E>");
    row("isolates", "\xE2\x81\xA6\xE2\x81\xA9", "<U+2066><U+2069>");
    row("tags", "a\xF3\xA0\x80\x81\xF3\xA0\x81\xBF", "a<U+E0001><U+E007F>");
    row("zero-width space",
        "a\xE2\x80\x8B"
        "b",
        "a<U+200B>b");
    row("byte order mark",
        "\xEF\xBB\xBF"
        "a",
        "<U+FEFF>a");
    row("soft hyphen", "\xC2\xAD", "<U+00AD>");
    row("grapheme joiner", "\xCD\x8F", "<U+034F>");
    row("Hangul fillers", "\xE1\x85\x9F\xE1\x85\xA0\xE3\x85\xA4\xEF\xBE\xA0",
        "<U+115F><U+1160><U+3164><U+FFA0>");
    row("Khmer vowels", "\xE1\x9E\xB4\xE1\x9E\xB5", "<U+17B4><U+17B5>");
    row("Mongolian selectors", "\xE1\xA0\x8B\xE1\xA0\x8F", "<U+180B><U+180F>");
    row("word joiner", "\xE2\x81\xA0\xE2\x81\xA5", "<U+2060><U+2065>");
    row("deprecated formats", "\xE2\x81\xAA\xE2\x81\xAF", "<U+206A><U+206F>");
    row("annotations", "\xEF\xBF\xB9\xEF\xBF\xBB", "<U+FFF9><U+FFFB>");
    row("replacement character stays", "\xEF\xBF\xBD", "\xEF\xBF\xBD");
    row("shorthand and music", "\xF0\x9B\xB2\xA0\xF0\x9D\x85\xB3", "<U+1BCA0><U+1D173>");
    row("selectors of ideographs", "\xF3\xA0\x84\x80\xF3\xA0\x87\xAF", "<U+E0100><U+E01EF>");
    row("Persian stays", "می\xE2\x80\x8Cخواهم", "می\xE2\x80\x8Cخواهم");
    row("emoji with a selector stays", "❤\xEF\xB8\x8F", "❤\xEF\xB8\x8F");
    row("Hangul of letters stays", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB",
        "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB");
    row("no UTF-8",
        "a\xFF"
        "b",
        "a<0xFF>b");
    row("overlong escape", "\xC0\x9B", "<0xC0><0x9B>");
    row("overlong, three bytes", "\xE0\x80\x9B", "<0xE0><0x80><0x9B>");
    row("surrogate", "\xED\xA0\x80", "<0xED><0xA0><0x80>");
    row("beyond Unicode", "\xF4\x90\x80\x80", "<0xF4><0x90><0x80><0x80>");
    row("cut", "a\xE2\x80", "a<0xE2><0x80>");
    row("nothing", "", "");
  }
  void text() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    const std::string once = visible_text(text.toStdString());
    QCOMPARE(QByteArray::fromStdString(once), shown);
    QCOMPARE(visible_text(once), once);
  }

  void spelling_staysInProse() {
    const std::string khmer = "ភាសា\xE2\x80\x8Bខ្មែរ";
    const std::string mongolian = "\xE1\xA0\x8B\xE1\xA0\x8E\xE1\xA0\x8F";
    const std::string japanese = "辻\xF3\xA0\x84\x80\xF3\xA0\x87\xAF";
    for (const std::string& text : {khmer, mongolian, japanese}) {
      QCOMPARE(visible_prose(text), text);
      QVERIFY(visible_text(text) != text);
      TerminalFilter filter;
      QCOMPARE(filter.pass(text) + filter.end(), text);
    }
    // Their neighbours, and all else that is hidden.
    const std::string hidden =
        "\xE2\x80\x8E\xE2\x81\xA0\xEF\xBB\xBF\xF3\xA0\x80\x81\xF3\xA0\x83\xBF\xF3\xA0\x87\xB0\x1b"
        "\n";
    QCOMPARE(visible_prose(hidden),
             std::string("<U+200E><U+2060><U+FEFF><U+E0001><U+E00FF><U+E01F0><U+001B><U+000A>"));
    QCOMPARE(visible_prose("a\xFF\n", "\n"), std::string("a<0xFF>\n"));
  }

  void kept_staysAsItIs() {
    QCOMPARE(visible_text("a\nb\tc\r", "\n\t"), std::string("a\nb\tc<U+000D>"));
  }

  /// However the text is cut into pieces, a terminal shows the same.
  void terminalFilter_isTheSameForAllPieces() {
    const std::string text =
        "a\n\tb\x1b[2J 한👩\xE2\x80\x8D🔬 \xC2\x9B\xE2\x80\xAE \xF3\xA0\x80\x81 \xFF\xC2 \xE2\x80";
    const std::string whole = visible_text(text, "\n\t");
    for (size_t first = 0; first <= text.size(); ++first) {
      for (size_t second = first; second <= text.size(); ++second) {
        TerminalFilter filter;
        std::string shown = filter.pass(std::string_view(text).substr(0, first));
        shown += filter.pass(std::string_view(text).substr(first, second - first));
        shown += filter.pass(std::string_view(text).substr(second));
        QCOMPARE(shown + filter.end(), whole);
      }
    }
  }

  void terminalFilter_holdsBackOnlyBeginnings() {
    TerminalFilter filter;
    QCOMPARE(filter.pass("a\xC2"), std::string("a"));
    QCOMPARE(filter.pass("\x9B"), std::string("<U+009B>"));
    QCOMPARE(filter.pass("한"), std::string("한"));
    QCOMPARE(filter.end(), std::string());
  }
};

QTEST_APPLESS_MAIN(TestVisibleText)
#include "tst_visible_text.moc"
