#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/cli/cli_process.h"

using quire::runCli;

/// What is wrong with a command line is said before a model is read: one sentence, exit code 2.
class TestCliUsage : public QObject {
  Q_OBJECT

 private slots:
  void help_hasExamples_data();
  void help_hasExamples();
  void version_isPrinted();
  void wrongUsage_namesTheOption_data();
  void wrongUsage_namesTheOption();
  void emptyKeyOfTheEnvironment_isRefused();
  void impossibleRequest_isRefusedAtOnce_data();
  void impossibleRequest_isRefusedAtOnce();
  void foreignPrefixCache_isLeftAsItIs();
};

void TestCliUsage::help_hasExamples_data() {
  QTest::addColumn<QString>("verb");
  for (const char* verb : {"", "generate", "chat", "tokenize", "detokenize", "render", "logits",
                           "embed", "inspect", "perplexity", "bench", "replay"}) {
    QTest::addRow("help %s", verb) << QString(verb);
  }
}

void TestCliUsage::help_hasExamples() {
  QFETCH(QString, verb);
  const auto result = runCli(verb.isEmpty() ? QStringList{"--help"} : QStringList{verb, "--help"});
  QCOMPARE(result.code, 0);
  QVERIFY2(result.out.contains("Examples:\n  "), result.out.constData());
  QVERIFY2(result.out.contains(("quire-cli " + verb).toUtf8()), result.out.constData());
  QVERIFY2(result.out.contains("--model"), result.out.constData());
  QCOMPARE(result.err, QByteArray());
}

void TestCliUsage::version_isPrinted() {
  const auto result = runCli({"--version"});
  QCOMPARE(result.code, 0);
  QVERIFY(result.out.startsWith("quire-cli 0."));
}

void TestCliUsage::wrongUsage_namesTheOption_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("named");
  const auto row = [](const char* name, const QStringList& arguments, const char* named) {
    QTest::newRow(name) << arguments << QString(named);
  };
  row("no verb", {}, "missing command");
  row("unknown verb", {"explain"}, "explain");
  row("tuned without devices", {"inspect", "--tune"}, "--devices");
  row("two verbs", {"inspect", "bench"}, "bench");
  row("unknown option", {"generate", "--prompt", "a", "--temprature", "1"}, "--temprature");
  row("missing value", {"generate", "--prompt"}, "--prompt");
  row("no prompt", {"generate"}, "--prompt");
  row("two prompts", {"generate", "--prompt", "a", "--tokens", "1"}, "--prompt");
  row("count is a word", {"generate", "--prompt", "a", "--max-tokens", "many"}, "--max-tokens");
  row("count with a tail", {"generate", "--prompt", "a", "--max-tokens", "12x"}, "--max-tokens");
  row("count too large", {"generate", "--prompt", "a", "--max-tokens", "99999999999"},
      "--max-tokens");
  row("no tokens asked for", {"generate", "--prompt", "a", "--max-tokens", "0"}, "--max-tokens");
  const char* seeds = "--seed: must be a whole number from 0 to 18446744073709551615, not '";
  for (const char* seed : {"-1", "1.5", "0x10", "abc", "18446744073709551616"}) {
    row(qPrintable(QString("seed %1").arg(seed)), {"generate", "--prompt", "a", "--seed", seed},
        seeds);
  }
  for (const char* id : {"0", "-1", "x", "1.5", "99999999999999999999"}) {
    for (const char* option : {"--chat", "--message"}) {
      row(qPrintable(QString("%1 %2").arg(option, id)), {"replay", option, id},
          qPrintable(QString("%1: must be a whole number from 1 to 9223372036854775807, not '%2'")
                         .arg(option, id)));
    }
  }
  for (const char* pause : {"nan", "-1", "0.5", "600001"}) {
    row(qPrintable(QString("pause %1").arg(pause)),
        {"bench", "--scenario", "parallel-chats", "--think-ms", pause},
        "--think-ms: must be a whole number from 0 to 600000, not '");
  }
  row("temperature is a word", {"generate", "--prompt", "a", "--temperature", "hot"},
      "--temperature");
  row("temperature below 0", {"generate", "--prompt", "a", "--temperature", "-1"}, "temperature");
  row("temperature is not a number", {"generate", "--prompt", "a", "--temperature", "nan"},
      "temperature");
  row("top_p above 1", {"generate", "--prompt", "a", "--top-p", "1.5"}, "top_p");
  row("bad token id", {"generate", "--tokens", "1,two,3"}, "'two'");
  row("negative token id", {"generate", "--tokens", "1,-2"}, "'-2'");
  row("token id too large", {"logits", "--tokens", "1,4294967296"}, "'4294967296'");
  row("no token ids", {"logits", "--tokens", ","}, "--tokens");
  row("bad id to decode", {"detokenize", "12", "abc"}, "'abc'");
  row("chat of tokens", {"generate", "--chat", "--tokens", "1"}, "--chat");
  row("system without chat", {"generate", "--prompt", "a", "--system", "b"}, "--system");
  row("parallel files", {"generate", "--messages", "x.jsonl", "--parallel", "2"}, "--parallel");
  row("unknown precision", {"generate", "--prompt", "a", "--kv-dtype", "f8"}, "--kv-dtype");
  row("negative context", {"generate", "--prompt", "a", "--context", "-5"}, "--context");
  row("negative threads", {"generate", "--prompt", "a", "--threads", "-1"}, "--threads");
  row("more threads than processors", {"generate", "--prompt", "a", "--threads", "1024"},
      "the number of processors here");
  row("empty key", {"serve", "--api-key", ""}, "--api-key: is empty");
  row("negative port", {"serve", "--port", "-1"},
      "--port: must be a whole number from 0 to 65535, not '-1'");
  row("top_k below 0", {"generate", "--prompt", "a", "--top-k", "-4"}, "at most 2147483647");
  row("data without devices", {"inspect", "--data", "/tmp"}, "--devices");
  row("render without input", {"render"}, "--input");
  row("bad time", {"render", "--input", "-", "--now", "yesterday"}, "'yesterday'");
  row("impossible date", {"render", "--input", "-", "--now", "2026-02-30 00:00:00"}, "2026-02-30");
  row("perplexity of nothing", {"perplexity"}, "--file");
  row("prefix longer than prompt", {"bench", "--prompt-tokens", "8", "--shared-prefix", "9"},
      "--shared-prefix");
  row("empty model", {"inspect", "--model", ""}, "--model");
  row("chat in JSON", {"chat", "--json"}, "--json");
  row("logprobs in plain text", {"generate", "--prompt", "a", "--logprobs", "2"}, "--json");
  row("unknown measure", {"bench", "--scenario", "peers", "--measures", "decode_3"}, "--measures");
  row("unknown text", {"bench", "--scenario", "speculation", "--texts", "verse"}, "--texts");
  row("draft of another measurement", {"bench", "--draft", "x"}, "--draft");
  row("no chats", {"bench", "--parallel", "0"}, "--parallel");
  row("no such command", {"nope"}, "there is no command \"nope\" (see");
  row("nearly a command", {"generat", "--prompt", "a"},
      "there is no command \"generat\"; did you mean \"generate\"?");
  row("swapped letters", {"--device", "cpu", "sevre"}, "did you mean \"serve\"?");
  row("its beginning", {"perp"}, "did you mean \"perplexity\"?");
  row("too many words", {"tokenize", "a", "--nope"}, "not expected: --nope");
}

