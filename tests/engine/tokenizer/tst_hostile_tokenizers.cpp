#include <QtTest>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/tokenizer/tokenizer_loader.h"
#include "tests/engine/io/gguf_builder.h"
#include "tests/engine/tokenizer/tokenizer_properties.h"
#include "tests/support/thread_time.h"

using namespace quire;
using namespace quire::test;
namespace fs = std::filesystem;

static const fs::path kGolden = QUIRE_SOURCE_DIR "/tests/data/tokenizer/golden";

static std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Changes, inserts, removes or repeats bytes, with a liking for what JSON is made of.
static void mutate(std::string& text, std::mt19937& random) {
  static constexpr std::string_view kLiked = "{}[]\",:-0123456789eE.tnf\\ \xff";
  for (uint32_t changes = 1 + random() % 4; changes > 0 && !text.empty(); --changes) {
    const size_t at = random() % text.size();
    const size_t length = std::min<size_t>(random() % 12, text.size() - at);
    switch (random() % 4) {
      case 0:
        text[at] = kLiked[random() % kLiked.size()];
        break;
      case 1:
        text.insert(at, 1, kLiked[random() % kLiked.size()]);
        break;
      case 2:
        text.erase(at, length);
        break;
      default:
        text.insert(random() % text.size(), text.substr(at, length));
    }
  }
}

/// A vocabulary of two characters.
static nlohmann::json small_json() {
  return {
      {"model",
       {{"type", "BPE"}, {"vocab", {{"a", 0}, {"b", 1}}}, {"merges", nlohmann::json::array()}}}};
}

