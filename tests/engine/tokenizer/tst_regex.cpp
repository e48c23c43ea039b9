#include <sys/resource.h>

#include <QtTest>
#include <ctime>
#include <random>

#include "engine/tokenizer/gguf_pre_tokenizers.h"
#include "engine/tokenizer/oniguruma_pattern.h"
#include "engine/tokenizer/regex.h"
#include "engine/tokenizer/regex_callouts.h"
#include "tests/support/thread_time.h"

using namespace quire;

static std::vector<size_t> matches_of(const Regex& regex, const std::string& text) {
  RegexScanner scanner(regex);
  WorkBudget budget = WorkBudget::for_text(text.size());
  std::vector<size_t> bounds;
  size_t from = 0;
  while (const auto match = scanner.find(text, from, budget)) {
    bounds.insert(bounds.end(), {match->begin, match->end});
    from = match->end;
  }
  return bounds;
}

/// The matches of a pattern in a text, with bars between.
static QString matches_of(const QString& pattern, const QString& text) {
  const auto regex = Regex::compile(pattern.toStdString());
  if (!regex) return QString::fromStdString("refused: " + regex.error().message);
  RegexScanner scanner(*regex);
  WorkBudget budget = WorkBudget::for_text(1000);
  const std::string subject = text.toStdString();
  QStringList found;
  size_t from = 0;
  while (const auto match = scanner.find(subject, from, budget)) {
    found << QString::fromStdString(subject.substr(match->begin, match->end - match->begin));
    from = match->end;
  }
  return found.join('|');
}

/// Patterns mean what they mean to Oniguruma (checked with Hugging Face's tokenizers).
class TestRegex : public QObject {
  Q_OBJECT

 private slots:
  /// Escaped it would take twice the memory, only to be refused then.
  void longLiteral_isRefusedBeforeEscaping() {
    const std::string text(40'000'000, '!');
    const auto peak_mb = [] {
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      return usage.ru_maxrss / 1024;
    };
    const auto before = peak_mb();
    const auto regex = Regex::compile_literal(text);
    QVERIFY(!regex);
    QCOMPARE(regex.error().message, std::string("it is longer than 32768 bytes or not UTF-8"));
    QVERIFY2(peak_mb() - before < 10, qPrintable(QString::number(peak_mb() - before)));
  }

  /// PCRE2 takes milliseconds for a class that ignores case.
  void longPatternWithoutCase_isRefused() {
    for (const char* option : {"(?i)", "(?mi:", "(?x-mi:"}) {
      const std::string end = std::string_view(option).ends_with(':') ? ")" : "";
      const auto regex = Regex::compile(option + std::string(1100, 'a') + end);
      QVERIFY2(!regex && regex.error().message == "it ignores case and is longer than 1024 bytes",
               option);
      QVERIFY(Regex::compile("(?:" + std::string(1100, 'a') + ")"));
    }
  }