void TestCliUsage::wrongUsage_namesTheOption() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, named);
  const auto result = runCli(arguments);
  QCOMPARE(result.code, 2);
  QCOMPARE(result.out, QByteArray());
  QVERIFY2(result.err.startsWith("quire-cli: "), result.err.constData());
  QCOMPARE(result.err.count('\n'), 1);
  QVERIFY2(result.err.contains(named.toUtf8()), result.err.constData());
}

void TestCliUsage::emptyKeyOfTheEnvironment_isRefused() {
  const bool wasSet = qEnvironmentVariableIsSet("QUIRE_API_KEY");
  const QByteArray before = qgetenv("QUIRE_API_KEY");
  qputenv("QUIRE_API_KEY", "");
  const auto result = runCli({"serve", "--port", "0", "--model", "/no/such/model"});
  wasSet ? qputenv("QUIRE_API_KEY", before) : qunsetenv("QUIRE_API_KEY");
  QCOMPARE(result.code, 2);
  QVERIFY2(
      result.err.startsWith("quire-cli: QUIRE_API_KEY: is empty; set it to a key, or unset it"),
      result.err.constData());
}

/// Nothing is opened for what cannot be done.
void TestCliUsage::impossibleRequest_isRefusedAtOnce_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QByteArray>("why");
  const QString model = quire::bundledModel();
  const QByteArray context = "--context 100000000 is more than this model reads, ";
  QTest::newRow("context") << QStringList{"generate", "--prompt", "a", "--context", "100000000"}
                           << context;
  QTest::newRow("context of a batch")
      << QStringList{"batch", "in.jsonl", "out.jsonl", "--context", "100000000"} << context;
  QTest::newRow("model twice") << QStringList{"serve", "--model", model, "--model", model + "/./"}
                               << QByteArray("twice; name each model once.");
}

void TestCliUsage::impossibleRequest_isRefusedAtOnce() {
  REQUIRE_BUNDLED_MODEL();
  QFETCH(QStringList, arguments);
  QFETCH(QByteArray, why);
  const auto result = runCli(arguments);
  QCOMPARE(result.code, 1);
  QCOMPARE(result.out, QByteArray());
  QVERIFY2(result.err.contains(why), result.err.constData());
  QCOMPARE(result.err.count('\n'), 1);
}

void TestCliUsage::foreignPrefixCache_isLeftAsItIs() {
  QTemporaryDir folder;
  QFile notes(folder.filePath("notes.txt"));
  QVERIFY(notes.open(QIODevice::ReadWrite));
  notes.write("milk, bread");
  notes.close();
  const auto permissions = notes.permissions();
  const auto result = runCli({"generate", "--prompt", "a", "--prefix-cache", notes.fileName()});
  QCOMPARE(result.code, 1);
  QCOMPARE(result.err.count('\n'), 1);
  QVERIFY2(result.err.contains("--prefix-cache: \"" + notes.fileName().toUtf8()),
           result.err.constData());
  QVERIFY(notes.open(QIODevice::ReadOnly));
  QCOMPARE(notes.readAll(), QByteArray("milk, bread"));
  QCOMPARE(notes.permissions(), permissions);
  QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"notes.txt"});
}

QTEST_APPLESS_MAIN(TestCliUsage)
#include "tst_cli_usage.moc"