/// A sequence in which each step writes "aa" for "a".
static nlohmann::json doubling_steps(const char* list, int count) {
  const nlohmann::json step = {
      {"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};
  return {{"type", "Sequence"}, {list, nlohmann::json(static_cast<size_t>(count), step)}};
}

/// A small file whose every key can be replaced.
static GgufBuilder small_gguf(const std::string& replaced = {}) {
  const std::string prefix = "tokenizer.ggml.";
  GgufBuilder file;
  if (replaced != "model") file.string(prefix + "model", "gpt2");
  if (replaced != "pre") file.string(prefix + "pre", "gpt-2");
  if (replaced != "tokens") {
    file.strings(prefix + "tokens", {"<s>", "a", "b", "c", "ab", "abc", "<t>"});
  }
  if (replaced != "token_type") {
    file.numbers<int32_t>(prefix + "token_type", 5, {3, 1, 1, 1, 1, 1, 4});
  }
  if (replaced != "merges") file.strings(prefix + "merges", {"a b", "ab c"});
  return file;
}

static Result<std::unique_ptr<Tokenizer>> load(const GgufBuilder& builder) {
  QTemporaryDir folder;
  const fs::path path = fs::path(folder.path().toStdString()) / "small.gguf";
  std::ofstream(path, std::ios::binary) << builder.build();
  const auto file = GgufFile::open(path);
  if (!file) return file.error();
  return load_gguf_tokenizer(*file);
}

/// Damaged and made-up vocabularies end in a sentence that names the file and the key, or in a
/// tokenizer that keeps within its vocabulary. The seed is fixed; the sanitizers of CI watch.
class TestHostileTokenizers : public QObject {
  Q_OBJECT

 private slots:
  void mutatedJson_isRefusedOrConsistent_data() {
    QTest::addColumn<QString>("folder");
    for (const auto& entry : fs::directory_iterator(kGolden)) {
      if (!entry.is_directory()) continue;
      QTest::newRow(entry.path().filename().c_str())
          << QString::fromStdString(entry.path().string());
    }
  }
  void mutatedJson_isRefusedOrConsistent() {
    QFETCH(QString, folder);
    const std::string good = read_file(fs::path(folder.toStdString()) / "tokenizer.json");
    const int num_rounds = qEnvironmentVariableIntValue("QUIRE_LONG_TESTS") > 0 ? 5000 : 60;
    std::mt19937 random(5);
    // The vocabulary is most of a file, and what stands before and after it the more interesting.
    const size_t vocab = good.find("\"vocab\"");
    int refused = 0;
    for (int round = 0; round < num_rounds; ++round) {
      std::string head = good.substr(0, vocab);
      std::string tail = good.substr(vocab);
      mutate(round % 4 == 0 ? tail : head, random);
      const auto tokenizer = parse_tokenizer(head + tail, "mutated.json", {});
      if (!tokenizer) {
        QVERIFY(tokenizer.error().message.find("mutated.json") != std::string::npos);
        ++refused;
        continue;
      }
      const Tokenizer& odd = **tokenizer;
      for (const std::string text : {" the page's 123 \n\n<think>x", "\xFF\xE2\x96\x81 한"}) {
        for (const TokenId id : odd.encode(text)) QVERIFY(id >= 0 && id < odd.vocab_size());
        for (const TokenId id : odd.encode_with_special(text)) QVERIFY(id < odd.vocab_size());
      }
    }
    QVERIFY(refused > 0);
  }

  void json_saysWhatIsWrong_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* path, const char* value, const char* says) {
      QTest::newRow(name) << path << value << says;
    };
    row("huge id", "/model/vocab/zz", "2147483648", "model.vocab gives \"zz\" the impossible id");
    row("huger id", "/model/vocab/zz", "18446744073709551615", "impossible id");
    row("id beyond the bounds", "/model/vocab/zz", "4000000", "impossible id 4000000");
    row("negative id", "/model/vocab/zz", "-1", "impossible id -1");
    row("id of two tokens", "/model/vocab/zz", "3", "the id 3 to both");
    row("id is no number", "/model/vocab/zz", "\"a\"", "the id of \"zz\" is no integer");
    row("id is a list", "/model/vocab/zz", "[1]", "the id of \"zz\" is no integer");
    row("no vocabulary", "/model/vocab", "{}", "model.vocab is empty");
    row("unknown in a merge", "/model/merges", "[[\"a\",\"nope\"]]",
        "model.merges entry 0 names \"nope\"");
    row("merge of one", "/model/merges", "[[\"a\"]]", "model.merges: entry 0 is not of two");
    row("merge of three", "/model/merges", "[\"a b c\"]", "entry 0 is not of two");
    row("merge of numbers", "/model/merges", "[1]", "entry 0 is not of two");
    row("another model", "/model/type", "\"WordLevel\"", "model is of the kind \"WordLevel\"");
    row("suffixes", "/model/end_of_word_suffix", "\"</w>\"", "end_of_word_suffix");
    row("unknown normalizer", "/normalizer", "{\"type\":\"Nmt\"}",
        "normalizer is of the kind \"Nmt\"");
    row("unknown pre-tokenizer", "/pre_tokenizer", "{\"type\":\"UnicodeScripts\"}",
        "pre_tokenizer is of the kind \"UnicodeScripts\"");
    row("unknown decoder", "/decoder", "{\"type\":\"CTC\"}", "decoder is of the kind \"CTC\"");
    row("decoder of nothing", "/decoder", "{\"type\":\"Metaspace\",\"replacement\":\"\"}",
        "decoder Metaspace has no valid \"replacement\"");
    row("pre-tokenizer of nothing", "/pre_tokenizer",
        "{\"type\":\"Metaspace\",\"replacement\":\"\"}", "no valid \"replacement\"");
    row("two spaces of one", "/pre_tokenizer", "{\"type\":\"Metaspace\",\"replacement\":\"  \"}",
        "no valid \"replacement\"");
    row("decoder replaces nothing", "/decoder",
        "{\"type\":\"Replace\",\"pattern\":{\"String\":\"\"},\"content\":\"a\"}",
        "decoder Replace has no valid \"pattern\"");
    row("unknown processor", "/post_processor", "{\"type\":\"X\"}",
        "post_processor is of the kind");
    row("no pattern", "/pre_tokenizer", "{\"type\":\"Split\",\"behavior\":\"Isolated\"}",
        "\"pattern\"");
    row("bad pattern", "/pre_tokenizer",
        "{\"type\":\"Split\",\"behavior\":\"Isolated\",\"pattern\":{\"Regex\":\"(a\"}}",
        "the pattern of its pre_tokenizer Split cannot be used");
    row("added without id", "/added_tokens", "[{\"content\":\"a\"}]", "without an \"id\"");
    row("added far away", "/added_tokens", "[{\"content\":\"q\",\"id\":99999999}]",
        "impossible id");
    row("added is no list", "/added_tokens", "{}", "added_tokens is not an array");
  }
  void json_saysWhatIsWrong() {
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, says);
    auto json = nlohmann::json::parse(read_file(kGolden / "llama3/tokenizer.json"));
    json[nlohmann::json::json_pointer(path.toStdString())] =
        nlohmann::json::parse(value.toStdString());
    const auto tokenizer = parse_tokenizer(json.dump(), "folder/tokenizer.json", {});
    QVERIFY(!tokenizer);
    const QString message = QString::fromStdString(tokenizer.error().message);
    QVERIFY2(message.contains(says) && message.contains("folder/tokenizer.json"),
             qPrintable(message));
  }

  void json_isBoundedInDepth() {
    const std::string deep = "{\"a\":" + std::string(100'000, '[');
    QVERIFY(!parse_tokenizer(deep, "deep", {}));
    std::string steps = "{\"type\":\"Sequence\",\"normalizers\":[";
    for (int i = 0; i < 1000; ++i) steps += "{\"type\":\"NFC\"},";
    auto json = nlohmann::json::parse(read_file(kGolden / "llama3/tokenizer.json"));
    json["normalizer"] = nlohmann::json::parse(steps + "null]}");
    QVERIFY(!parse_tokenizer(json.dump(), "long", {}));
  }

  /// Each step doubles: 2^60 bytes if nothing stopped it.
  void decoder_thatMultipliesIsRefused() {
    auto json = small_json();
    json["decoder"] = doubling_steps("decoders", 60);
    const auto tokenizer = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(!tokenizer);
    QCOMPARE(tokenizer.error().message,
             std::string("The tokenizer t.json cannot be used: the Replace steps of its decoder "
                         "make the token \"a\" too long. Download it again."));
    json["decoder"] = doubling_steps("decoders", 5);
    const auto working = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(working);
    QCOMPARE((*working)->token_bytes(0), std::string_view(std::string(32, 'a')));
  }

  void decoder_thatMultipliesEachTokenALittleIsRefused() {
    auto json = small_json();
    for (int id = 2; id < 3000; ++id)
      json["model"]["vocab"][std::string("a") + std::to_string(id)] = id;
    json["decoder"] = doubling_steps("decoders", 15);
    const auto tokenizer = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(!tokenizer && tokenizer.error().message.find("too long") != std::string::npos);
  }

  void normalizer_thatMultipliesIsBounded() {
    auto json = small_json();
    json["normalizer"] = doubling_steps("normalizers", 60);
    const auto tokenizer = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(tokenizer);
    const size_t count = (*tokenizer)->encode(std::string(1000, 'a')).size();
    QVERIFY2(count >= 1000 && count < 40'000, qPrintable(QString::number(count)));
    json["normalizer"] = {{"type", "Prepend"}, {"prepend", std::string(100'000, 'b')}};
    const auto prepending = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(prepending);
    QCOMPARE((*prepending)->encode("a"), std::vector<TokenId>{0});
  }

  void gguf_ofASmallVocabularyWorks() {
    const auto tokenizer = load(small_gguf());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    QCOMPARE((*tokenizer)->encode("abcab<t><s>"), (std::vector<TokenId>{5, 4, 6}));
    QCOMPARE((*tokenizer)->encode_with_special("<s>ab"), (std::vector<TokenId>{0, 4}));
  }

  void gguf_saysWhatIsWrong() {
    const std::string prefix = "tokenizer.ggml.";
    const auto check = [](const GgufBuilder& builder, const char* says) {
      const auto tokenizer = load(builder);
      QVERIFY2(!tokenizer, says);
      const QString message = QString::fromStdString(tokenizer.error().message);
      QVERIFY2(message.contains(says) && message.contains("small.gguf"), qPrintable(message));
    };
    check(small_gguf("model"), "tokenizer.ggml.model is absent");
    check(small_gguf("model").string(prefix + "model", "rwkv"), "is \"rwkv\"");
    check(small_gguf("pre").string(prefix + "pre", "nope"), "tokenizer.ggml.pre is \"nope\"");
    check(small_gguf("tokens"), "tokenizer.ggml.tokens is empty");
    check(small_gguf("merges"), "tokenizer.ggml.merges is empty");
    check(small_gguf("merges").strings(prefix + "merges", {"a b", "b q"}),
          "tokenizer.ggml.merges entry 1 (\"b q\")");
    check(small_gguf("merges").strings(prefix + "merges", {"ab"}), "entry 0 (\"ab\")");
    check(small_gguf("token_type").numbers<int32_t>(prefix + "token_type", 5, {1, 1}),
          "tokenizer.ggml.token_type has 2 entries for 7 tokens");
    check(small_gguf("tokens").strings(prefix + "tokens", {"a", "b", "c", "a", "e", "f", "g"}),
          "has \"a\" twice");
    GgufBuilder scores = small_gguf("model").string(prefix + "model", "llama");
    scores.numbers<float>(prefix + "scores", 6, {0, NAN, 0, 0, 0, 0, 0});
    check(scores, "tokenizer.ggml.tokens: piece 1 has a score that is no number");
    constexpr uint32_t kF64 = 12;
    check(small_gguf("model")
              .string(prefix + "model", "llama")
              .numbers<double>(prefix + "scores", kF64, {0, 1e300, 0, 0, 0, 0, 0}),
          "tokenizer.ggml.tokens: piece 1 has a score that is no number");
    check(small_gguf("model")
              .string(prefix + "model", "llama")
              .numbers<float>(prefix + "scores", 6, {0}),
          "tokenizer.ggml.scores has 1 entries for 7 tokens");
  }

  /// Before the numbers, of eight times the size, are read.
  void gguf_listsOfOtherLengthsCostNothing() {
    const std::string prefix = "tokenizer.ggml.";
    const std::string many(size_t{1} << 21, '1');
    const double begin = thread_ms();
    const auto types =
        load(small_gguf("token_type").array(prefix + "token_type", 0, many.size(), many));
    QVERIFY(!types &&
            types.error().message.find("2097152 entries for 7 tokens") != std::string::npos);
    const auto scores = load(small_gguf("model")
                                 .string(prefix + "model", "llama")
                                 .array(prefix + "scores", 0, many.size(), many));
    QVERIFY(!scores &&
            scores.error().message.find("2097152 entries for 7 tokens") != std::string::npos);
    QVERIFY(thread_ms() - begin < 2000);
  }

  void aTokenOfManyBytesIsRefused() {
    const std::string prefix = "tokenizer.ggml.";
    const std::string wide(4097, 'x');
    const auto file = load(small_gguf("tokens").strings(prefix + "tokens", {"a", "b", wide}));
    QVERIFY(!file);
    QVERIFY2(file.error().message.find("tokenizer.ggml.tokens entry 2 has 4,097 bytes") !=
                 std::string::npos,
             file.error().message.c_str());
    auto json = small_json();
    json["model"]["vocab"][wide] = 2;
    const auto text = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(!text);
    QVERIFY2(
        text.error().message.find("of 4,097 bytes; a token has up to 4,096") != std::string::npos,
        text.error().message.c_str());
  }

  void json_withTooManyAddedTokensIsRefused() {
    auto json = small_json();
    auto& added = json["added_tokens"] = nlohmann::json::array();
    for (int i = 0; i < 70'001; ++i)
      added.push_back({{"id", 2 + i}, {"content", "<" + std::to_string(i)}});
    const auto tokenizer = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(!tokenizer);
    QCOMPARE(tokenizer.error().message,
             std::string("The tokenizer t.json cannot be used: it has 70,001 added tokens; Quire "
                         "reads up to 70,000."));
  }

  /// Those that a vocabulary has itself count like those that a file adds to it.
  void vocabularies_ofSpecialTokensAreRefused() {
    std::vector<std::string> names;
    std::string pieces;
    for (int i = 0; i < 70'001; ++i) {
      names.push_back(std::to_string(i));
      const std::string text = "\n" + std::string(1, char(names.back().size())) + names.back();
      const std::string piece = text + "\x18\x03";  // Control.
      pieces += "\n" + std::string(1, char(piece.size())) + piece;
    }
    const std::string says = "it has 70,001 special and added tokens; Quire reads up to 70,000.";
    for (const int32_t type : {2, 3, 4}) {
      GgufBuilder file;
      file.string("tokenizer.ggml.model", "gpt2").strings("tokenizer.ggml.tokens", names);
      file.numbers<int32_t>("tokenizer.ggml.token_type", 5, std::vector(names.size(), type));
      const auto refused = load(file);
      QVERIFY(!refused);
      QVERIFY2(refused.error().message.ends_with(says), refused.error().message.c_str());
    }
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString() + "/tokenizer.model";
    std::ofstream(path, std::ios::binary) << pieces;
    const auto refused = load_sentencepiece(path, {});
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.ends_with(says), refused.error().message.c_str());
  }

  /// The trie that finds them takes many times the bytes that a file needs to give them.
  void json_withEndlessAddedTokensIsRefused() {
    auto json = small_json();
    auto& added = json["added_tokens"] = nlohmann::json::array();
    for (int i = 0; i < 2200; ++i) {
      const std::string content = std::to_string(i) + std::string(1000, 'x');
      added.push_back({{"id", 2 + i}, {"content", content}});
    }
    const auto tokenizer = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(!tokenizer);
    QCOMPARE(tokenizer.error().message,
             std::string("The tokenizer t.json cannot be used: its special and added tokens are "
                         "together longer than the 2,097,152 bytes that Quire reads."));
  }

  /// Each by its id and its name, not by a walk over all the others: eight times as many take some
  /// eight times as long, not 64 times.
  void manyAddedTokens_loadQuickly() {
    const auto load_ms = [](int count) {
      auto json = small_json();
      SpecialTokens special;
      auto& added = json["added_tokens"] = nlohmann::json::array();
      for (int i = 0; i < count; ++i) {
        const std::string content = "<|reserved_" + std::to_string(i) + "|>";
        added.push_back({{"id", 2 + i}, {"content", content}, {"special", false}});
        special.names.push_back(content);
      }
      const std::string text = json.dump();
      const double begin = thread_ms();
      const auto tokenizer = parse_tokenizer(text, "t.json", special);
      const double taken = thread_ms() - begin;
      return tokenizer && (*tokenizer)->is_special(count + 1) ? taken : -1.0;
    };
    const double few = std::min({load_ms(7500), load_ms(7500), load_ms(7500)});
    const double many = std::min(load_ms(60'000), load_ms(60'000));
    qInfo("7,500 added tokens: %.0f ms, 60,000: %.0f ms", few, many);
    QVERIFY(few > 0 && many > 0);
    QVERIFY(many < 32 * few);
  }

  void manySpecialTokens_areFoundQuickly() {
    auto json = small_json();
    auto& added = json["added_tokens"] = nlohmann::json::array();
    for (int i = 0; i < 5000; ++i) {
      added.push_back({{"id", 2 + i},
                       {"content", "<|reserved_special_token_" + std::to_string(i) + "|>"},
                       {"special", true}});
    }
    const auto tokenizer = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(tokenizer);
    std::string text;
    while (text.size() < 100'000)
      text += text.size() % 3 == 0 ? "<" : "<|reserved_special_token_4a";
    text += "<|reserved_special_token_41|>";
    const double begin = thread_ms();
    QCOMPARE((*tokenizer)->encode_with_special(text).back(), 43);
    const double found = thread_ms();
    std::string marks(100'000, '<');
    QVERIFY((*tokenizer)->encode_with_special(marks).empty());
    const double walked = thread_ms();
    qInfo("5,000 special tokens in 100 KB: %.0f ms, of \"<\" alone %.0f ms", found - begin,
          walked - found);
    QVERIFY(found - begin < 1000 && walked - found < 1000);
  }

  void gguf_anOrdinaryTokenIsNoBos() {
    GgufBuilder builder = small_gguf();
    builder.u32("tokenizer.ggml.bos_token_id", 1).boolean("tokenizer.ggml.add_bos_token", true);
    const auto tokenizer = load(builder);
    QVERIFY(tokenizer && !(*tokenizer)->bos_token() && !(*tokenizer)->adds_bos());
    QCOMPARE((*tokenizer)->encode("a"), std::vector<TokenId>{1});
  }

  void gguf_idsOutOfRangeCountAsAbsent() {
    GgufBuilder builder = small_gguf();
    builder.u32("tokenizer.ggml.bos_token_id", 4'000'000'000u)
        .i32("tokenizer.ggml.eos_token_id", -5)
        .boolean("tokenizer.ggml.add_bos_token", true);
    const auto tokenizer = load(builder);
    QVERIFY(tokenizer);
    QVERIFY(!(*tokenizer)->bos_token() && !(*tokenizer)->eos_token() && !(*tokenizer)->adds_bos());
  }

  void encode_ofAHugeWordIsQuick_data() { mutatedJson_isRefusedOrConsistent_data(); }
  void encode_ofAHugeWordIsQuick() {
    QFETCH(QString, folder);
    const auto tokenizer =
        load_tokenizer_json(fs::path(folder.toStdString()) / "tokenizer.json", {});
    QVERIFY(tokenizer);
    const double begin = thread_ms();
    for (const std::string unit : {"a", " ", "책", "ab1", "\n", "\xCC\x81", "\xFF"}) {
      std::string text;
      while (text.size() < 100'000) text += unit;
      QVERIFY(!(*tokenizer)->encode(text + "x").empty());
    }
    QVERIFY2(thread_ms() - begin < 20'000, "quadratic?");
  }
};

QTEST_APPLESS_MAIN(TestHostileTokenizers)
#include "tst_hostile_tokenizers.moc"
