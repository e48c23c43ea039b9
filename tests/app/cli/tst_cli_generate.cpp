#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>

#include "tests/app/cli/cli_process.h"
#include "tests/support/random_adapter.h"

using quire::CliResult;
using quire::runCli;

/// generate, logits, perplexity and bench on the bundled model.
class TestCliGenerate : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { REQUIRE_BUNDLED_MODEL(); }
  void chat_knowsTheCapitalOfFrance();
  void json_holdsTheWholeAnswer();
  void text_equalsTheJsonText();
  void stdin_isThePromptForDash();
  void stop_endsBeforeTheString();
  void seed_decidesTheAnswer();
  void parallel_usesConsecutiveSeeds();
  void prefixCache_isReadByTheNextRun_data();
  void prefixCache_isReadByTheNextRun();
  void tokens_areTakenAsTheyAre();
  void badInput_failsInOneSentence_data();
  void badInput_failsInOneSentence();
  void messages_nameTheLineAtFault();
  void messages_areLimitedByChat_notByFile();
  void closedPipe_endsQuietly();
  void logits_agreeInAllForms();
  void adapter_changesTheAnswerOrIsNamed();
  void embed_printsVectorsOfLengthOne();
  void perplexity_equalsTheLogits();
  void bench_reportsWhatItMeasured();
  void bench_reportsStatesOfRecurrentLayers();
  void benchPeers_measuresWhatIsNamed();
  void bench_refusesWhatDoesNotFit_data();
  void bench_refusesWhatDoesNotFit();
  void benchParallelChats_computesNothingTwice();
  void benchParallelChats_playsEightUnlessTold();
  void benchParallelChats_leavesOutWhatOneChatCannotSay();
};

namespace {

const QStringList kGreedyParis = {
    "generate",     "--chat", "--temperature", "0",
    "--max-tokens", "24",     "--prompt",      "What is the capital of France?"};

QList<int> ints(const QJsonValue& list) {
  QList<int> result;
  for (const QJsonValue& value : list.toArray()) result << value.toInt();
  return result;
}

const QStringList kShortChats = {"bench",
                                 "--scenario",
                                 "parallel-chats",
                                 "--persona-tokens",
                                 "20",
                                 "--turns",
                                 "1",
                                 "--user-tokens",
                                 "4",
                                 "--generate-tokens",
                                 "2",
                                 "--think-ms",
                                 "1"};

QString joined(const QList<int>& ids) {
  QStringList parts;
  for (const int id : ids) parts << QString::number(id);
  return parts.join(',');
}

int usage(const QJsonObject& answer, const char* which) {
  return answer["usage"][which].toInt(-1);
}

}  // namespace

void TestCliGenerate::chat_knowsTheCapitalOfFrance() {
  const CliResult result = runCli(kGreedyParis);
  QCOMPARE(result.code, 0);
  QCOMPARE(result.err, QByteArray());
  QVERIFY2(result.out.contains("Paris"), result.out.constData());
}

void TestCliGenerate::json_holdsTheWholeAnswer() {
  const CliResult result = runCli(kGreedyParis + QStringList{"--json", "--logprobs", "2"});
  QCOMPARE(result.code, 0);
  QCOMPARE(result.out.count('\n'), 1);
  const QJsonObject answer = result.jsonLines().at(0);
  const int output_tokens = answer["usage"]["output_tokens"].toInt();
  QVERIFY(output_tokens > 0 && output_tokens <= 24);
  QCOMPARE(answer["usage"]["prompt_tokens"].toInt(), answer["prompt_tokens"].toArray().size());
  QCOMPARE(answer["usage"]["cached_tokens"].toInt(), 0);
  QVERIFY(answer["usage"]["computed_tokens"].toInt() >= answer["prompt_tokens"].toArray().size());
  QVERIFY(answer["usage"]["ttft_ms"].toDouble() > 0.0);
  QVERIFY(answer["usage"]["total_ms"].toDouble() >= answer["usage"]["ttft_ms"].toDouble());
  QVERIFY(answer["finish"].toString() == "end" || answer["finish"].toString() == "length");
  const QList<int> tokens = ints(answer["tokens"]);
  const QJsonArray logprobs = answer["logprobs"].toArray();
  QVERIFY(logprobs.size() >= tokens.size());
  for (qsizetype i = 0; i < tokens.size(); ++i) {
    QCOMPARE(logprobs[i]["id"].toInt(), tokens[i]);
    QCOMPARE(logprobs[i]["top"].toArray().size(), 2);
    // Greedy: the chosen token is the likeliest one.
    QCOMPARE(logprobs[i]["top"][0]["logprob"].toDouble(), logprobs[i]["logprob"].toDouble());
    QVERIFY(logprobs[i]["logprob"].toDouble() <= 0.0);
  }
}

