#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/cli/cli_process.h"

using quire::CliResult;
using quire::runCli;

/// inspect, and what is said of a model that cannot be loaded.
class TestCliModels : public QObject {
  Q_OBJECT

 private slots:
  void inspect_describesTheModel();
  void inspect_speaksToPeople();
  void inspect_describesAnyGgufFile();
  void inspect_printsNamesInVisibleCharacters();
  void complaint_isOneLineWhateverTheName();
  void inspect_listsDevices();
  void inspect_countsStatesOfRecurrentLayers();
  void inspect_knowsNoOtherDevice();
  void load_isTriedBefore_andRemembered();
  void badModel_isRefusedInOneSentence_data();
  void badModel_isRefusedInOneSentence();
};

void TestCliModels::inspect_describesTheModel() {
  REQUIRE_BUNDLED_MODEL();
  const CliResult result = runCli({"inspect", "--json", "--kv-dtype", "f16"});
  QCOMPARE(result.code, 0);
  const QJsonObject model = result.jsonLines().at(0);
  QCOMPARE(model["architecture"].toString(), QString("LlamaForCausalLM"));
  QCOMPARE(model["dtype"].toString(), QString("bf16"));
  QCOMPARE(model["chat_template"].toBool(), true);
  QCOMPARE(model["bundled"].toBool(), true);
  QVERIFY(model["parameters"].toInteger() > 1'000'000);
  const int layers = model["num_layers"].toInt();
  const int kv_width = model["num_kv_heads"].toInt() * model["head_dim"].toInt();
  const QJsonArray memory = model["memory"].toArray();
  QVERIFY(!memory.isEmpty());
  for (const QJsonValue& need : memory) {
    // Keys and values, two bytes each in f16; context lengths are whole blocks here.
    QCOMPARE(need["kv_bytes"].toInteger(),
             qint64{need["context"].toInt()} * layers * kv_width * 2 * 2);
  }
  QCOMPARE(memory.last()["context"].toInt(), model["context"].toInt());
  QStringList ends;
  for (const QJsonValue& token : model["tokens"]["end"].toArray())
    ends << token["token"].toString();
  QVERIFY2(ends.contains("<|end|>"), qPrintable(ends.join(' ')));
}

void TestCliModels::inspect_countsStatesOfRecurrentLayers() {
  const QString file = QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/qwen3_5.gguf");
  const QJsonObject model = runCli({"inspect", "--json", "--model", file}).jsonLines().at(0);
  const QJsonObject need = model["memory"].toArray().at(0).toObject();
  QVERIFY(need["state_bytes"].toInteger() > 0);
  QCOMPARE(need["total_bytes"].toInteger(), need["weights_bytes"].toInteger() +
                                                need["kv_bytes"].toInteger() +
                                                need["state_bytes"].toInteger());
  QVERIFY(runCli({"inspect", "--model", file}).out.contains(" states of recurrent layers)"));
}

void TestCliModels::inspect_knowsNoOtherDevice() {
  REQUIRE_BUNDLED_MODEL();
  const CliResult result = runCli({"inspect", "--device", "abacus"});
  QCOMPARE(result.code, 1);
  QVERIFY2(result.err.contains("There is no device \"abacus\""), qPrintable(result.err));
  const CliResult missing = runCli({"inspect", "--device", "cuda:97"});
  QCOMPARE(missing.code, 1);
  QVERIFY2(missing.err.contains("Unknown device \"cuda:97\""), qPrintable(missing.err));
}

void TestCliModels::inspect_speaksToPeople() {
  REQUIRE_BUNDLED_MODEL();
  const CliResult result = runCli({"inspect"});
  QCOMPARE(result.code, 0);
  for (const char* word : {"the bundled demonstration model", "parameters", "LlamaForCausalLM",
                           "<|end|>", "tokens of context"}) {
    QVERIFY2(result.out.contains(word), word);
  }
}

