#include "app/richtext/code_lexer.h"

#include <QRandomGenerator>
#include <QTest>

using namespace quire;

namespace {

/// The coloured spans of a text, each with a letter for its token: "k:if".
QStringList lexed(const QString& language, const QString& text) {
  QStringList out;
  CodeState state = 0;
  for (const QString& line : text.split('\n')) {
    for (const CodeSpan& span : lexCode(line, codeLanguage(language), state)) {
      const char* const names[] = {"k", "f", "s", "c"};
      out.append(QString("%1:%2").arg(names[static_cast<int>(span.token)],
                                      line.mid(span.begin, span.length)));
    }
  }
  return out;
}

}  // namespace

class CodeLexerTest : public QObject {
  Q_OBJECT

 private slots:
  void tokens_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("tokens");
    const auto row = [](const char* language, const char* text, const QStringList& tokens) {
      QTest::newRow(language) << QString(language) << QString(text) << tokens;
    };
    row("c", "int x = f(1); /* a\nb */ return",
        {"k:int", "f:f", "s:1", "c:/* a", "c:b */", "k:return"});
    row("cpp", "constexpr auto s = \"a\\\"b\"; // end",
        {"k:constexpr", "k:auto", "s:\"a\\\"b\"", "c:// end"});
    row("python", "def f(x):  # c\n  \"\"\"one\n  two\"\"\"",
        {"k:def", "f:f", "c:# c", "s:\"\"\"one", "s:  two\"\"\""});
    row("js", "const a = `x\ny` + await(b)", {"k:const", "s:`x", "s:y`", "k:await"});
    row("typescript", "interface A { b: string }", {"k:interface", "k:string"});
    row("java", "public class A {}", {"k:public", "k:class"});
    row("csharp", "using var x = new A();", {"k:using", "k:var", "k:new", "f:A"});
    row("go", "func main() { ch := make(chan int) }",
        {"k:func", "f:main", "k:make", "k:chan", "k:int"});
    row("rust", "fn f<'a>(x: &'a str) -> u8 { 0 }", {"k:fn", "k:str", "k:u8", "s:0"});
    row("swift", "guard let x = y else { return }", {"k:guard", "k:let", "k:else", "k:return"});
    row("kotlin", "fun main() = println(\"x\")", {"k:fun", "f:main", "f:println", "s:\"x\""});
    row("scala", "case class A(b: Int)", {"k:case", "k:class", "f:A"});
    row("dart", "final x = await f();", {"k:final", "k:await", "f:f"});
    row("php", "echo $x; # c", {"k:echo", "c:# c"});
    row("bash", "if [ $# -gt 0 ]; then # c", {"k:if", "s:0", "k:then", "c:# c"});
    row("powershell", "ForEach ($x in $y) {}", {"k:ForEach", "k:in"});
    row("ruby", "def f; end # c", {"k:def", "k:end", "c:# c"});
    row("perl", "my $x = 1;", {"k:my", "s:1"});
    row("r", "f <- function(x) TRUE", {"k:function", "k:TRUE"});
    row("lua", "--[[ a\nb ]] local x -- c", {"c:--[[ a", "c:b ]]", "k:local", "c:-- c"});
    row("haskell", "main = do -- c", {"k:do", "c:-- c"});
    row("sql", "SELECT count(*) from t -- c", {"k:SELECT", "f:count", "k:from", "c:-- c"});
    row("css", "a { color: red; } /* c */", {"c:/* c */"});
    row("html", "<a href=\"x\"><!-- c --></a>",
        {"k:a", "f:href", "s:\"x\"", "c:<!-- c -->", "k:a"});
    row("json", "{\"a\": true, \"b\": 1.5}", {"s:\"a\"", "k:true", "s:\"b\"", "s:1.5"});
    row("yaml", "a: true # c", {"k:true", "c:# c"});
    row("dockerfile", "FROM debian AS base", {"k:FROM", "k:AS"});
    row("makefile", "ifeq (a,b)", {"k:ifeq"});
    row("text", "if x", {});
    row("no such language", "if (x) return", {"k:if", "k:return"});
  }
  void tokens() {
    QFETCH(QString, language);
    QFETCH(QString, text);
    QTEST(lexed(language, text), "tokens");
  }

  void spans_areInOrder_forAnyText() {
    const quint32 seed = QRandomGenerator::global()->generate();
    qInfo("seed %u", seed);
    QRandomGenerator random(seed);
    static const QString kLetters = QStringLiteral("a1 \"'`#/*<>-!\\\\([{]}=_한\n");
    for (const char* language : {"cpp", "python", "js", "html", "lua", "sql", "rust"}) {
      for (int round = 0; round < 200; ++round) {
        QString line;
        for (int i = random.bounded(60); i > 0; --i)
          line += kLetters[random.bounded(kLetters.size())];
        CodeState state = random.bounded(4);
        qsizetype at = 0;
        for (const CodeSpan& span : lexCode(line, codeLanguage(language), state)) {
          QVERIFY(span.begin >= at && span.length >= 0);
          at = span.begin + span.length;
        }
        QVERIFY(at <= line.size());
      }
    }
  }
};

QTEST_GUILESS_MAIN(CodeLexerTest)
#include "tst_code_lexer.moc"