  void find_matchesAsOniguruma_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* pattern, const char* text, const char* expected) {
      QTest::newRow(pattern) << pattern << text << expected;
    };
    row("\\s", "a\u180E\u00A0b\u200B", "\u00A0");
    row("\\S+", "a\u180Eb c\u3000d", "a\u180Eb|c|d");
    row("[^\\S\\n]", "a \n\tb", " |\t");
    row("\\w+", "né\u0301_1²½-x", "né\u0301_1²½|x");
    row("[\\W]+", "ab-!c", "-!");
    row("\\h+", "xfaceFEEDg", "faceFEED");
    row("[\\v\\n]", "a\x0B\n\r", "\x0B|\n");
    row("\\p{Han}+", "\u3001漢字かな", "漢字");
    row("\\p{Script=Hiragana}+", "漢字かな", "かな");
    row("\\p{^L}+", "ab12c", "12");
    row("\\P{^L}+", "ab12c", "ab|c");
    row("[[:punct:]]+", "a+b$c!", "+|$|!");
    row("[[:^alpha:]]+", "ab12c", "12");
    row("[a[^\\p{L}]]+", "ab1-a", "a|1-a");
    row("[\\p{L}&&[^\\p{Han}]]+", "ab漢c", "ab|c");
    row("[^\\p{L}&&[^x]]+", "abx1", "x1");
    row("x{1,2}+", "xxxxx", "xxxxx");
    row("(?:ab){2}?c", "ababc c", "ababc|c");
    row("x{,2}y", "xxxy", "xxy");
    row("a{b", "a{b", "a{b");
    row("[]a]+", "]a[", "]a");
    row("(?i:'s|'ll)", "'S 'ſ 'lL 't", "'S|'ſ|'lL");
    row("(?i)AB", "aB ab", "aB|ab");
    row("(?m:a.b)", "a\nb", "a\nb");
    row("a.b", "a\nb axb", "axb");
    row("^b$", "a\nb\nc", "b");
    row("\\bab\\b", "ab abc ab", "ab|ab");
    row("(a)(?:b)(?=c)", "abc abd", "ab");
    row("\\u4e00|\\x{4E8C}|\\x41", "一二A", "一|二|A");
    row("[\\-\\]\\[]+", "a-]b[", "-]|[");
    row("\\p{L}+|\\p{N}", "a\U000323AF\u1C89-\U00010D40", "a\U000323AF\u1C89|\U00010D40");
    row("[^\\p{L}]", "a\U000323AF-", "-");
    row("\\D", "1\U00010D40x", "x");
    row("x*", "axxb", "xx");
    row("\\d{1,3}(?=(?:\\d{3})*\\b)", "1234567 12", "1|234|567|12");
  }
  void find_matchesAsOniguruma() {
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(matches_of(pattern, text), expected);
  }

  void compile_refusesWhatItDoesNotKnow_data() {
    QTest::addColumn<QString>("pattern");
    for (const char* pattern :
         {"(a)\\1", "(?<n>a)",    "\\k<n>",    "a(?i)b", "(*ACCEPT)a",  "(?{1})",
          "(?C1)",  "\\K",        "\\R",       "\\Ga",   "[a",          "(a",
          "a)",     "[[:nope:]]", "\\p{Nope}", "\\pL",   "\\x{110000}", "a\\",
          "*a",     "(?~a)",      "\\xC3",     "[z-a]",  "\xFF"}) {
      QTest::newRow(pattern) << QString::fromLatin1(pattern);
    }
  }
  void compile_refusesWhatItDoesNotKnow() {
    QFETCH(QString, pattern);
    const auto regex = Regex::compile(pattern.toLatin1().toStdString());
    QVERIFY(!regex && !regex.error().message.empty());
  }

  void compile_boundsNesting() {
    QVERIFY(!Regex::compile(std::string(10'000, '[')));
    QVERIFY(!Regex::compile(std::string(10'000, '(') + std::string(10'000, ')')));
    QVERIFY(!Regex::compile("(?:(?:(?:a{1,999}){1,999}){1,999}){1,999}"));
    QVERIFY(!Regex::compile(std::string(100'000, 'a')));
  }

  void find_endsSoonOnHostilePatterns() {
    QElapsedTimer timer;
    timer.start();
    const QString text(5000, 'a');
    for (const char* pattern : {"(a+)+b", "(?:a|a)*b", "(?:a*)*$b", "(?:(?:a?){50}){50}b"}) {
      const auto regex = Regex::compile(pattern);
      QVERIFY(regex);
      RegexScanner scanner(*regex);
      WorkBudget budget = WorkBudget::for_text(5000);
      QVERIFY(!scanner.find(text.toStdString(), 0, budget));
    }
    QVERIFY2(timer.elapsed() < 20'000, "no limit?");
  }

  void callouts_standWhereSearchesReturn_data() {
    QTest::addColumn<QString>("callouts");
    const auto row = [](const char* pattern, const char* callouts) {
      QTest::newRow(pattern) << callouts;
    };
    row("a+", "a+");
    row(" ?a+b*|\\s+", " ?a+b*|\\s+");
    row("a*b", "@a*b");
    row("a*b?", "a*b?");
    row("a?b?c", "a?@b?c");
    row("a*b*[cd]", "@a*@b*[cd]");
    row("(?:a|b){22}[cd]", "(?:@a|b){22}[cd]");
    row("(?:a|b)(?:c|d)e", "(?:a|b)@(?:c|d)e");
    row("(?:ab)+c", "@(?:ab)+c");
    row("(?:a+)+", "(?:@a+)+");
    row("(?=.*x)y", "(?=@.*x)y");
    row("\\s+(?!\\S)", "@\\s+(?!\\S)");
    row("(?<=\\x{61})é*?[^]\\]b]{2,}z", "(?<=\\x{61})@é*?@[^]\\]b]{2,}z");
    row("a{3}b{20}c{2,}?d", "a{3}@b{20}c{2,}?d");
    row("(?i)(?i:'s|'t)|a", "(?i)(?i:'s|'t)|a");
    row("\\p{L}\\p{N}*+.", "\\p{L}@\\p{N}*+.");
    row("(?:(?=.{99}).)+[cd]", "(?:@(?=.{99}).)+[cd]");
    row("(?:(?:a{9}){9}){2}b", "(?:@(?:a{9}){9}){2}b");
    row("(?:abcdefghijklmnopqrst)+u", "(?C2)(?:abcdefghijklmnopqrst)+u");
    row("a{5000}b", "(?C17)(?C17)a{5000}b");
  }
  void callouts_standWhereSearchesReturn() {
    QFETCH(QString, callouts);
    const std::string pattern = QTest::currentDataTag();
    QCOMPARE(QString::fromStdString(with_callouts(pattern)), callouts.replace("@", "(?C1)"));
  }

  /// So that the clock is not read more often than before for them.
  void callouts_ofPublishedPatterns_countLeast() {
    for (const auto name : gguf_pre_tokenizer_names()) {
      for (const auto pattern : find_gguf_pre_tokenizer(name)->patterns) {
        const auto translated = translate_oniguruma(pattern);
        QVERIFY(translated);
        QString watched = QString::fromStdString(with_callouts(*translated));
        watched.remove("(?C1)");
        QVERIFY2(!watched.contains("(?C"), qPrintable(watched));
      }
    }
  }

  /// Each repeat of the group takes tens of thousands of steps without a choice.
  void find_looksAtTheClockWithinLongRepeats() {
    std::string pattern = "(?:";
    for (int i = 0; i < 60; ++i) pattern += "(?=(?:(?:.{15}){15}){2})";
    const auto regex = Regex::compile(pattern + ".)+[YZ]");
    QVERIFY(regex);
    RegexScanner scanner(*regex);
    WorkBudget budget({.cpu_time = std::chrono::milliseconds(10)});
    const double begin = test::thread_ms();
    QVERIFY(!scanner.find(std::string(1200, 'a'), 0, budget));
    const double taken = test::thread_ms() - begin;
    QVERIFY(budget.is_spent());
    QVERIFY2(taken < 1000, qPrintable(QString::number(taken)));
  }

  /// A scanner for each of many texts, each of which takes less than what the clock is read after.
  void searchesOfManyTexts_shareTheBudget() {
    for (const char* pattern : {"[bc]d", "a*[bc]"}) {
      const auto regex = Regex::compile(pattern);
      QVERIFY(regex);
      WorkBudget budget({.steps = 1000});
      for (int i = 0; i < 100; ++i) RegexScanner(*regex).find(std::string(500, 'a'), 0, budget);
      QVERIFY2(budget.is_spent(), pattern);
    }
  }

  /// A search of two million places without a match, each of which takes a microsecond.
  void find_looksAtTheClockBetweenWindows() {
    std::string pattern = "z";
    for (int i = 0; i < 300; ++i) pattern += "|[\\p{Lu}b]z";
    const auto regex = Regex::compile(pattern);
    QVERIFY(regex);
    RegexScanner scanner(*regex);
    std::string text(2'000'000, 'a');
    text += 'z';
    WorkBudget budget({.cpu_time = std::chrono::milliseconds(10)});
    const double begin = test::thread_ms();
    QVERIFY(!scanner.find(text, 0, budget));
    QVERIFY(budget.is_spent());
    QVERIFY2(test::thread_ms() - begin < 500,
             qPrintable(QString::number(test::thread_ms() - begin)));
  }

  void ggufPatterns_compile() {
    QVERIFY(gguf_pre_tokenizer_names().size() > 50);
    for (const auto name : gguf_pre_tokenizer_names()) {
      for (const auto pattern : find_gguf_pre_tokenizer(name)->patterns) {
        const auto regex = Regex::compile(pattern);
        QVERIFY2(regex, regex ? "" : regex.error().message.c_str());
      }
    }
    QVERIFY(find_gguf_pre_tokenizer("no such") == nullptr);
  }

  /// The same patterns as from a file and as Quire's own, on texts of what they tell apart.
  void callouts_changeNoMatch() {
    static constexpr std::string_view kParts[] = {
        "a", "B",  "é",    "한",     "字",     " ",   "  ",     "\n", "\r\n", "\t",
        "1", "23", "456",  "'s",     "'LL",    "\'",  "_",      ".",  ",",    "-",
        "¿", "…",  "🙂", "\u0301", "\u3000", "the", "IMGIMG", "<"};
    std::mt19937 random(22);
    for (const auto name : gguf_pre_tokenizer_names()) {
      for (const auto pattern : find_gguf_pre_tokenizer(name)->patterns) {
        const auto watched = Regex::compile(pattern);
        const auto trusted = Regex::compile_trusted(pattern);
        QVERIFY(watched && trusted);
        std::string text;
        while (text.size() < 20'000) text += kParts[random() % std::size(kParts)];
        QCOMPARE(matches_of(*watched, text), matches_of(*trusted, text));
      }
    }
  }

  /// Translating replaces each word boundary by four long classes.
  void longPattern_isRefusedBeforeTranslating() {
    std::string pattern;
    while (pattern.size() < 100'000) pattern += "\\b";
    const std::clock_t start = std::clock();
    const auto regex = Regex::compile(pattern);
    const auto cpu_ms = (std::clock() - start) * 1000 / CLOCKS_PER_SEC;
    QVERIFY(!regex);
    QCOMPARE(regex.error().message, std::string("it is longer than 4096 bytes"));
    QVERIFY2(cpu_ms < 100, qPrintable(QString("took %1 ms").arg(cpu_ms)));
    QVERIFY(Regex::compile(std::string(4096, 'a')));
  }
};

QTEST_APPLESS_MAIN(TestRegex)
#include "tst_regex.moc"