void TestCliGenerate::text_equalsTheJsonText() {
  const QByteArray text = runCli(kGreedyParis).out;
  const QJsonObject json = runCli(kGreedyParis + QStringList{"--json"}).jsonLines().at(0);
  QCOMPARE(QString::fromUtf8(text), json["text"].toString() + "\n");
}

void TestCliGenerate::stdin_isThePromptForDash() {
  const QStringList options = {"generate", "--max-tokens", "8", "--temperature", "0", "--json"};
  const CliResult given = runCli(options + QStringList{"--prompt", "One, two, three"});
  const CliResult piped = runCli(options + QStringList{"--prompt", "-"}, "One, two, three\n");
  QCOMPARE(piped.jsonLines().at(0)["prompt_tokens"], given.jsonLines().at(0)["prompt_tokens"]);
  QCOMPARE(piped.jsonLines().at(0)["text"], given.jsonLines().at(0)["text"]);
}

void TestCliGenerate::stop_endsBeforeTheString() {
  const QString whole =
      runCli(kGreedyParis + QStringList{"--json"}).jsonLines().at(0)["text"].toString();
  QVERIFY(whole.size() >= 6);
  const QString stop = whole.mid(3, 3);
  const QJsonObject cut =
      runCli(kGreedyParis + QStringList{"--json", "--stop", "never said", "--stop", stop})
          .jsonLines()
          .at(0);
  QCOMPARE(cut["finish"].toString(), QString("stop"));
  QCOMPARE(cut["text"].toString(), whole.left(whole.indexOf(stop)));
}

void TestCliGenerate::seed_decidesTheAnswer() {
  const QStringList options = {"generate", "--chat",       "--prompt", "Tell me a story.",
                               "--json",   "--max-tokens", "24",       "--temperature",
                               "1.5"};
  const auto text = [&](const char* seed) {
    return runCli(options + QStringList{"--seed", seed}).jsonLines().at(0)["text"].toString();
  };
  QCOMPARE(text("7"), text("7"));
  QVERIFY(text("7") != text("8"));
}

void TestCliGenerate::parallel_usesConsecutiveSeeds() {
  const QStringList options = {"generate", "--chat",       "--prompt", "Tell me a story.",
                               "--json",   "--max-tokens", "12",       "--temperature",
                               "1.5"};
  const CliResult together = runCli(options + QStringList{"--seed", "40", "--parallel", "3"});
  QCOMPARE(together.code, 0);
  QCOMPARE(together.jsonLines().size(), 3);
  for (int i = 0; i < 3; ++i) {
    const CliResult alone = runCli(options + QStringList{"--seed", QString::number(40 + i)});
    QCOMPARE(together.jsonLines().at(i)["tokens"], alone.jsonLines().at(0)["tokens"]);
  }
  QStringList plain = options + QStringList{"--parallel", "2"};
  plain.removeAll("--json");
  QVERIFY(runCli(plain).out.contains("\n----\n"));
}