void TestCliModels::inspect_describesAnyGgufFile() {
  const QString files = QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/");
  const CliResult whole = runCli({"inspect", "--tensors", "--model", files + "quant_q4_k_m.gguf"});
  QCOMPARE(whole.code, 0);
  for (const char* word : {"GGUF version 3", "q6_k: 3 tensors", "bits a weight", "</s> (2)",
                           "none; chats are written as plain text", "blk.0.ffn_down.weight"}) {
    QVERIFY2(whole.out.contains(word), word);
  }
  // A vocabulary alone is described as far as it goes, with what is missing.
  const QString vocabulary =
      QStringLiteral(QUIRE_SOURCE_DIR "/../shared/conformance/tokenizers/ggml-vocab-phi-3.gguf");
  if (!QFile::exists(vocabulary)) QSKIP("../shared/conformance is not there");
  const CliResult part = runCli({"inspect", "--json", "--model", vocabulary});
  QCOMPARE(part.code, 1);
  const QJsonObject model = part.jsonLines().at(0);
  QCOMPARE(model["loads"].toBool(), false);
  QVERIFY(model["obstacles"][0].toString().contains("token_embd.weight"));
  QCOMPARE(model["num_layers"].toInt(), 32);
}

namespace {

/// A copy of a small GGUF file under this name.
QString namedModel(const QString& folder, const QString& name) {
  const QString path = folder + "/" + name;
  QFile::copy(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/quant_q4_k_m.gguf"), path);
  return path;
}

}  // namespace

/// Also where stdout is a pipe: the report is for people, and --json for programs.
void TestCliModels::inspect_printsNamesInVisibleCharacters() {
  QTemporaryDir folder;
  const QString path =
      namedModel(folder.path(), QString::fromUtf8("a\x1b[2J\u202eb\nmodel  c\td.gguf"));
  const CliResult result = runCli({"inspect", "--model", path});
  QCOMPARE(result.code, 0);
  const QByteArray name = "a<U+001B>[2J<U+202E>b<U+000A>model  c<U+0009>d";
  QVERIFY2(
      result.out.contains("\npath          " + folder.path().toUtf8() + "/" + name + ".gguf\n"),
      result.out.constData());
  QVERIFY(!result.out.contains('\x1b') && !result.out.contains("\u202e"));
  // What a program reads is exact.
  const QJsonObject model = runCli({"inspect", "--json", "--model", path}).jsonLines().at(0);
  QCOMPARE(model["path"].toString(), path);
}

void TestCliModels::complaint_isOneLineWhateverTheName() {
  QTemporaryDir folder;
  const QString path = folder.filePath("a\nquire-cli: all is well\t\rb.gguf");
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(100, 'x')) == 100);
  file.close();
  const CliResult result = runCli({"inspect", "--model", path});
  QCOMPARE(result.err.count('\n'), 1);
  QVERIFY2(
      result.err.startsWith("quire-cli: a<U+000A>quire-cli: all is well<U+0009><U+000D>b.gguf"),
      result.err.constData());
}

