#include "app/chat/find_text.h"

#include <QTest>

using namespace quire;

/// What "Find in this chat" takes for the same.
class FindTextTest : public QObject {
  Q_OBJECT

 private slots:
  void find_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("found");
    const auto row = [](const char* name, const QString& query, const QString& text,
                        const QStringList& found) {
      QTest::newRow(name) << query << text << found;
    };
    row("nothing", "x", "abc", {});
    row("case", "quIRe", "Quire and QUIRE", {"Quire", "QUIRE"});
    row("inside a word", "ir", "Quire", {"ir"});
    row("no overlap", "aa", "aaaaa", {"aa", "aa"});
    row("sharp s", "strasse", QString::fromUtf8("Straße"), {QString::fromUtf8("Straße")});
    row("half of a letter", "s", QString::fromUtf8("ß"), {QString::fromUtf8("ß")});
    row("Greek final sigma", QString::fromUtf8("ΟΔΟΣ"), QString::fromUtf8("οδος"),
        {QString::fromUtf8("οδος")});
    row("combining accent", QString::fromUtf8("caf\u00e9"), QString::fromUtf8("a cafe\u0301."),
        {QString::fromUtf8("cafe\u0301")});
    row("an accent is another letter", "cafe", QString::fromUtf8("cafe\u0301"), {});
    row("Hangul", QString::fromUtf8("서울"), QString::fromUtf8("나는 서울에"),
        {QString::fromUtf8("서울")});
    row("Hangul in letters", QString::fromUtf8("서울"),
        QString::fromUtf8("나는 서울에").normalized(QString::NormalizationForm_D),
        {QString::fromUtf8("서울").normalized(QString::NormalizationForm_D)});
    row("a syllable is not its beginning", QString::fromUtf8("가"), QString::fromUtf8("각"), {});
    row("line ends and hard spaces", "one two", QString::fromUtf8("one\ntwo one\u00a0two"),
        {"one\ntwo", QString::fromUtf8("one\u00a0two")});
    row("soft hyphen", "hyphen", QString::fromUtf8("hy\u00adphen"),
        {QString::fromUtf8("hy\u00adphen")});
    row("outside the basic plane", QString::fromUtf8("\U0001d400"),
        QString::fromUtf8("x\U0001d400y"), {QString::fromUtf8("\U0001d400")});
    row("only spaces", "  ", "a  b", {});
  }
  void find() {
    QFETCH(const QString, query);
    QFETCH(const QString, text);
    QFETCH(const QStringList, found);
    QStringList texts;
    for (const TextSpan& span : FindPattern(query).find(text))
      texts.append(text.mid(span.begin, span.length));
    QCOMPARE(texts, found);
  }

  void longQuery_isCut() {
    const QString text(FindPattern::kMaxLength, u'a');
    QCOMPARE(FindPattern(text + "b").find(text).size(), 1);
  }

  void strangeText_isHarmless() {
    const QString lone = QString(QChar(0xd800)) + "a" + QChar(0xdc00) + QString(500, QChar(0x301));
    QCOMPARE(FindPattern("a").find(lone).size(), 1);
    QVERIFY(FindPattern(lone).find(u"a").isEmpty());
    QVERIFY(FindPattern("a").find(QStringView()).isEmpty());
  }
};

QTEST_MAIN(FindTextTest)
#include "tst_find_text.moc"
