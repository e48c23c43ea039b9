#include "app/richtext/math/formula.h"

#include <QFile>
#include <QGuiApplication>
#include <QRandomGenerator>
#include <QRawFont>
#include <QTest>

#include <cmath>
#include <ctime>

#include "app/richtext/math/math_font.h"
#include "app/richtext/math/math_layout.h"
#include "app/richtext/math/math_parser.h"

using namespace quire;

namespace {

/// The characters of the formulas' font, of a formula's outlines from left to right; for words in
/// the font of the window, the words.
QString charactersOf(const QString& source, bool isDisplay = false) {
  const FormulaPtr formula = formulaOf(source, isDisplay);
  if (!formula) return QStringLiteral("none");
  QString words;
  for (const MathBox::TextRun& part : formula->box.textRuns) words += part.text;
  return QStringLiteral("%1 glyphs, %2 rules%3")
      .arg(formula->box.glyphs.size())
      .arg(formula->box.rules.size())
      .arg(words.isEmpty() ? QString() : u' ' + words);
}

/// A table that was read has every constant, and its scales make nothing larger or disappear.
void verifyFinite(const MathTable& table) {
  QCOMPARE(table.constants.size(), static_cast<qsizetype>(MathConstant::Count));
  for (const int constant : table.constants) QVERIFY(std::abs(constant) <= 32768);
  QVERIFY(table.scriptPercent > 0 && table.scriptPercent <= 100);
  QVERIFY(table.scriptScriptPercent > 0 && table.scriptScriptPercent <= 100);
}

const MathBox::Glyph& glyphAt(const FormulaPtr& formula, size_t index) {
  return formula->box.glyphs.at(index);
}

}  // namespace

class FormulaTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QVERIFY(MathFont::instance().isValid()); }

  /// Width, ascent and descent in hundredths of an em, of STIXMath-Regular 1.1.1. Made by this
  /// program, and looked at beside what TeX sets.
  void extents_areThoseOfTheRules_data() {
    QTest::addColumn<bool>("isDisplay");
    QTest::addColumn<QList<int>>("extents");
    const auto row = [](const char* source, bool isDisplay, int width, int ascent, int descent) {
      QTest::newRow(source) << isDisplay << QList<int>{width, ascent, descent};
    };
    row("x", false, 55, 44, 1);
    row("a+b=c", false, 376, 67, 4);
    row("x^2_i", false, 97, 91, 33);
    row("\\frac{a+b}{2c}", true, 234, 125, 71);
    row("\\frac{a+b}{2c}", false, 148, 98, 49);
    row("\\sqrt{x^2+1}", true, 352, 118, 12);
    row("\\sqrt[3]{2}", false, 145, 109, 20);
    row("\\sum_{i=1}^{n} i", true, 177, 161, 114);
    row("\\int_0^1 f", true, 217, 152, 95);
    row("\\begin{pmatrix}a&b\\\\c&d\\end{pmatrix}", true, 353, 148, 98);
    row("\\left(\\frac{1}{2}\\right)^2", true, 235, 139, 70);
    row("\\hat{x}", false, 55, 67, 1);
    row("\\begin{cases}x&x>0\\\\-x&x\\le 0\\end{cases}", true, 555, 148, 98);
    row("\\underbrace{a+b}_{n}", true, 210, 67, 103);
    row("\\begin{aligned}a&=b\\\\&=c+d\\end{aligned}", true, 382, 160, 110);
  }
  void extents_areThoseOfTheRules() {
    QFETCH(bool, isDisplay);
    const FormulaPtr formula = formulaOf(QString::fromUtf8(QTest::currentDataTag()), isDisplay);
    QVERIFY(formula);
    const auto hundredths = [](double em) { return static_cast<int>(std::lround(100 * em)); };
    const MathBox& box = formula->box;
    QTEST((QList<int>{hundredths(box.width), hundredths(box.ascent), hundredths(box.descent)}),
          "extents");
  }

  void fraction_standsAboutTheAxis() {
    const FormulaPtr formula = formulaOf("\\frac{1}{2}", true);
    const double axis = MathFont::instance().constant(MathConstant::AxisHeight);
    QCOMPARE(formula->box.rules.size(), size_t{1});
    QVERIFY(std::abs(formula->box.rules[0].center().y() + axis) < 1e-6);
    QVERIFY(glyphAt(formula, 0).y < -axis);
    QVERIFY(glyphAt(formula, 1).y > 0);
    QCOMPARE(glyphAt(formulaOf("\\frac{1}{2}", false), 0).scale,
             MathFont::instance().scriptScale());
  }

  void limits_standAboveAndBelow_onlyInDisplays() {
    const auto isStacked = [](const char* source, bool isDisplay) {
      const FormulaPtr formula = formulaOf(source, isDisplay);
      return glyphAt(formula, 1).x < 0.5 * formula->box.width && glyphAt(formula, 1).y > 0.5;
    };
    QVERIFY(isStacked("\\sum_i", true));
    QVERIFY(!isStacked("\\sum_i", false));
    QVERIFY(!isStacked("\\int_i", true));
    QVERIFY(isStacked("\\int\\limits_i", true));
    QVERIFY(formulaOf("\\lim_{x\\to 0}", true)->box.width <
            formulaOf("\\lim_{x\\to 0}", false)->box.width);
  }

  void fences_growWithWhatTheyHold() {
    const auto height = [](const char* source) { return formulaOf(source, true)->box.height(); };
    QVERIFY(height("\\left(\\frac{a}{b}\\right)") > 1.3 * height("(a)"));
    const FormulaPtr tall = formulaOf(
        "\\left\\{\\begin{matrix}a\\\\b\\\\c\\\\d\\\\e\\\\f\\\\g\\\\h\\end{matrix}\\right.", true);
    QVERIFY(tall->box.glyphs.size() > 8 + 3);  // Assembled from parts.
    QVERIFY(tall->box.height() < 12.0);
    QVERIFY(height("\\big(") < height("\\Bigg("));
  }

  void columns_areAligned() {
    const FormulaPtr formula = formulaOf("\\begin{aligned}aaa&=b\\\\c&=d\\end{aligned}", true);
    const auto& glyphs = formula->box.glyphs;  // a a a = b c = d
    QCOMPARE(glyphs.size(), size_t{8});
    QVERIFY(std::abs(glyphs[3].x - glyphs[6].x) < 1e-6);
    QVERIFY(glyphs[5].x > glyphs[0].x);
    QVERIFY(glyphs[5].y - glyphs[0].y >= 1.2);
  }

  void operators_haveSpacesOnlyBetweenOperands() {
    const auto width = [](const char* source) { return formulaOf(source, false)->box.width; };
    QVERIFY(width("a-b") > width("a{-}b") + 0.4);
    QCOMPARE(width("-b"), width("{-}b"));
    QVERIFY(width("x^{a-b}") < width("x^{}a-b"));
    QVERIFY(width("a=b") > width("a{=}b") + 0.5);
    QVERIFY(width("\\sin x") > width("\\mathrm{sin}x"));
  }

  void shown_data() {
    QTest::addColumn<QString>("shown");
    const auto row = [](const char* source, const char* shown) {
      QTest::newRow(source) << QString::fromUtf8(shown);
    };
    row("\\mathbb{R}\\mathcal{F}\\mathfrak{g}\\mathbf{v}\\boldsymbol{\\alpha}",
        "5 glyphs, 0 rules");
    row("\\unknown{x}", "9 glyphs, 0 rules");
    row("\\{1, 2\\}", "5 glyphs, 0 rules");
    row("\\text{만약 } x", "1 glyphs, 0 rules 만약 ");
    row("값 + 1", "2 glyphs, 0 rules 값");
    row("50\\%", "3 glyphs, 0 rules");
    row("a & b \\\\ c", "3 glyphs, 0 rules");
    row("\\overline{x}\\underline{y}\\boxed{z}", "3 glyphs, 6 rules");
    row("\\text{if $x_1$ is}", "8 glyphs, 0 rules");
    row("a \\over b", "2 glyphs, 1 rules");
    row("\\binom{n}{k}", "4 glyphs, 0 rules");
    row("\\not= \\not\\in", "2 glyphs, 0 rules");
    row("f''(x)", "6 glyphs, 0 rules");
    row("\\begin{array}{c|c} a & b \\\\ \\hline c & d \\end{array}", "4 glyphs, 2 rules");
    row("\\pmod{n}", "7 glyphs, 0 rules");
    row("{{{", "0 glyphs, 0 rules");
    row("a } b", "2 glyphs, 0 rules");
    row("a \\end{b} c", "2 glyphs, 0 rules");
    row("\\frac{a}{b", "2 glyphs, 1 rules");
    row("\\left( x", "2 glyphs, 0 rules");
    row("x^", "1 glyphs, 0 rules");
    row("\\", "1 glyphs, 0 rules");
  }
  /// Nothing of a formula is lost, whatever is wrong with it.
  void shown() { QTEST(charactersOf(QString::fromUtf8(QTest::currentDataTag())), "shown"); }

  void hostile_isBounded_data() {
    QTest::addColumn<QString>("source");
    const auto nested = [](const char* command, int times) {
      return QString("\\%1{").arg(command).repeated(times) + "xy" + QString(times, u'}');
    };
    for (const char* command :
         {"overline", "hat", "widehat", "sqrt", "boxed", "binom", "frac", "not", "overset", "color",
          "mathbf", "substack", "text", "underbrace", "xrightarrow", "left(", "phantom"}) {
      QTest::addRow("%s 18", command) << nested(command, 18);
      QTest::addRow("%s 5000", command) << nested(command, 1600);
    }
    QString matrices = "a";
    for (int i = 0; i < 12; ++i) matrices = "\\begin{bmatrix}" + matrices + "\\\\b&c\\end{bmatrix}";
    QTest::newRow("nested matrices") << matrices;
    QTest::newRow("many cells") << "\\begin{matrix}" + QString("a&").repeated(1400) +
                                       QString("\\\\").repeated(99) + "a\\end{matrix}";
    QTest::newRow("tall") << "\\left(\\begin{matrix}" + QString("a\\\\").repeated(3000) +
                                 "\\end{matrix}\\right)";
    QTest::newRow("scripts") << QString("x^{").repeated(22) + "y" + QString(22, u'}');
    QTest::newRow("limits") << "x" + QString("\\limits^a").repeated(2000);
    QTest::newRow("overs") << QString("a \\over ").repeated(2000);
    QTest::newRow("primes") << "x" + QString(15'000, u'\'');
    QTest::newRow("unclosed roots") << QString("\\sqrt[").repeated(3000);
    QTest::newRow("unclosed groups") << QString("{").repeated(19'000);
    QTest::newRow("switches") << QString("\\displaystyle ").repeated(1400);
    QTest::newRow("arrays") << QString("\\begin{array}{c}").repeated(1200);
    const auto fences = [](int numRows, int count) {
      return "\\left(\\begin{matrix}a" + QString("\\\\a").repeated(numRows - 1) + "\\end{matrix}" +
             QString("\\middle|").repeated(count) + "\\right)";
    };
    QTest::newRow("tall fences") << fences(99, 300);
    QTest::newRow("the tallest fences") << fences(1200, 1500);
    QTest::newRow("long") << QString("x").repeated(1'000'000);
    QTest::newRow("spaces") << QString("\\hspace{20em}").repeated(1000);
    QTest::newRow("negative spaces") << QString("\\hspace{-4em}").repeated(1000) + "x";
    QTest::newRow("big sums") << QString("\\sum_{i}^{n}").repeated(1500);
    QTest::newRow("nans") << "\\hspace{nanem}\\kern infem \\hspace{1e999em}x";
  }
  /// A formula takes a bounded time, and is of a bounded size or not set at all.
  void hostile_isBounded() {
    QFETCH(QString, source);
    for (const bool isDisplay : {false, true}) {
      const std::clock_t begin = std::clock();  // Of the processor: others may use it too.
      const FormulaPtr formula = formulaOf(source, isDisplay);
      const FormulaImage image = formulaImage(formula, 16.0, Qt::black);
      const auto ms = static_cast<qint64>(1000 * (std::clock() - begin) / CLOCKS_PER_SEC);
      QVERIFY2(ms < 600, qPrintable(QString::number(ms)));
      if (!formula) continue;
      QVERIFY(std::isfinite(formula->box.width) && formula->box.width <= MathLayout::kMaxWidth);
      QVERIFY(std::isfinite(formula->box.height()) &&
              formula->box.height() <= MathLayout::kMaxHeight);
      QVERIFY(formula->box.glyphs.size() <= MathLayout::kMaxSteps);
      QVERIFY(image.image.sizeInBytes() <= 17'000'000);
    }
  }

  /// A formula that streams is painted again for each piece.
  void formulaThatDrawsTooMuch_isNotSet() {
    const auto fences = [](int count) {
      return "\\scriptscriptstyle\\left\\|\\begin{array}{c}a" + QString("\\\\[20em]b").repeated(5) +
             "\\end{array}" + QString("\\middle\\|").repeated(count) + "\\right\\|";
    };
    const FormulaPtr set = formulaOf(fences(20), true);
    QVERIFY(set && set->box.numDrawn() > 2000 && set->box.numDrawn() <= MathLayout::kMaxDrawn);
    QVERIFY(!formulaOf(fences(300), true));
  }

  void rulesAtOnePlace_areTwo() {
    const FormulaPtr formula =
        formulaOf("\\begin{array}{|c" + QString(2700, u'|') + "c||}a&b\\end{array}", true);
    QVERIFY(formula);
    QCOMPARE(formula->box.rules.size(), size_t{5});
  }

  /// The prefixes of a formula that streams do not push others out of the cache.
  void formulaThatStreams_isNotKept() {
    const FormulaPtr once = formulaOf("a+b+1", true, FormulaCaching::Skip);
    const FormulaPtr kept = formulaOf("a+b+1", true);
    QVERIFY(once && kept != once);
    QCOMPARE(formulaOf("a+b+1", true), kept);
    QCOMPARE(formulaOf("a+b+1", true, FormulaCaching::Skip), kept);
  }

  void anyPieces_areSet() {
    const quint32 seed = QRandomGenerator::global()->generate();
    qInfo("seed %u", seed);
    QRandomGenerator random(seed);
    static const QStringList kPieces = {"\\frac",
                                        "{",
                                        "}",
                                        "^",
                                        "_",
                                        "\\sqrt",
                                        "[",
                                        "]",
                                        "x",
                                        "&",
                                        "\\\\",
                                        "\\begin{cases}",
                                        "\\end{cases}",
                                        "\\left",
                                        "\\right",
                                        "\\middle",
                                        "\\hat",
                                        "\\",
                                        " ",
                                        "\\text",
                                        "\\not",
                                        "😀",
                                        "\\binom",
                                        "$",
                                        "\\limits",
                                        "\\sum",
                                        "(",
                                        "\\over",
                                        "'",
                                        "값",
                                        "\\operatorname",
                                        "\\end"};
    for (int round = 0; round < 1000; ++round) {
      QString source;
      for (int i = random.bounded(40); i > 0; --i)
        source += kPieces[random.bounded(kPieces.size())];
      const FormulaPtr formula = formulaOf(source, round % 2 == 0);
      if (!formula) continue;
      QVERIFY2(std::isfinite(formula->box.width) && std::isfinite(formula->box.height()),
               qPrintable(source));
    }
  }

  void image_isOfTheColourAndSharp() {
    const FormulaPtr formula = formulaOf("\\frac{a}{b}", true);
    const FormulaImage image = formulaImage(formula, 40.0, QColor(200, 0, 0));
    const QRectF rule = formula->box.rules[0];
    const int y = static_cast<int>(image.origin.y() + rule.center().y() * 40);
    const int x = static_cast<int>(image.origin.x() + rule.center().x() * 40);
    bool isFull = false;  // Within a pixel of its place; not blurred over two.
    for (int dy = -1; dy <= 1; ++dy)
      isFull = isFull || image.image.pixelColor(x, y + dy) == QColor(200, 0, 0);
    QVERIFY(isFull);
    QCOMPARE(image.image.pixelColor(0, 0).alpha(), 0);
  }

  void mathTable_isReadStrictly() {
    QFile file(":/quire/fonts/STIXMath-Regular.otf");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QRawFont font;
    font.loadFromData(file.readAll(), 100, QFont::PreferNoHinting);
    const QByteArray bytes = font.fontTable("MATH");
    QVERIFY(readMathTable(bytes).has_value());
    QVERIFY(readMathTable(bytes)->vertical.size() > 20);
    for (qsizetype size = 0; size < bytes.size() / 2; size += 97)
      QVERIFY2(!readMathTable(bytes.left(size)), qPrintable(QString::number(size)));
    QRandomGenerator random(7);
    for (int round = 0; round < 600; ++round) {  // Any other numbers: read or refused.
      QByteArray changed = bytes;
      const qsizetype range = round % 2 == 0 ? changed.size() : 24;  // Or all in the first numbers.
      for (int i = 0; i < 4; ++i)
        changed[random.bounded(range)] = static_cast<char>(random.bounded(256));
      if (const std::optional<MathTable> table = readMathTable(changed)) verifyFinite(*table);
      if (QTest::currentTestFailed()) return;
    }
  }
};

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QGuiApplication application(argc, argv);
  FormulaTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "tst_formula.moc"
