#include <sys/resource.h>

#include <QtTest>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "engine/tokenizer/tokenizer_loader.h"
#include "kernels/base/work_budget.h"
#include "tests/engine/io/gguf_builder.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;
using quire::test::GgufBuilder;
using quire::test::thread_ms;
using Json = nlohmann::json;

namespace {

constexpr size_t kLongText = 100'000;

/// Of a tokenizer whose files ask for as much work as they can.
constexpr double kMostMs = 6000 * test::kSanitizerFactor;

std::string repeated(std::string_view part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

std::string long_text(std::string_view part) {
  return repeated(part, kLongText / part.size());
}

Json small_json() {
  return {{"model",
           {{"type", "BPE"},
            {"unk_token", "a"},
            {"vocab", {{"a", 0}, {"b", 1}, {"aa", 2}}},
            {"merges", {"a a"}}}}};
}

Json regex(const std::string& pattern) {
  return {{"Regex", pattern}};
}

Json literal(const std::string& text) {
  return {{"String", text}};
}

Json split(const Json& pattern, const char* behavior = "Isolated") {
  return {{"type", "Split"}, {"pattern", pattern}, {"behavior", behavior}};
}

Json replace(const Json& pattern, const std::string& content) {
  return {{"type", "Replace"}, {"pattern", pattern}, {"content", content}};
}

Json sequence(const char* list, std::vector<Json> steps) {
  return {{"type", "Sequence"}, {list, std::move(steps)}};
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}

std::string field(uint32_t number, const std::string& content) {
  return varint(number << 3 | 2) + varint(content.size()) + content;
}

std::string piece(const std::string& text, int type) {
  return field(1, field(1, text) + varint(3 << 3) + varint(static_cast<uint64_t>(type)));
}

enum class Trie {
  kCircle,        ///< "a" leads back to where it came from, to no rule.
  kRuleInCircle,  ///< The same, past a rule each time.
  kRule,          ///< "a" is a rule.
};

/// A unigram model with normalisation rules in a double array as darts-clone writes it.
std::string model_with_rules(Trie kind, const std::string& content) {
  constexpr uint32_t kLeaf = 1u << 8, kValue = 0x80000000u;
  std::vector<uint32_t> trie(256);
  if (kind == Trie::kRule) {
    trie[0] = 0x60u << 10;
    trie[1] = (0x62u << 10) | kLeaf | 0x61u;
    trie[0x63] = kValue;
  } else {
    trie[0] = (0x61u << 10) | (kind == Trie::kRuleInCircle ? kLeaf : 0) | 0x61u;
    trie[0x61] = kValue;
  }
  std::string charsmap(4 + trie.size() * 4, '\0');
  const uint32_t trie_bytes = 1024;
  std::memcpy(charsmap.data(), &trie_bytes, 4);
  std::memcpy(charsmap.data() + 4, trie.data(), 1024);
  charsmap += content + '\0';
  return piece("<unk>", 2) + piece("a", 1) + field(3, field(2, charsmap));
}

Result<std::unique_ptr<Tokenizer>> load_model(const std::string& bytes) {
  QTemporaryDir folder;
  const std::string path = folder.path().toStdString() + "/tokenizer.model";
  std::ofstream(path, std::ios::binary) << bytes;
  return load_sentencepiece(path, {});
}

int64_t peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

/// Loads a tokenizer, or finds out that it may not be, and encodes a text, in a bounded time.
void check_time(const std::function<Result<std::unique_ptr<Tokenizer>>()>& load,
                const std::string& text) {
  const double begin = thread_ms();
  const auto tokenizer = load();
  const double loaded = thread_ms();
  if (tokenizer) {
    for (const TokenId id : (*tokenizer)->encode(text)) {
      QVERIFY(id >= 0 && id < (*tokenizer)->vocab_size());
    }
  }
  const double encoded = thread_ms();
  qInfo("%s: load %.0f ms, encode %.0f ms, peak %lld MB", tokenizer ? "accepted" : "refused",
        loaded - begin, encoded - loaded, static_cast<long long>(peak_mb()));
  QVERIFY2(loaded - begin < kMostMs, qPrintable(QString::number(loaded - begin)));
  QVERIFY2(encoded - loaded < kMostMs, qPrintable(QString::number(encoded - loaded)));
}

void check_json(const Json& json, const std::string& text) {
  const std::string file = json.dump();
  check_time([&] { return parse_tokenizer(file, "t.json", {}); }, text);
}

void check_pattern(const Json& pattern, const std::string& text) {
  Json json = small_json();
  json["pre_tokenizer"] = split(pattern);
  check_json(json, text);
}

}  // namespace

/// A tokenizer's files cannot make loading or encoding take long, whatever they ask for. Measured
/// is the thread's processor time, so that a busy machine fails nothing.
class TestTokenizerBudgets : public QObject {
  Q_OBJECT