void TestCliGenerate::prefixCache_isReadByTheNextRun_data() {
  const QString long_text = QString("The river walks past the lamp and the stone. ").repeated(12);
  const QByteArray chat = QString(R"({"messages": [{"role": "system", "content": "%1"},)"
                                  R"( {"role": "user", "content": "Hello!"}]})")
                              .arg(long_text.trimmed())
                              .toUtf8();
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QByteArray>("input");
  QTest::addColumn<bool>("changes");  // The next run asks something else under the same system.
  const QByteArray none;
  QTest::newRow("plain") << QStringList{"--prompt", long_text} << none << false;
  QTest::newRow("in parallel") << QStringList{"--prompt", long_text, "--parallel", "3"} << none
                               << false;
  QTest::newRow("chat") << QStringList{"--chat", "--prompt", long_text} << none << false;
  QTest::newRow("system") << QStringList{"--chat", "--system", long_text, "--prompt", "Hello!"}
                          << none << true;
  QTest::newRow("messages") << QStringList{"--messages", "-"} << chat + "\n" + chat << true;
}

void TestCliGenerate::prefixCache_isReadByTheNextRun() {
  QFETCH(QStringList, arguments);
  QFETCH(QByteArray, input);
  QFETCH(bool, changes);
  QStringList nextArguments = arguments;
  QByteArray nextInput = input;
  if (changes) {
    nextArguments.replaceInStrings("Hello!", "Who are you?");
    nextInput.replace("Hello!", "Who are you?");
  }
  QJsonObject before, answer;
  // On a busy machine the file may be written, opened or read too late.
  for (int attempt = 0; attempt < 3 && usage(answer, "disk_tokens") < 64; ++attempt) {
    QTemporaryDir folder;
    const QStringList fixed = {"generate",     "--json", "--temperature",  "0",
                               "--max-tokens", "4",      "--prefix-cache", folder.filePath("cache"),
                               "--threads",    "2"};
    const CliResult first = runCli(fixed + arguments, input);
    QCOMPARE(first.err, QByteArray());
    before = first.jsonLines().value(0);
    QCOMPARE(usage(before, "disk_tokens"), 0);
    answer = runCli(fixed + nextArguments, nextInput).jsonLines().value(0);
  }
  QVERIFY(usage(answer, "prompt_tokens") >= 100);
  QVERIFY2(usage(answer, "disk_tokens") >= 64, QJsonDocument(answer).toJson());
  if (!changes) QCOMPARE(answer["tokens"], before["tokens"]);
}

void TestCliGenerate::tokens_areTakenAsTheyAre() {
  const QJsonObject chat = runCli(kGreedyParis + QStringList{"--json"}).jsonLines().at(0);
  const QJsonObject again = runCli({"generate", "--temperature", "0", "--max-tokens", "24",
                                    "--json", "--tokens", joined(ints(chat["prompt_tokens"]))})
                                .jsonLines()
                                .at(0);
  QCOMPARE(again["prompt_tokens"], chat["prompt_tokens"]);
  QCOMPARE(again["tokens"], chat["tokens"]);
}

