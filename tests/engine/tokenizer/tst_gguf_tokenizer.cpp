#include <QtTest>
#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/tokenizer/tokenizer_loader.h"
#include "tests/engine/io/gguf_builder.h"
#include "tests/engine/tokenizer/tokenizer_properties.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;
using namespace quire::test;
namespace fs = std::filesystem;

static const fs::path kConformance = QUIRE_SOURCE_DIR "/../shared/conformance/tokenizers";

static std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

static Result<std::unique_ptr<Tokenizer>> load(const fs::path& path) {
  const auto file = GgufFile::open(path);
  if (!file) return file.error();
  return load_gguf_tokenizer(*file);
}

/// The inputs, which lines "__ggml_vocab_test__" separate, each with a line break at its end.
static std::vector<std::string> inputs_of(const fs::path& path) {
  static const std::string kSeparator = "\n__ggml_vocab_test__\n";
  std::string rest = read_file(path);
  std::vector<std::string> inputs;
  for (size_t end = rest.find(kSeparator); end != rest.npos; end = rest.find(kSeparator)) {
    inputs.push_back(rest.substr(0, end));
    rest = rest.substr(end + kSeparator.size());
  }
  return inputs;
}

/// Published vocabularies, with the ids that the reference gives and on random texts.
class TestGgufTokenizer : public QObject {
  Q_OBJECT

 private slots:
  void vocabularies_data() {
    QTest::addColumn<QString>("path");
    if (!fs::exists(kConformance)) {
      QTest::newRow("absent") << QString();
      return;
    }
    for (const auto& entry : fs::directory_iterator(kConformance)) {
      if (entry.path().extension() != ".gguf") continue;
      QTest::newRow(entry.path().stem().c_str()) << QString::fromStdString(entry.path().string());
    }
  }

  void encode_givesTheReferencesIds_data() { vocabularies_data(); }
  void encode_givesTheReferencesIds() {
    QFETCH(QString, path);
    if (path.isEmpty()) QSKIP("the conformance data is not beside the project");
    const auto tokenizer = load(path.toStdString());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    const auto inputs = inputs_of(path.toStdString() + ".inp");
    std::istringstream outputs(read_file(path.toStdString() + ".out"));
    QVERIFY(inputs.size() > 40);
    for (const std::string& input : inputs) {
      std::string line;
      QVERIFY(std::getline(outputs, line));
      std::istringstream numbers(line);
      const std::vector<TokenId> expected{std::istream_iterator<TokenId>(numbers), {}};
      QCOMPARE(tokenizer.value()->encode(input), expected);
      QCOMPARE(tokenizer.value()->decode(expected), input);
    }
  }

  void largerVocabularies_areRefused_data() {
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("merges");
    QTest::addColumn<QString>("says");
    QTest::newRow("tokens") << (1 << 19) + 1 << 1
                            << "tokenizer.ggml.tokens is empty, not there or has over 524288";
    QTest::newRow("merges") << 3 << (5 << 17) + 1
                            << "tokenizer.ggml.merges has over 655,360 entries";
  }
  void largerVocabularies_areRefused() {
    QFETCH(int, tokens);
    QFETCH(int, merges);
    QFETCH(QString, says);
    std::vector<std::string> names;
    for (int i = 0; i < tokens; ++i) names.push_back(std::to_string(i));
    const std::string file =
        GgufBuilder()
            .string("tokenizer.ggml.model", "gpt2")
            .string("tokenizer.ggml.pre", "gpt-2")
            .strings("tokenizer.ggml.tokens", names)
            .strings("tokenizer.ggml.merges", std::vector<std::string>(merges, "1 2"))
            .build();
    QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "large.gguf";
    std::ofstream(path, std::ios::binary) << file;
    const auto tokenizer = load(path);
    QVERIFY(!tokenizer);
    QVERIFY2(QString::fromStdString(tokenizer.error().message).contains(says),
             tokenizer.error().message.c_str());
  }

  /// One of Quire's own patterns looks through all white space that is left for each 512 spaces:
  /// without its budget, four times as long a text would take 16 times as long.
  void longRunsOfSpaces_endInTime() {
    const std::string file = GgufBuilder()
                                 .string("tokenizer.ggml.model", "gpt2")
                                 .string("tokenizer.ggml.pre", "jais-2")
                                 .strings("tokenizer.ggml.tokens", {"a", "b", "ab", "1", "\u0120"})
                                 .strings("tokenizer.ggml.merges", {"a b"})
                                 .build();
    QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "spaces.gguf";
    std::ofstream(path, std::ios::binary) << file;
    const auto tokenizer = load(path);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    const auto taken_ms = [&](size_t num_spaces) {
      const std::string text = std::string(num_spaces, ' ') + "1";
      const double begin = thread_ms();
      const std::vector<TokenId> ids = tokenizer.value()->encode(text);
      const double taken = thread_ms() - begin;
      return tokenizer.value()->decode(ids) == text ? taken : -1.0;
    };
    const double few = taken_ms(375'000), many = taken_ms(1'500'000);
    QVERIFY(few > 0 && many > 0);
    // A quarter of a second and a microsecond a byte, and what follows when the time is over: that
    // is longer on a slow machine.
    QVERIFY2(many < std::max(3500.0 * kSanitizerFactor, 10 * few),
             qPrintable(QStringLiteral("%1 %2").arg(few).arg(many)));
  }

  void decode_bringsEveryTextBack_data() { vocabularies_data(); }
  void decode_bringsEveryTextBack() {
    QFETCH(QString, path);
    if (path.isEmpty()) QSKIP("the conformance data is not beside the project");
    check_round_trip(*load(path.toStdString()).value());
  }

  void streaming_equalsDecodingTheWhole_data() { vocabularies_data(); }
  void streaming_equalsDecodingTheWhole() {
    QFETCH(QString, path);
    if (path.isEmpty()) QSKIP("the conformance data is not beside the project");
    check_streaming(*load(path.toStdString()).value());
  }
};

QTEST_APPLESS_MAIN(TestGgufTokenizer)
#include "tst_gguf_tokenizer.moc"
