#include <QtTest>
#include <random>

#include "engine/tokenizer/unicode_text.h"

using namespace quire;

/// Normal forms against Qt's, which has tables of its own.
class TestUnicodeText : public QObject {
  Q_OBJECT

 private slots:
  void normalizeText_equalsQts_data() {
    QTest::addColumn<int>("form");
    QTest::addColumn<int>("qt");
    QTest::newRow("NFC") << int(NormalForm::kNfc) << int(QString::NormalizationForm_C);
    QTest::newRow("NFD") << int(NormalForm::kNfd) << int(QString::NormalizationForm_D);
    QTest::newRow("NFKC") << int(NormalForm::kNfkc) << int(QString::NormalizationForm_KC);
    QTest::newRow("NFKD") << int(NormalForm::kNfkd) << int(QString::NormalizationForm_KD);
  }
  /// Every character, alone and among others that it may combine with, of Unicode 13 (Qt 6.4's).
  void normalizeText_equalsQts() {
    QFETCH(int, form);
    QFETCH(int, qt);
    WorkBudget budget({});
    const QString around[] = {"a%1", "%1\u0301", "e\u0327%1\u0301x", "가%1", "か%1\u3099b"};
    for (char32_t c = 1; c < 0x30000; ++c) {
      const bool is_assigned = QChar::unicodeVersion(c) != QChar::Unicode_Unassigned &&
                               QChar::unicodeVersion(c) <= QChar::Unicode_13_0;
      if (!is_assigned || (c >= 0xD800 && c < 0xE000)) continue;
      const QString& frame = around[c % 5];
      const QString text = QString(frame).replace("%1", QString::fromUcs4(&c, 1));
      const QString expected =
          text.normalized(static_cast<QString::NormalizationForm>(qt), QChar::Unicode_13_0);
      const std::string ours =
          normalize_text(text.toStdString(), static_cast<NormalForm>(form), budget);
      QVERIFY2(ours == expected.toStdString(), qPrintable(QString::number(c, 16)));
    }
  }

  void normalizeText_ordersManyMarks_data() { normalizeText_equalsQts_data(); }
  void normalizeText_ordersManyMarks() {
    QFETCH(int, form);
    QFETCH(int, qt);
    static constexpr char16_t kMarks[] = {0x301, 0x316, 0x327, 0x315, 0x334, 0x345, 0x3099};
    WorkBudget budget({});
    std::mt19937 random(3);
    for (int round = 0; round < 500; ++round) {
      QString text("e");
      for (uint32_t n = random() % 40; n > 0; --n) text += QChar(kMarks[random() % 7]);
      text += "xか\u3099";
      const QString expected =
          text.normalized(static_cast<QString::NormalizationForm>(qt), QChar::Unicode_13_0);
      QCOMPARE(normalize_text(text.toStdString(), static_cast<NormalForm>(form), budget),
               expected.toStdString());
    }
  }

  /// Marks in the wrong order: sorting them one by one would take the square of their number.
  void normalizeText_ofMarksIsLinear() {
    std::string text = "e";
    for (int i = 0; i < 100'000; ++i) text += i % 2 == 0 ? "\u0301" : "\u0316";
    WorkBudget budget({.cpu_time = std::chrono::milliseconds(2000)});
    QCOMPARE(normalize_text(text, NormalForm::kNfc, budget).size(), text.size() - 1);
    QVERIFY(budget.check_now());
  }

  /// One character of three bytes becomes eighteen: the memory is counted beforehand.
  void normalizeText_keepsWithinItsBudget() {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "\uFDFA";
    WorkBudget budget({.bytes = 50'000});
    QCOMPARE(normalize_text(text, NormalForm::kNfkc, budget), text);
    QVERIFY(budget.is_spent());
    WorkBudget enough = WorkBudget::for_text(text.size());
    QCOMPARE(normalize_text(text, NormalForm::kNfkc, enough).size(), size_t{33'000});
  }

  void lowercaseText_takesEachCharacterAlone() {
    QCOMPARE(lowercase_text("ÀÉ ΑΣ İI 한"), std::string("àé ασ i\u0307i 한"));
  }

  void spaces_areUnicodes() {
    QCOMPARE(leading_space_bytes(" \u3000\u00A0x "), size_t{6});
    QCOMPARE(trailing_space_bytes("x\u2003\n"), size_t{4});
    QCOMPARE(leading_space_bytes("\u180E "), size_t{0});
    QCOMPARE(leading_space_bytes(""), size_t{0});
    QVERIFY(is_word_character(U'é') && is_word_character(U'_') && is_word_character(U'½'));
    QVERIFY(!is_word_character(U'-') && !is_word_character(U' '));
    QCOMPARE(last_character("a한"), U'한');
  }
};

QTEST_APPLESS_MAIN(TestUnicodeText)
#include "tst_unicode_text.moc"