void TestCliGenerate::badInput_failsInOneSentence_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QByteArray>("input");
  QTest::addColumn<QByteArray>("sentence");
  const auto row = [](const char* name, const QStringList& arguments, const QByteArray& input,
                      const char* sentence) {
    QTest::newRow(name) << (QStringList{"generate"} + arguments) << QByteArray(input)
                        << QByteArray(sentence);
  };
  row("empty prompt", {"--prompt", ""}, "", "The prompt is empty.");
  row("empty stdin", {"--prompt", "-"}, "\n", "The prompt is empty.");
  row("empty chat prompt", {"--chat", "--prompt", ""}, "", "The prompt is empty.");
  row("no chats", {"--messages", "-"}, "\n\n", "standard input holds no chats.");
  row("not JSON", {"--messages", "-"}, "{\"messages\"\n",
      "standard input, line 1: this is not JSON (column 12: unexpected end of input; expected "
      "':').");
  row("deep", {"--messages", "-"}, QByteArray(300'000, '[') + QByteArray(300'000, ']'),
      "standard input, line 1: this is nested deeper than 64 levels.");
  row("no messages", {"--messages", "-"}, "{\"prompt\": \"a\"}\n",
      "standard input, line 1: this is not an object with a list \"messages\".");
  row("an empty chat", {"--messages", "-"}, "{\"messages\": []}\n",
      "standard input, line 1: \"messages\" is empty.");
  row("content is a number", {"--messages", "-"},
      "{\"messages\": [{\"role\": \"user\", \"content\": 5}]}\n",
      "standard input, line 1: every message is an object with the strings \"role\" and "
      "\"content\".");
  row("no such file", {"--messages", "no/such/file.jsonl"}, "",
      "Cannot open no/such/file.jsonl: No such file or directory.");
  row("a folder", {"--messages", "/"}, "", "/ is a folder, not a file.");
}

void TestCliGenerate::badInput_failsInOneSentence() {
  QFETCH(QStringList, arguments);
  QFETCH(QByteArray, input);
  QFETCH(QByteArray, sentence);
  const CliResult result = runCli(arguments, input);
  QCOMPARE(result.code, 1);
  QCOMPARE(result.out, QByteArray());
  QCOMPARE(result.err, "quire-cli: " + sentence + "\n");
}

void TestCliGenerate::messages_nameTheLineAtFault() {
  const CliResult result = runCli({"generate", "--messages", "-"},
                                  "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}\n"
                                  "\n"
                                  "{\"messages\": [{\"role\": \"robot\", \"content\": \"a\"}]}\n");
  QCOMPARE(result.code, 1);
  QVERIFY2(result.err.startsWith("quire-cli: standard input, line 3: "), result.err.constData());
  QVERIFY2(result.err.contains("robot"), result.err.constData());
}

void TestCliGenerate::messages_areLimitedByChat_notByFile() {
  const QByteArray chat = "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"x\": \"" +
                          QByteArray(9 << 20, 'x') + "\"}\n";
  const CliResult result =
      runCli({"generate", "--messages", "-", "--max-tokens", "1", "--json"}, chat + chat);
  QCOMPARE(result.err, QByteArray());
  QCOMPARE(result.jsonLines().size(), 2);
}

