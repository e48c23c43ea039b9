#include <QtTest>

#include "app/store/search/fold_text.h"
#include "app/store/search/search_text.h"
#include "app/store/search/snippet.h"

using namespace quire;

namespace {

bool never() {
  return false;
}

Snippet snippetOf(const QString& text, const QString& question, bool typing = false) {
  return makeSnippet(text, parseSearch(question, typing), never);
}

QStringList markedIn(const Snippet& snippet) {
  QStringList marked;
  for (const TextRange& mark : snippet.marks) {
    marked.append(snippet.text.mid(mark.start, mark.length));
  }
  return marked;
}

}  // namespace

class TestSearchText : public QObject {
  Q_OBJECT

 private slots:
  void index_cutsCjkIntoPairs_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    QTest::newRow("plain") << "Hello, world"
                           << "Hello, world";
    QTest::newRow("han") << QString("中国人") << QString("中国 国人 人");
    QTest::newRow("one") << QString("猫") << QString("猫");
    QTest::newRow("korean") << QString("한국어를 써요") << QString("한국 국어 어를 를 써요 요");
    QTest::newRow("mixed") << QString("GPT모델3개") << QString("GPT 모델 델 3 개");
    QTest::newRow("kana") << QString("データ") << QString("デー ータ タ");
    QTest::newRow("half width") << QString("ﾃﾞｰﾀ") << QString("デー ータ タ");
    QTest::newRow("decomposed") << QString("한국").normalized(QString::NormalizationForm_D)
                                << QString("한국 국");
    QTest::newRow("beyond 16 bits")
        << QString::fromUcs4(U"𠀀𠀁", 2) << QString::fromUcs4(U"𠀀𠀁 𠀁", 4);
    QTest::newRow("zero") << QString(QChar(0)) + "a" << QString(" a");
    QTest::newRow("mark") << QString(QChar(0xe000)) + "12" << QString(" 12");
  }
  void index_cutsCjkIntoPairs() {
    QFETCH(QString, text);
    QFETCH(QString, words);
    if (words.contains(u' ') && words[0] != u' ') {
      QCOMPARE(toIndexText(text).simplified(), words);
    } else {
      QCOMPARE(toIndexText(text).trimmed(), words.trimmed());
    }
  }

  void question_becomesAMatch_data() {
    QTest::addColumn<QString>("question");
    QTest::addColumn<bool>("typing");
    QTest::addColumn<QString>("match");
    QTest::newRow("word") << "Cat" << false << "\"Cat\"";
    QTest::newRow("typing") << "the cat" << true << "\"the\" AND \"cat\" *";
    QTest::newRow("two letters") << QString("the Cà") << true
                                 << QString("\"the\" AND \"\ue001ca\"");
    QTest::newRow("one letter") << "the c" << true << "\"the\" AND \"c\"";
    QTest::newRow("typed") << "the cat " << true << "\"the\" AND \"cat\"";
    QTest::newRow("phrase") << "\"the cat\" sat" << false << "\"the cat\" AND \"sat\"";
    QTest::newRow("open phrase") << "\"the ca" << true << "\"the ca\" *";
    QTest::newRow("nothing") << "?! \" - *" << true << "";
    QTest::newRow("empty") << "" << true << "";
    QTest::newRow("operators") << "a AND NOT b*" << false
                               << "\"a\" AND \"AND\" AND \"NOT\" AND \"b*\"";
    QTest::newRow("two") << QString("한국") << true << QString("\"한국\"");
    QTest::newRow("three") << QString("한국어") << true << QString("\"한국 국어\"");
    QTest::newRow("one") << QString("국") << false << QString("\"\ue001국\"");
    QTest::newRow("composing") << QString("한국ㅇ") << true << QString("\"한국\"");
    QTest::newRow("inside") << QString("모델3개") << false << QString("\"모델 델 3 개\" *");
  }
  void question_becomesAMatch() {
    QFETCH(QString, question);
    QFETCH(bool, typing);
    QFETCH(QString, match);
    QCOMPARE(toMatch(parseSearch(question, typing), 0), match);
  }

  void question_asksTitlesForWordsOnly() {
    QCOMPARE(toTitleMatch(parseSearch("the ca", true)), QString("\"the\" AND \"ca\" *"));
    QCOMPARE(toTitleMatch(parseSearch("국", false)), QString("\"국\" *"));
  }

  void index_hasTheBeginningsOnce() {
    const QString words = toIndexText("Élan, elf: a 中国中", 7);
    QCOMPARE(words.mid(words.indexOf(QChar(0xe001))).simplified(),
             QString("\ue001el \ue001中 \ue001国 \ue0007"));
    QVERIFY(!toIndexText("elf").contains(QChar(0xe001)));  // A title.
    QVERIFY(!toIndexText("\ue001elf", 7).startsWith(QChar(0xe001)));
  }

  void question_isBounded() {
    QVERIFY(parseSearch(QString("word ").repeated(10'000), true).size() <= 16);
    QVERIFY(parseSearch(QString(1'000'000, 'x'), true).size() <= 1);
    QVERIFY(parseSearch(QString(1'000'000, '"'), true).isEmpty());
  }

  void fold_comparesAsTheIndexDoes() {
    QCOMPARE(foldText(u"Éclair—CRÈME  brûlée!").text, QString("eclair creme brulee "));
    QCOMPARE(foldText(u"한국어").text, QString("한국어"));
    const FoldedText folded = foldText(u"a…É");
    QCOMPARE(folded.text, QString("a e"));
    QCOMPARE(folded.origins, (QList<qsizetype>{0, 1, 2}));
  }

  void snippet_marksWholeWords() {
    const auto snippet = snippetOf("A catalogue of cats; the cat sat.", "cat");
    QCOMPARE(markedIn(snippet), QStringList{"cat"});
    QCOMPARE(snippet.hit, (TextRange{25, 3}));
    QCOMPARE(markedIn(snippetOf("A catalogue of cats", "cat", true)), (QStringList{"cat", "cat"}));
  }

  void snippet_pointsIntoTheOriginalText() {
    const QString text = QString("x ").repeated(5000) + "Déjà  \n vu " + QString("y ").repeated(99);
    const auto snippet = snippetOf(text, "\"deja vu\"");
    QCOMPARE(text.mid(snippet.hit.start, snippet.hit.length), QString("Déjà  \n vu"));
    QCOMPARE(markedIn(snippet), QStringList{"Déjà vu"});
    QVERIFY(snippet.text.startsWith(u'…') && snippet.text.endsWith(u'…'));
    QVERIFY(snippet.text.size() < 250);
    QVERIFY(!snippet.text.contains(u'\n'));
  }

  void snippet_prefersThePlaceWithMostTerms() {
    const QString text = "red " + QString("filler ").repeated(100) + "a red and blue thing";
    const auto snippet = snippetOf(text, "red blue");
    QCOMPARE(markedIn(snippet), (QStringList{"red", "blue"}));
    QVERIFY(snippet.hit.start > 500);
  }

  void snippet_findsCjkInsideWords() {
    QCOMPARE(markedIn(snippetOf(QString("저는 한국어를 배워요"), QString("국어"))),
             QStringList{QString("국어")});
    QCOMPARE(markedIn(snippetOf(QString("我是中国人。"), QString("人"))),
             QStringList{QString("人")});
  }

  void snippet_ofUnusualTextIsStillOne() {
    QCOMPARE(snippetOf("", "x").text, QString());
    QCOMPARE(snippetOf("abc", "x").text, QString("abc"));
    QVERIFY(snippetOf("abc", "x").marks.isEmpty());
    // No spaces, and emoji at every cut.
    const QString emoji = QString::fromUcs4(U"🎈").repeated(500);
    const auto snippet = snippetOf(emoji + "hit" + emoji, "hit");
    QCOMPARE(snippet.text.toUtf8().count('?'), 0);
    QVERIFY(!snippet.text[1].isLowSurrogate());
    QVERIFY(!snippet.text[snippet.text.size() - 2].isHighSurrogate());
    const QString lone(1000, QChar(0xd83c));
    QVERIFY(snippetOf(lone, "x").text.size() < 300);
  }

  void snippet_findsAHitFarIntoALongText() {
    const QString text = QString("word ").repeated(200'000) + "needle";
    const auto snippet = snippetOf(text, "needle");
    QCOMPARE(snippet.hit.start, text.size() - 6);
  }
};

QTEST_GUILESS_MAIN(TestSearchText)
#include "tst_search_text.moc"