 private slots:
  /// Searches that come back to the same places again and again. They need one of two characters,
  /// because for the lack of a single one a search ends at once.
  void nestedAlternation_endsInTime_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const std::string& pattern, const std::string& text) {
      QTest::newRow(name) << QString::fromStdString(pattern) << QString::fromStdString(text);
    };
    const std::string short_text(500, 'a');
    const std::string long_one(kLongText, 'a');
    row("repeated", "(?:a|a){22}[bc]", short_text);
    row("repeated, long", "(?:a|a){22}[bc]", long_one);
    row("written out", repeated("(?:a|a)", 22) + "[bc]", short_text);
    row("optional", repeated("a?", 60) + "[bc]", short_text);
    row("optional group", "(?:a?){60}" + repeated("a", 60) + "[bc]", short_text);
    row("lazy", repeated("a??", 60) + "[bc]", short_text);
    row("few repeats", repeated("a{0,5}", 60) + "[bc]", short_text);
    row("nested repeats", "(?:(?:a{1,3}){1,3}){1,30}[bc]", short_text);
    row("one of two", "(?:a|aa)+$[bc]", short_text);
    row("nested stars", "(?:a*)*[bc]", long_one);
    row("stars in a row", "a*a*a*a*a*[bc]", long_one);
    row("within a lookahead", "(?=(?:a|a){30}[bc])a", short_text);
    row("after a lookahead", "(?=a?a?)" + repeated("(?:a|a)", 40) + "[bc]", short_text);
    row("atomic", "(?>a+)[bc]", long_one);
    row("possessive", "a++[bc]", long_one);
    row("classes", repeated("[\\w&&[^b]]?", 20) + "[bc]", short_text);
    row("of any case", "(?i:" + repeated("A?", 60) + "[bc])", short_text);
    row("characters of several bytes", repeated("é?", 60) + "[bc]", repeated("é", 500));
    row("alternatives within", repeated("(?:a(?:a|)|a)", 30) + "[bc]", short_text);
    row("lines", ".*.*.*[=!].*", long_one);
    row("white space", "\\s*\\s*\\s*[xy]", long_text(" "));
  }
  void nestedAlternation_endsInTime() {
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    check_pattern(regex(pattern.toStdString()), text.toStdString());
  }

  /// Searches that read on to the end of the text at each place.
  void scanningLookahead_endsInTime_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const std::string& pattern, const std::string& text) {
      QTest::newRow(name) << QString::fromStdString(pattern) << QString::fromStdString(text);
    };
    const std::string text(kLongText, 'a');
    row("lookahead", "(?=[\\s\\S]*[YZ])a", text);
    row("negative lookahead", "(?![\\s\\S]*[YZ])a", text);
    row("lazy", "(?=[\\s\\S]*?[YZ])a", text);
    row("empty matches", "(?=[\\s\\S]*)", text);
    row("no lookahead", "a[\\s\\S]*[YZ]", text);
    row("and a match after all", "a[\\s\\S]*[YZ]|a", text);
    row("a group of one", "(?:[\\s\\S])*[YZ]", text);
    row("two scans", "[\\s\\S]*[YZ][\\s\\S]*[XY]", long_text("Z"));
    row("three scans", "[\\s\\S]*[YZ][\\s\\S]*[YZ][\\s\\S]*[XY]", long_text("aZ"));
    row("many scans", repeated("[\\s\\S]*[YZ]|", 60) + "a", text);
    row("many lookaheads", "(?:" + repeated("(?=[\\s\\S]*[YZ])|", 60) + "b)a", text);
    row("long exact repeats", repeated("a{20000}[YZ]|", 3) + "a", text);
    row("many alternatives", repeated("b|c|", 1000) + "d", text);
    row("many classes", repeated("[\\p{Lu}b]|", 300) + "d", text);
  }
  void scanningLookahead_endsInTime() { nestedAlternation_endsInTime(); }

  void anyStepWithAPattern_endsInTime() {
    const Json pattern = regex("(?:a|a){22}[bc]|(?=[\\s\\S]*[YZ])a");
    for (const char* behavior : {"Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"}) {
      Json json = small_json();
      json["pre_tokenizer"] = split(pattern, behavior);
      check_json(json, std::string(kLongText, 'a'));
    }
    Json json = small_json();
    json["normalizer"] = replace(pattern, "b");
    check_json(json, std::string(kLongText, 'a'));
  }

  void longLiteral_endsInTime() {
    check_pattern(literal(std::string(30'000, 'a') + "b"), std::string(kLongText, 'a'));
  }

  void manySteps_endInTime_data() {
    QTest::addColumn<int>("kind");
    int kind = 0;
    for (const char* name : {"word boundaries", "characters", "punctuation", "marks", "literals",
                             "lower case", "prefixes", "normal forms", "delimiters"}) {
      QTest::newRow(name) << kind++;
    }
  }
  void manySteps_endInTime() {
    QFETCH(int, kind);
    Json json = small_json();
    std::string text = long_text("aB é");
    const std::vector<Json> pre_tokenizers[] = {
        std::vector<Json>(60, split(regex("\\b"))),
        std::vector<Json>(60, split(regex("[\\s\\S]"), "MergedWithNext")),
        std::vector<Json>(60, Json{{"type", "Punctuation"}}),
        marks(),
        {},
        {},
        {},
        {},
        std::vector<Json>(60, Json{{"type", "CharDelimiterSplit"}, {"delimiter", "B"}})};
    const std::vector<Json> normalizers[] = {
        {},
        {},
        {},
        {},
        std::vector<Json>(60, replace(literal(std::string(9000, 'a') + "b"), "a")),
        std::vector<Json>(60, Json{{"type", "Lowercase"}}),
        std::vector<Json>(60, Json{{"type", "Prepend"}, {"prepend", std::string(2000, 'a')}}),
        alternating_forms(),
        {}};
    // Each letter becomes a word. Their marks exceed the budget; a word costs 2 µs on a slow
    // processor.
    if (kind == 3) text = std::string(4 * kLongText, 'a');
    if (kind == 4) text = std::string(kLongText, 'a');
    const auto index = static_cast<size_t>(kind);
    json["pre_tokenizer"] = sequence("pretokenizers", pre_tokenizers[index]);
    json["normalizer"] = sequence("normalizers", normalizers[index]);
    check_json(json, text);
  }

  /// NFKC makes eleven times the bytes of one character; a Replace of the same length makes that
  /// character of them again, so that neither step alone grows.
  void nfkcAndReplace_endsInTime() {
    Json json = small_json();
    json["normalizer"] = sequence("normalizers", growing_steps());
    check_json(json, long_text("\uFDFA"));
    check_json(json, "\uFDFA");
    json["added_tokens"] = {
        {{"id", 3}, {"content", "\uFDFA"}, {"normalized", true}, {"special", false}}};
    const auto refused = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().message,
             std::string("The tokenizer t.json cannot be used: normalising its added tokens needs "
                         "more than 32 MB of memory."));
    check_json(json, "a");
  }

  /// A tokenizer may make a short text thirty times as long, but not a long one.
  void growthOfLongTexts_isBounded() {
    Json json = small_json();
    json["normalizer"] =
        sequence("normalizers", std::vector<Json>(60, replace(literal("a"), "aa")));
    const auto tokenizer = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(tokenizer);
    const size_t size = 10 * kLongText;
    const size_t count = (*tokenizer)->encode(std::string(size, 'b') + "a").size();
    QVERIFY2(count > size && count < 4 * size, qPrintable(QString::number(count)));
  }

  /// Each word gets a mark from each step, and each part between added tokens a prefix.
  void growthOfManyParts_isBounded() {
    Json json = small_json();
    json["normalizer"] = {{"type", "Prepend"}, {"prepend", std::string(250, 'a')}};
    json["added_tokens"] = {{{"id", 3}, {"content", "b"}, {"special", false}}};
    const auto tokenizer = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(tokenizer);
    const size_t size = 10 * kLongText;
    const size_t count = (*tokenizer)->encode(repeated("ba", static_cast<int>(size / 2))).size();
    QVERIFY2(count > size / 2 && count < 12 * size, qPrintable(QString::number(count)));
  }

  void addedTokens_withTheSameBeginning_endInTime() {
    Json json = small_json();
    Json& added = json["added_tokens"] = Json::array();
    for (int i = 0; i < 1000; ++i) {
      added.push_back({{"id", 3 + i},
                       {"content", std::string(1020, 'a') + std::to_string(i)},
                       {"lstrip", true},
                       {"rstrip", true},
                       {"single_word", true}});
    }
    check_json(json, std::string(10 * kLongText, 'a'));
  }

  /// The text between two of them is encoded by itself, but has no budget of its own.
  void textsBetweenSpecialTokens_shareABudget() {
    Json json = small_json();
    json["added_tokens"] = {{{"id", 3}, {"content", "<s>"}, {"special", true}}};
    json["pre_tokenizer"] = split(regex("(?:a|a){22}[bc]"));
    const auto tokenizer = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(tokenizer);
    const double begin = thread_ms();
    const auto ids = (*tokenizer)->encode_with_special(long_text(std::string(30, 'a') + "<s>"));
    QVERIFY(ids.size() > 3000);
    QVERIFY2(thread_ms() - begin < kMostMs, qPrintable(QString::number(thread_ms() - begin)));
  }

  /// Each repeat of the pattern's group takes long, without a choice to which a search returns.
  void addedTokens_thatTakeLongToNormalise_areRefused() {
    Json json = small_json();
    const std::string part = repeated("(?=(?:(?:.{15}){15}){2})", 60);
    json["normalizer"] = replace(regex("(?:" + part + "a)+[YZ]"), "x");
    json["added_tokens"] = {{{"id", 3}, {"content", std::string(1000, 'a')}, {"normalized", true}}};
    const SharedCpuTime shared(std::chrono::milliseconds(400));  // Less than their own second.
    const double begin = thread_ms();
    const auto refused = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(!refused && thread_ms() - begin < kMostMs);
    QVERIFY2(refused.error().message.find("normalising its added tokens") != std::string::npos,
             refused.error().message.c_str());
  }

  void specialTokensOfManyLengths_endInTime() {
    Json json = small_json();
    Json& added = json["added_tokens"] = Json::array();
    for (size_t i = 0; i < 1000; ++i) {
      added.push_back(
          {{"id", 3 + i}, {"content", "<" + std::string(i, 'a') + ">"}, {"special", true}});
    }
    const auto tokenizer = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(tokenizer);
    const double begin = thread_ms();
    QVERIFY(!(*tokenizer)->encode_with_special(std::string(kLongText, '<') + "a").empty());
    QVERIFY2(thread_ms() - begin < kMostMs, qPrintable(QString::number(thread_ms() - begin)));
  }

  void charsmapCycle_isLinear_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("size");
    QTest::newRow("circle") << int(Trie::kCircle) << 0;
    QTest::newRow("rule in a circle") << int(Trie::kRuleInCircle) << 1;
    QTest::newRow("long rule") << int(Trie::kRule) << 10'000'000;
  }
  void charsmapCycle_isLinear() {
    QFETCH(int, kind);
    QFETCH(int, size);
    const std::string content(static_cast<size_t>(size), 'b');
    const std::string model = model_with_rules(static_cast<Trie>(kind), content);
    const auto tokenizer = load_model(model);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    check_time([&] { return load_model(model); }, std::string(kLongText, 'a'));
  }

  void unigramPieces_withTheSameBeginning_endInTime() {
    std::string model = piece("<unk>", 2);
    for (size_t i = 1; i <= 1000; ++i) model += piece(std::string(i, 'a'), i % 2 == 0 ? 1 : 4);
    check_time([&] { return load_model(model); }, std::string(10 * kLongText, 'a'));
  }

  /// Each long piece is looked up once for each place at which it can be cut.
  void longPieces_loadInTime() {
    std::string model = field(2, varint(3 << 3) + varint(2)) + piece("<unk>", 2);
    for (int i = 0; i < 8000; ++i) model += piece(std::to_string(i) + std::string(1000, 'a'), 1);
    check_time([&] { return load_model(model); }, "a");
  }

  /// Each piece is the one before and a letter more, so that every cut finds its left part: both
  /// are looked up.
  void chainsOfPrefixes_loadInTime() {
    std::mt19937 random(1);
    std::string model = field(2, varint(3 << 3) + varint(2)) + piece("<unk>", 2);
    for (char c = 'a'; c <= 'z'; ++c) model += piece(std::string(1, c), 1);
    for (int chain = 0; chain < 9'000; ++chain) {
      std::string text;
      while (text.size() < 31) {
        text += static_cast<char>('a' + random() % 26);
        if (text.size() > 8) model += piece(text, 1);
      }
    }
    const auto tokenizer = load_model(model);
    QVERIFY(!tokenizer);
    QVERIFY2(tokenizer.error().message.find("its merges takes more than 5000000 steps") !=
                 std::string::npos,
             tokenizer.error().message.c_str());
  }

  /// PCRE2 walks through all characters of a class that ignores case.
  void caselessClasses_compileInTime_data() {
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("classes");
    QTest::addColumn<QString>("says");
    QTest::newRow("one step") << 1 << 500 << "it ignores case and is longer than 1024 bytes";
    QTest::newRow("sixty steps") << 60 << 130 << "compiling its patterns takes more than 500 ms";
  }
  void caselessClasses_compileInTime() {
    QFETCH(int, steps);
    QFETCH(int, classes);
    QFETCH(QString, says);
    const std::string pattern = "(?i)" + repeated("\\p{Any}", static_cast<size_t>(classes));
    Json json = small_json();
    json["pre_tokenizer"] = sequence(
        "pretokenizers", std::vector<Json>(static_cast<size_t>(steps), split(regex(pattern))));
    check_json(json, "a");
    const auto refused = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(!refused);
    QVERIFY2(QString::fromStdString(refused.error().message).contains(says),
             refused.error().message.c_str());
  }

  /// Each of these texts would take 200 bytes beside itself.
  void textsBesideTheVocabulary_areLimited() {
    Json json = small_json();
    for (int i = 0; i < 600'000; ++i) {
      json["x"][std::to_string(i) + "-of-twenty-letters"] = "a text that is on the heap";
    }
    check_json(json, "a");
    const auto refused = parse_tokenizer(json.dump(), "t.json", {});
    QVERIFY(!refused && refused.error().message.find("16 MiB of texts") != std::string::npos);
  }

  /// They are in memory with the file of the configuration.
  void filesBesideTheConfiguration_areSmaller() {
    for (const auto& [name, bytes] :
         {std::pair("special_tokens_map.json", 5 << 20), std::pair("added_tokens.json", 9 << 20)}) {
      QTemporaryDir folder;
      const std::filesystem::path path = folder.path().toStdString();
      std::ofstream(path / "tokenizer.json") << small_json().dump();
      std::ofstream(path / name) << "{\"a\":\"" << std::string(static_cast<size_t>(bytes), 'a')
                                 << "\"}";
      const auto refused = load_tokenizer(path);
      QVERIFY(!refused);
      const std::string& says = refused.error().message;
      QVERIFY2(says.find(name) != std::string::npos && says.find("allowed") != std::string::npos,
               says.c_str());
    }
  }

  /// Ids that share one place of a hash table whenever it has grown.
  void addedIdsThatCollide_loadInTime() {
    std::vector<int64_t> ids;
    std::set<int64_t> used;
    const std::vector<size_t> sizes = {42'043, 85'229, 172'933, 351'061};
    for (const size_t places : sizes) {
      for (int64_t rest = 0; ids.size() < places; ++rest) {
        for (int64_t id = rest; id < (int64_t{1} << 31) && ids.size() < places;
             id += static_cast<int64_t>(places)) {
          if (used.insert(id).second) ids.push_back(id);
        }
      }
    }
    std::string added = "{";
    for (size_t i = 0; i < ids.size(); ++i) {
      const std::string name = std::to_string(1'000'000 + i);
      added += (i > 0 ? ",\"" : "\"") + name + "\":" + std::to_string(ids[i]);
    }
    QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    std::ofstream(path / "tokenizer.json") << small_json().dump();
    std::ofstream(path / "added_tokens.json") << added + "}";
    check_time([&] { return load_tokenizer(path); }, "a");
    const auto refused = load_tokenizer(path);
    QVERIFY(!refused && refused.error().message.find("add 351,061 tokens") != std::string::npos);
  }

  void decoderSearches_endInTime() {
    Json json = small_json();
    for (int id = 3; id < 2000; ++id)
      json["model"]["vocab"][std::string(4000, 'a') + std::to_string(id)] = id;
    json["decoder"] = sequence(
        "decoders", std::vector<Json>(60, replace(literal(std::string(2000, 'a') + "b"), "")));
    check_json(json, "a");
  }

  void longMerges_endInTime() {
    Json json = small_json();
    std::string longest = "aa";
    for (int id = 3; id < 14; ++id) {
      json["model"]["merges"].push_back(longest + " " + longest);
      longest += longest;
      json["model"]["vocab"][longest] = id;
    }
    check_json(json, std::string(10 * kLongText, 'a'));
  }

  /// Tokens whose hashes were equal under the constants that the hash had before it was drawn anew
  /// by each process.
  void tokensThatCollide_loadInTime() {
    constexpr uint64_t kMix = 0x9E3779B97F4A7C15;
    std::vector<std::string> tokens = {"<s>", "a", "b", "ab"};
    for (uint64_t i = 0; i < 60'000; ++i) {
      uint64_t words[2] = {i, 0};
      uint64_t hash = ((16 * kMix) ^ words[0]) * kMix;
      words[1] = hash ^ (hash >> 32);
      tokens.emplace_back(reinterpret_cast<const char*>(words), 16);
    }
    const std::string prefix = "tokenizer.ggml.";
    GgufBuilder file;
    file.string(prefix + "model", "gpt2").string(prefix + "pre", "gpt-2");
    file.strings(prefix + "tokens", tokens).strings(prefix + "merges", {"a b"});
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString() + "/collide.gguf";
    std::ofstream(path, std::ios::binary) << file.build();
    check_time(
        [&]() -> Result<std::unique_ptr<Tokenizer>> {
          const auto opened = GgufFile::open(path);
          if (!opened) return opened.error();
          return load_gguf_tokenizer(*opened);
        },
        "a");
  }

  /// The peak of the whole program, after all tests above.
  void memory_staysBounded() {
#ifdef QUIRE_IS_SANITIZED
    QSKIP("A sanitizer's own memory counts.");
#endif
    QVERIFY2(peak_mb() < 300, qPrintable(QString::number(peak_mb())));
  }

 private:
  /// Each adds its mark before each character.
  static std::vector<Json> marks() {
    std::vector<Json> steps = {split(regex("[\\s\\S]"))};
    for (int i = 0; i < 60; ++i) {
      const QString mark = QChar(0x2581 + i);
      steps.push_back({{"type", "Metaspace"}, {"replacement", mark.toStdString()}});
    }
    return steps;
  }

  static std::vector<Json> alternating_forms() {
    std::vector<Json> steps;
    for (int i = 0; i < 30; ++i) {
      steps.push_back({{"type", "NFKD"}});
      steps.push_back({{"type", "NFC"}});
    }
    return steps;
  }

  static std::vector<Json> growing_steps() {
    const QString spelt = QString(QChar(0xFDFA)).normalized(QString::NormalizationForm_KC);
    std::vector<Json> steps;
    for (int i = 0; i < 8; ++i) {
      steps.push_back({{"type", "NFKC"}});
      steps.push_back(replace(literal(spelt.toStdString()), repeated("\uFDFA", 11)));
    }
    return steps;
  }
};

QTEST_APPLESS_MAIN(TestTokenizerBudgets)
#include "tst_tokenizer_budgets.moc"
