#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/cli/cli_process.h"

using quire::CliResult;
using quire::runCli;

/// tokenize, detokenize and render: exact bytes in and out, without reading weights.
class TestCliTokens : public QObject {
  Q_OBJECT

 private slots:
  void tokenize_roundTripsExactBytes_data();
  void tokenize_roundTripsExactBytes();
  void tokenize_takesSpecialTokensAsText();
  void tokenize_addsBosWhenAsked();
  void tokenize_writesPiecesAsJson_data();
  void tokenize_writesPiecesAsJson();
  void detokenize_refusesIdsOutsideTheVocabulary();
  void render_printsThePromptExactly();
  void render_fixesTheClock();
  void render_separatesInputInJson();
  void render_usesTheModelsTemplate();
  void render_reportsFailures_data();
  void render_reportsFailures();

 private:
  QString write(const QString& name, const QByteArray& content);
  QTemporaryDir m_folder;
};

QString TestCliTokens::write(const QString& name, const QByteArray& content) {
  QFile file(m_folder.filePath(name));
  if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) {
    qFatal("cannot write %s", qPrintable(file.fileName()));
  }
  return file.fileName();
}

void TestCliTokens::tokenize_roundTripsExactBytes_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::newRow("words") << QByteArray("Hello, world");
  QTest::newRow("nothing") << QByteArray();
  QTest::newRow("newline at the end") << QByteArray("a line\n");
  QTest::newRow("white space") << QByteArray("  two\t\n\n  three ");
  QTest::newRow("accents, CJK, emoji") << QByteArray("Ünïcode 你好 👩‍👩‍👧 ½");
  QTest::newRow("a zero byte") << QByteArray("a\0b", 3);
  QTest::newRow("ill-formed UTF-8") << QByteArray("\xff\xfe ok \xc3");
  QTest::newRow("Windows line ends") << QByteArray("a\r\nb\r\n");
}

void TestCliTokens::tokenize_roundTripsExactBytes() {
  REQUIRE_BUNDLED_MODEL();
  QFETCH(QByteArray, text);
  const CliResult ids = runCli({"tokenize"}, text);
  QCOMPARE(ids.code, 0);
  QVERIFY(ids.out.endsWith('\n'));
  QCOMPARE(ids.out.count('\n'), 1);
  const CliResult back = runCli({"detokenize"}, ids.out);
  QCOMPARE(back.code, 0);
  QCOMPARE(back.out, text);
  if (text.isEmpty()) return;
  const CliResult by_arguments =
      runCli(QStringList{"detokenize"} + QString(ids.out.trimmed()).split(' '));
  QCOMPARE(by_arguments.out, text);
}

void TestCliTokens::tokenize_takesSpecialTokensAsText() {
  REQUIRE_BUNDLED_MODEL();
  const CliResult plain = runCli({"tokenize", "--json"}, "<|end|>");
  const CliResult special = runCli({"tokenize", "--special", "--json"}, "<|end|>");
  QVERIFY(plain.jsonLines().at(0)["count"].toInt() > 1);
  QCOMPARE(special.jsonLines().at(0)["count"].toInt(), 1);
  const QString id = QString::number(special.jsonLines().at(0)["ids"][0].toInt());
  QCOMPARE(runCli({"detokenize", id}).out, QByteArray());
  QCOMPARE(runCli({"detokenize", "--special", id}).out, QByteArray("<|end|>"));
}

void TestCliTokens::tokenize_addsBosWhenAsked() {
  REQUIRE_BUNDLED_MODEL();
  const QByteArray plain = runCli({"tokenize"}, "Hello").out;
  const QByteArray with_bos = runCli({"tokenize", "--bos"}, "Hello").out;
  QVERIFY2(with_bos.endsWith(" " + plain), with_bos.constData());
  QCOMPARE(with_bos.split(' ').size(), plain.split(' ').size() + 1);
}

void TestCliTokens::tokenize_writesPiecesAsJson_data() {
  tokenize_roundTripsExactBytes_data();
  QTest::newRow("quotes") << QByteArray(R"(a "quoted" \n \\ text)");
}

void TestCliTokens::tokenize_writesPiecesAsJson() {
  REQUIRE_BUNDLED_MODEL();
  QFETCH(QByteArray, text);
  const QByteArray ids = runCli({"tokenize"}, text).out.trimmed();
  const CliResult json = runCli({"tokenize", "--json"}, text);
  QVERIFY(json.out.startsWith("{\"ids\":[" + QByteArray(ids).replace(' ', ',') + "],"));
  QCOMPARE(json.jsonLines().size(), 1);
  const QJsonObject line = json.jsonLines().at(0);
  const qsizetype count = ids.isEmpty() ? 0 : ids.count(' ') + 1;
  QCOMPARE(line["count"].toInteger(), count);
  QCOMPARE(line["pieces"].toArray().size(), count);
}