/// A model that its reader survived is noted, and tried again only after it changed.
void TestCliModels::load_isTriedBefore_andRemembered() {
  const QTemporaryDir folder;
  const QString model = folder.filePath("a.gguf");
  QVERIFY(QFile::copy(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/llama.gguf"), model));
  QFile noted(folder.filePath("quire/tried-models"));
  const auto numNoted = [&] {
    if (!noted.open(QIODevice::ReadOnly)) return 0;
    const auto lines = noted.readAll().count('\n');
    noted.close();
    return static_cast<int>(lines);
  };
  const auto generate = [&] {
    return runCli({"generate", "--model", model, "--prompt", "a", "--max-tokens", "1"}, {},
                  folder.path());
  };
  for (const int wanted : {1, 1, 2}) {
    if (wanted == 2)
      QVERIFY(QFile::setPermissions(model, QFile::ReadOwner | QFile::WriteOwner));  // Its ctime.
    const CliResult result = generate();
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(numNoted(), wanted);
  }
  QVERIFY(QFile::resize(model, QFile(model).size() / 2));
  QVERIFY(generate().code != 0);  // The reader survives it, so that it is noted too.
  QCOMPARE(numNoted(), 3);
  QCOMPARE(runCli({"inspect", "--model", model}, {}, folder.path()).code, 1);
  QCOMPARE(numNoted(), 3);
}

void TestCliModels::inspect_listsDevices() {
  const CliResult result = runCli({"inspect", "--devices", "--json"});
  QCOMPARE(result.code, 0);
  const QJsonArray devices = QJsonDocument::fromJson(result.out).array();
  QVERIFY(!devices.isEmpty());
  QCOMPARE(devices[0]["name"].toString(), QString("cpu"));
  QCOMPARE(devices[0]["available"].toBool(), true);
  QVERIFY(devices[0]["tuning"].isArray());
  for (const QJsonValue& device : devices) {
    QCOMPARE(device.toObject().contains("reason"), !device["available"].toBool());
  }
  QVERIFY(runCli({"inspect", "--devices"}).out.startsWith("cpu: "));
}

void TestCliModels::badModel_isRefusedInOneSentence_data() {
  QTest::addColumn<QString>("damage");
  QTest::addColumn<QByteArray>("named");
  QTest::newRow("no such folder") << "missing" << QByteArray("no-such-model");
  QTest::newRow("an empty folder") << "empty" << QByteArray("config.json");
  QTest::newRow("truncated weights") << "truncate" << QByteArray("model.safetensors");
  QTest::newRow("weights of zeros") << "zeros" << QByteArray("model.safetensors");
  QTest::newRow("no weights") << "no weights" << QByteArray("safetensors");
  QTest::newRow("config is not JSON") << "bad config" << QByteArray("config.json");
  QTest::newRow("unknown architecture") << "architecture" << QByteArray("MambaForCausalLM");
  QTest::newRow("no tokenizer") << "no tokenizer" << QByteArray("tokenizer");
  QTest::newRow("damaged tokenizer") << "bad tokenizer" << QByteArray("tokenizer.model");
}

namespace {

/// Replaces a file's content by what `change` makes of it.
template <typename Change>
void rewrite(const QString& path, Change change) {
  QFile file(path);
  if (!file.open(QIODevice::ReadWrite)) qFatal("cannot open %s", qPrintable(path));
  const QByteArray content = change(file.readAll());
  file.resize(0);
  file.seek(0);
  file.write(content);
}

/// A copy of the bundled model in `folder` with one thing wrong. Returns its path.
QString damagedModel(const QString& folder, const QString& damage) {
  const QDir to(folder);
  if (damage == "missing") return to.filePath("no-such-model");
  if (damage == "empty") return folder;
  for (const QString& name : QDir(quire::bundledModel()).entryList(QDir::Files)) {
    QFile::copy(quire::bundledModel() + "/" + name, to.filePath(name));
    QFile(to.filePath(name)).setPermissions(QFile::ReadOwner | QFile::WriteOwner);
  }
  const QString weights = to.filePath("model.safetensors");
  const QString config = to.filePath("config.json");
  if (damage == "truncate") {
    rewrite(weights, [](QByteArray all) { return all.left(all.size() / 2); });
  } else if (damage == "zeros") {
    rewrite(weights, [](QByteArray all) { return QByteArray(all.size(), '\0'); });
  } else if (damage == "no weights") {
    QFile::remove(weights);
  } else if (damage == "bad config") {
    rewrite(config, [](QByteArray all) { return all.left(20); });
  } else if (damage == "architecture") {
    rewrite(config, [](QByteArray all) {
      return all.replace("LlamaForCausalLM", "MambaForCausalLM").replace("\"llama\"", "\"mamba\"");
    });
  } else if (damage == "no tokenizer") {
    QFile::remove(to.filePath("tokenizer.model"));
  } else {
    rewrite(to.filePath("tokenizer.model"), [](QByteArray all) { return all.mid(7); });
  }
  return folder;
}

}  // namespace

void TestCliModels::badModel_isRefusedInOneSentence() {
  REQUIRE_BUNDLED_MODEL();
  QFETCH(QString, damage);
  QFETCH(QByteArray, named);
  QTemporaryDir folder;
  const QString model = damagedModel(folder.path(), damage);
  const CliResult result = runCli({"generate", "--prompt", "a", "--model", model});
  QCOMPARE(result.code, 1);
  QCOMPARE(result.out, QByteArray());
  QVERIFY2(result.err.startsWith("quire-cli: "), result.err.constData());
  QCOMPARE(result.err.count('\n'), 1);
  QVERIFY2(result.err.contains(named), result.err.constData());
}

QTEST_APPLESS_MAIN(TestCliModels)
#include "tst_cli_models.moc"