void TestCliGenerate::closedPipe_endsQuietly() {
  QProcess reader;
  // head ends after the first line; what it did not read closes the pipe.
  reader.start("sh", {"-c", QString("'%1' generate --tokens 1 --ignore-eos --max-tokens 200 "
                                    "--parallel 8 --json | head -n 1 >/dev/null")
                                .arg(QUIRE_CLI_PATH)});
  QVERIFY(reader.waitForFinished(120'000));
  QCOMPARE(reader.readAllStandardError(), QByteArray());
}

void TestCliGenerate::logits_agreeInAllForms() {
  const QStringList options = {"logits", "--tokens", "1,20,300,41"};
  const QJsonArray last = QJsonDocument::fromJson(runCli(options).out).array();
  const QJsonArray all =
      QJsonDocument::fromJson(runCli(options + QStringList{"--all"}).out).array();
  QCOMPARE(all.size(), 4);
  QCOMPARE(all[3].toArray(), last);
  QTemporaryDir folder;
  const QString path = folder.filePath("logits.f32");
  const CliResult written = runCli(options + QStringList{"--all", "--output", path});
  QCOMPARE(written.code, 0);
  QCOMPARE(written.out, QByteArray());
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray bytes = file.readAll();
  QCOMPARE(bytes.size(), 4 * last.size() * 4);
  for (qsizetype i = 0; i < last.size(); ++i) {
    float value = 0.0f;
    std::memcpy(&value, bytes.constData() + (3 * last.size() + i) * 4, 4);
    QCOMPARE(static_cast<double>(value), last[i].toDouble());
  }
  const CliResult outside = runCli({"logits", "--tokens", "1,999999"});
  QCOMPARE(outside.code, 1);
  QVERIFY2(outside.err.contains("999999"), outside.err.constData());
}

void TestCliGenerate::adapter_changesTheAnswerOrIsNamed() {
  QTemporaryDir folder;
  const QString adapter = folder.path() + "/tone";
  quire::write_random_adapter(adapter.toStdString(), 1);
  const QString model = QStringLiteral(QUIRE_SOURCE_DIR "/resources/models/quire-mini-draft");
  const QStringList options = {"generate", "--model",       model, "--prompt",     "Once",
                               "--json",   "--temperature", "0",   "--max-tokens", "12"};
  const auto tokens = [](const CliResult& result) {
    return ints(QJsonDocument::fromJson(result.out).object()["tokens"]);
  };
  const CliResult plain = runCli(options),
                  adapted = runCli(options + QStringList{"--adapter", adapter});
  QCOMPARE(adapted.code, 0);
  QVERIFY(!tokens(adapted).isEmpty() && tokens(adapted) != tokens(plain));
  const CliResult gone = runCli(options + QStringList{"--adapter", folder.path() + "/gone"});
  QCOMPARE(gone.code, 1);
  QVERIFY2(gone.err.contains("/gone does not exist"), gone.err);
  const CliResult other = runCli({"generate", "--prompt", "Once", "--adapter", adapter});
  QCOMPARE(other.code, 1);
  QVERIFY2(other.err.contains("does not fit this model"), other.err);
}

void TestCliGenerate::embed_printsVectorsOfLengthOne() {
  const CliResult result = runCli({"embed", "--pooling", "mean", "Paris", "A story about the sea"});
  QCOMPARE(result.code, 0);
  const QJsonObject json = QJsonDocument::fromJson(result.out).object();
  QCOMPARE(json["pooling"].toString(), QString("mean"));
  const QJsonArray list = json["embeddings"].toArray();
  QCOMPARE(list.size(), 2);
  for (const QJsonValue& entry : list) {
    const QJsonArray vector = entry["embedding"].toArray();
    QCOMPARE(vector.size(), json["dimensions"].toInt());
    double square = 0.0;
    for (const QJsonValue& value : vector) square += value.toDouble() * value.toDouble();
    QVERIFY(std::abs(square - 1.0) < 1e-4);
  }
  const CliResult last = runCli({"embed", "A story about the sea"});
  QCOMPARE(QJsonDocument::fromJson(last.out).object()["pooling"].toString(), QString("last"));
  QCOMPARE(runCli({"embed"}).code, 2);
}

void TestCliGenerate::perplexity_equalsTheLogits() {
  const QByteArray text = "The capital of France is Paris.";
  const auto measured = runCli({"perplexity", "--file", "-", "--json"}, text).jsonLines().at(0);
  const QString ids = QString(runCli({"tokenize", "--bos"}, text).out.trimmed());
  const QStringList list = ids.split(' ');
  QCOMPARE(measured["tokens"].toInt(), list.size() - 1);
  const QJsonArray rows =
      QJsonDocument::fromJson(runCli({"logits", "--all", "--tokens", ids}).out).array();
  double nll = 0.0;
  for (qsizetype i = 0; i + 1 < list.size(); ++i) {
    double sum = 0.0;
    const QJsonArray row = rows[i].toArray();
    for (const QJsonValue& logit : row) sum += std::exp(logit.toDouble());
    nll += std::log(sum) - row[list[i + 1].toInt()].toDouble();
  }
  QVERIFY(std::abs(measured["nll"].toDouble() - nll) < 1e-3);
  QVERIFY(std::abs(measured["perplexity"].toDouble() -
                   std::exp(nll / static_cast<double>(list.size() - 1))) < 1e-2);
  // Windows score every token but the first once, whatever their length and stride.
  const QByteArray longer = text.repeated(12);
  const int tokens = static_cast<int>(
      QString(runCli({"tokenize", "--bos"}, longer).out.trimmed()).split(' ').size());
  for (const QStringList& windows :
       {QStringList{"--context", "32"}, QStringList{"--context", "32", "--stride", "5"}}) {
    const auto part =
        runCli(QStringList{"perplexity", "--file", "-", "--json"} + windows, longer).jsonLines();
    QCOMPARE(part.at(0)["tokens"].toInt(), tokens - 1);
  }
}

void TestCliGenerate::bench_reportsWhatItMeasured() {
  const CliResult result =
      runCli({"bench", "--prompt-tokens", "48", "--generate-tokens", "16", "--parallel", "4",
              "--shared-prefix", "32", "--repeat", "1", "--json"});
  QCOMPARE(result.code, 0);
  const QJsonObject report = result.jsonLines().at(0);
  QVERIFY(report["prefill_tokens_per_s"].toDouble() > 0.0);
  QVERIFY(report["decode_tokens_per_s"].toDouble() > 0.0);
  for (const char* name : {"ttft_ms", "itl_ms"}) {
    QVERIFY(report[name]["p50"].toDouble() > 0.0);
    QVERIFY(report[name]["p99"].toDouble() >= report[name]["p50"].toDouble());
  }
  QVERIFY(report["kv_waste"].toDouble(-1.0) >= 0.0 && report["kv_waste"].toDouble() < 1.0);
  QCOMPARE(report["parallel"].toInt(), 4);
  QCOMPARE(report["shared_prefix"].toInt(), 32);
  QCOMPARE(report["device"].toString(), QString("cpu"));
}

void TestCliGenerate::bench_reportsStatesOfRecurrentLayers() {
  const QStringList bench = {"bench", "--repeat",        "1",  "--parallel",
                             "2",     "--prompt-tokens", "40", "--generate-tokens",
                             "4"};
  QVERIFY(runCli(bench + QStringList{"--json"}).jsonLines().at(0)["states"].isNull());
  QVERIFY(!runCli(bench).out.contains("states"));
  const QStringList hybrid =
      bench + QStringList{"--model", QUIRE_SOURCE_DIR "/tests/data/gguf/qwen3_5.gguf"};
  const QJsonObject report = runCli(hybrid + QStringList{"--json"}).jsonLines().at(0);
  const QJsonObject states = report["states"].toObject();
  QVERIFY(states["total"].toInt() >= 5);
  QCOMPARE(states["used"].toInt(), 0);  // Nothing runs.
  QVERIFY(states["snapshots"].toInt() > 0);
  QVERIFY(states["bytes_per_state"].toInt() > 0);
  const QByteArray text = runCli(hybrid).out;
  QVERIFY2(text.contains("\nstates   0 of ") && text.contains(" snapshot(s) kept ("),
           text.constData());
}

void TestCliGenerate::benchPeers_measuresWhatIsNamed() {
  const CliResult result = runCli(
      {"bench", "--scenario", "peers", "--measures", "decode_4,prefill_512", "--repeat", "2"});
  QCOMPARE(result.code, 0);
  const QJsonObject report = result.jsonLines().at(0);
  QVERIFY(report["kv_bytes_per_token"].toDouble() > 0.0);
  const QJsonObject figures = report["tokens_per_s"].toObject();
  QCOMPARE(figures.keys(), QStringList({"decode_4", "prefill_512"}));
  for (const QJsonValue& values : figures) {
    QCOMPARE(values.toArray().size(), 2);
    for (const QJsonValue& value : values.toArray()) QVERIFY(value.toDouble() > 0.0);
  }
}

void TestCliGenerate::benchParallelChats_computesNothingTwice() {
  const int chats = 5, persona = 200, turns = 3, user = 10;
  const CliResult result =
      runCli({"bench", "--scenario", "parallel-chats", "--parallel", QString::number(chats),
              "--persona-tokens", QString::number(persona), "--turns", QString::number(turns),
              "--user-tokens", QString::number(user), "--generate-tokens", "12", "--think-ms", "5",
              "--json"});
  QCOMPARE(result.code, 0);
  const QJsonObject report = result.jsonLines().at(0);
  // The persona once, every message once, and the last token of each answer, which is fed only when
  // its chat goes on.
  QCOMPARE(report["computed_prompt_tokens"].toInt(),
           persona + chats * turns * user + chats * (turns - 1));
  QCOMPARE(report["output_tokens"].toInt(), chats * turns * 12);
  QCOMPARE(report["preemptions"].toInt(), 0);
  QVERIFY(report["memory_hit_rate"].toDouble() > 0.8);
  QVERIFY(report["ttft_others_ms"]["p50"].toDouble() > 0.0);
  QVERIFY(report["kv_megabytes"].toDouble() < report["kv_megabytes_unshared"].toDouble());
}

void TestCliGenerate::benchParallelChats_playsEightUnlessTold() {
  const QJsonObject report = runCli(kShortChats + QStringList{"--json"}).jsonLines().at(0);
  QCOMPARE(report["chats"].toInt(), 8);
  QCOMPARE(report["think_ms"].toInt(), 1);
  QVERIFY(report["kv_megabytes"].toDouble() > 0.0);
}

void TestCliGenerate::benchParallelChats_leavesOutWhatOneChatCannotSay() {
  const QStringList one = kShortChats + QStringList{"--parallel", "1"};
  const QJsonObject report = runCli(one + QStringList{"--json"}).jsonLines().at(0);
  for (const char* name :
       {"ttft_others_ms", "ttft_later_turns_ms", "kv_waste", "kv_waste_mean", "kv_megabytes"}) {
    QVERIFY2(report[name].isNull(), name);
  }
  QVERIFY(report["ttft_first_ms"].toDouble() > 0.0);
  const CliResult text = runCli(one);
  QCOMPARE(text.code, 0);
  for (const char* name : {"other chats", "later turns", "\nkv"}) {
    QVERIFY2(!text.out.contains(name), text.out.constData());
  }
  QVERIFY2(text.out.contains("\nttft, first chat ") && text.out.contains("\npreemptions "),
           text.out.constData());
}

void TestCliGenerate::bench_refusesWhatDoesNotFit_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QByteArray>("sentence");
  QTest::newRow("prompts") << QStringList{"--prompt-tokens", "60", "--generate-tokens", "5"}
                           << QByteArray(
                                  "needs 65 tokens, and the context holds 64; ask for fewer "
                                  "with --prompt-tokens or --generate-tokens, or");
  QTest::newRow("chats") << QStringList{"--scenario",        "parallel-chats",
                                        "--persona-tokens",  "40",
                                        "--turns",           "2",
                                        "--user-tokens",     "8",
                                        "--generate-tokens", "6"}
                         << QByteArray(
                                "needs 68 tokens, and the context holds 64; ask for fewer "
                                "with --persona-tokens, --turns,");
  QTest::newRow("huge") << QStringList{"--scenario", "parallel-chats", "--turns",
                                       "1048576",    "--user-tokens",  "1048576"}
                        << QByteArray("the context holds 64; ask for fewer with --persona-tokens");
}

void TestCliGenerate::bench_refusesWhatDoesNotFit() {
  QFETCH(QStringList, arguments);
  QFETCH(QByteArray, sentence);
  const CliResult result = runCli(QStringList{"bench", "--context", "64"} + arguments);
  QCOMPARE(result.code, 1);
  QCOMPARE(result.out, QByteArray());
  QVERIFY2(result.err.contains(sentence), result.err.constData());
}

QTEST_APPLESS_MAIN(TestCliGenerate)
#include "tst_cli_generate.moc"