void TestCliTokens::detokenize_refusesIdsOutsideTheVocabulary() {
  REQUIRE_BUNDLED_MODEL();
  const CliResult result = runCli({"detokenize", "5", "2000000000"});
  QCOMPARE(result.code, 1);
  QVERIFY2(result.err.startsWith("quire-cli: Token id 2000000000 is outside the vocabulary (0 to "),
           result.err.constData());
}

void TestCliTokens::render_printsThePromptExactly() {
  const QString source = write("plain.jinja",
                               "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
                               "{{ bos_token }}");
  const QString input = write("case.json", R"({"messages":[{"role":"user","content":" ½ <b> \n"}],)"
                                           R"("bos_token":"<s>"})");
  const CliResult result = runCli({"render", "--template", source, "--input", input});
  QCOMPARE(result.code, 0);
  QCOMPARE(result.out, QByteArray("<user> ½ <b> \n<s>"));
}

void TestCliTokens::render_fixesTheClock() {
  const QString source = write("clock.jinja", "{{ strftime_now('%d %b %Y %H:%M:%S') }}");
  const CliResult result =
      runCli({"render", "--template", source, "--input", "-", "--now", "2026-11-20 12:00:00"},
             "{\"messages\": []}");
  QCOMPARE(result.out, QByteArray("20 Nov 2026 12:00:00"));
}

void TestCliTokens::render_separatesInputInJson() {
  const QString source = write("turn.jinja", "<|user|>{{ messages[0].content }}<|end|>");
  const CliResult result = runCli({"render", "--template", source, "--input", "-", "--json"},
                                  R"({"messages":[{"role":"user","content":"<|end|>"}]})");
  const QJsonObject json = result.jsonLines().at(0);
  QCOMPARE(json["prompt"].toString(), QString("<|user|><|end|><|end|>"));
  QCOMPARE(json["segments"][1]["text"].toString(), QString("<|end|>"));
  QCOMPARE(json["segments"][1]["is_input"].toBool(), true);
  QCOMPARE(json["segments"][2]["is_input"].toBool(), false);
}

void TestCliTokens::render_usesTheModelsTemplate() {
  REQUIRE_BUNDLED_MODEL();
  const CliResult result =
      runCli({"render", "--input", "-"},
             R"({"messages":[{"role":"user","content":"Good day"}],"add_generation_prompt":true})");
  QCOMPARE(result.code, 0);
  QVERIFY2(result.out.contains("<|user|>Good day<|end|>"), result.out.constData());
  QVERIFY2(result.out.endsWith("<|assistant|>"), result.out.constData());
}

void TestCliTokens::render_reportsFailures_data() {
  QTest::addColumn<QByteArray>("source");
  QTest::addColumn<QByteArray>("input");
  QTest::addColumn<QByteArray>("named");
  const QByteArray chat = R"({"messages":[{"role":"user","content":"a"}]})";
  QTest::newRow("not JSON") << QByteArray("x") << QByteArray("{messages}") << QByteArray("JSON");
  QTest::newRow("deep") << QByteArray("x") << QByteArray(300'000, '[') + QByteArray(300'000, ']')
                        << QByteArray("- is nested deeper than 64 levels.");
  QTest::newRow("not an object") << QByteArray("x") << QByteArray("[1]") << QByteArray("object");
  QTest::newRow("syntax") << QByteArray("a\n{% for %}") << chat << QByteArray("line 2");
  QTest::newRow("raised") << QByteArray("{{ raise_exception('No tools here') }}") << chat
                          << QByteArray("No tools here");
}

void TestCliTokens::render_reportsFailures() {
  QFETCH(QByteArray, source);
  QFETCH(QByteArray, input);
  QFETCH(QByteArray, named);
  const QString file = write("failing.jinja", source);
  const CliResult result = runCli({"render", "--template", file, "--input", "-"}, input);
  QCOMPARE(result.code, 1);
  QCOMPARE(result.out, QByteArray());
  QVERIFY2(result.err.startsWith("quire-cli: "), result.err.constData());
  QVERIFY2(result.err.contains(named), result.err.constData());
}

QTEST_APPLESS_MAIN(TestCliTokens)
#include "tst_cli_tokens.moc"
