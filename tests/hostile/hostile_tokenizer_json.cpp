// Folders whose tokenizer.json is wrong, or makes work without end.
#include "tests/hostile/folder_model.h"
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kKind = "tokenizer";
constexpr const char* kFile = "tokenizer.json";

HostileFile& add(HostileFolder& to, const std::string& title, const std::string& place,
                 const std::string& text) {
  HostileFile& made = to.folder(kKind, title, place, kFile);
  tinyFolder().write(made.path);
  writeFile(made.path / kFile, text);
  return made;
}

Json small() {
  return tinyFolder().tokenizer;
}

/// The tiny tokenizer with one value replaced.
HostileFile& addAt(HostileFolder& to, const std::string& title, const std::string& place,
                   const char* pointer, const std::string& value) {
  Json json = small();
  json[Json::json_pointer(pointer)] = Json::parse(value);
  return add(to, title, place, json.dump());
}

/// With a Split pre-tokenizer of this pattern, on a text.
HostileFile& addSplit(HostileFolder& to, const std::string& title, const std::string& pattern,
                      const std::string& text) {
  Json json = small();
  json["pre_tokenizer"] = {
      {"type", "Split"}, {"behavior", "Isolated"}, {"pattern", {{"Regex", pattern}}}};
  return add(to, title, "pre_tokenizer Split", json.dump())
      .as(HostileUse::kTokenize)
      .ends(HostileEnd::kEither)
      .with(text);
}

Json steps(const char* list, const Json& step, size_t count) {
  return {{"type", "Sequence"}, {list, Json(count, step)}};
}

Json replace(const std::string& pattern, const std::string& content) {
  return {{"type", "Replace"}, {"pattern", {{"String", pattern}}}, {"content", content}};
}

HostileFile& addNormalizer(HostileFolder& to, const std::string& title, const Json& normalizer,
                           const std::string& text) {
  Json json = small();
  json["normalizer"] = normalizer;
  return add(to, title, "normalizer", json.dump())
      .as(HostileUse::kTokenize)
      .ends(HostileEnd::kEither)
      .with(text);
}

void addValues(HostileFolder& to) {
  add(to, "no-json", "byte", "{\"model\": nonsense}");
  add(to, "open", "byte", small().dump().substr(0, 40));
  add(to, "a-list", "object", "[]");
  add(to, "no-utf-8", "byte", "{\"\xff\": 1}");
  add(to, "nested", "nested", "{\"a\":" + repeated("[", 500'000));
  add(to, "two-million-values", "values", "{\"a\":[" + repeated("0,", 2'000'000) + "0]}");
  add(to, "sparse-3-gigabytes", "bytes long", "{");
  makeSparse(to.files().back().path / kFile, uint64_t{3} << 30);
  addAt(to, "id-negative", "model.vocab", "/model/vocab/zz", "-1");
  addAt(to, "id-huge", "model.vocab", "/model/vocab/zz", "2147483648");
  addAt(to, "id-of-all-bits", "model.vocab", "/model/vocab/zz", "18446744073709551615");
  addAt(to, "id-twice", "model.vocab", "/model/vocab/zz", "1");
  addAt(to, "id-a-text", "model.vocab", "/model/vocab/zz", "\"1\"");
  addAt(to, "id-a-fraction", "model.vocab", "/model/vocab/zz", "1.5");
  addAt(to, "id-a-list", "model.vocab", "/model/vocab/zz", "[[[1]]]");
  addAt(to, "vocabulary-empty", "model.vocab", "/model/vocab", "{}");
  addAt(to, "vocabulary-a-list", "model.vocab", "/model/vocab", "[[\"a\", 1.0]]");
  addAt(to, "merges-a-text", "model.merges", "/model/merges", "\"a b\"").ends(HostileEnd::kEither);
  addAt(to, "merge-of-three", "model.merges", "/model/merges", "[\"a b c\"]");
  addAt(to, "merge-of-numbers", "model.merges", "/model/merges", "[[1, 2]]");
  addAt(to, "merge-of-strangers", "model.merges", "/model/merges", "[\"a q\"]");
  addAt(to, "merge-of-escapes", "model.merges", "/model/merges", R"(["\u001b[2J \u202e"])");
  addAt(to, "model-unknown", "model", "/model/type", "\"WordLevel\"");
  addAt(to, "model-of-escapes", "model", "/model/type", R"("\u001b[31m\u202e")");
  addAt(to, "model-a-list", "model", "/model", "[]");
  addAt(to, "suffix", "end_of_word_suffix", "/model/end_of_word_suffix", "\"</w>\"");
  addAt(to, "added-an-object", "added_tokens", "/added_tokens", "{}");
  addAt(to, "added-without-id", "added_tokens", "/added_tokens/0", R"({"content": "q"})");
  addAt(to, "added-far-away", "added_tokens", "/added_tokens/0",
        R"({"content": "q", "id": 99999999})");
  addAt(to, "added-empty", "added_tokens", "/added_tokens/0", R"({"content": "", "id": 3})");
  addAt(to, "token-of-70-kilobytes", "added_tokens", "/added_tokens/0",
        R"({"id": 3, "content": ")" + std::string(70'000, 'x') + "\"}");
  const std::string wide = "\x7f" + std::string(900'000, 'K');  // Cut in messages.
  addAt(to, "kind-of-900-kilobytes", "model", "/model/type", '"' + wide + '"');
  addAt(to, "normalizer-of-900-kilobytes", "normalizer", "/normalizer",
        R"({"type": ")" + wide + "\"}");
  addAt(to, "merge-of-900-kilobytes", "model.merges", "/model/merges", "[\"a " + wide + "\"]");
  addAt(to, "added-of-900-kilobytes", "added_tokens", "/added_tokens/0",
        R"({"id": -5, "content": ")" + wide + "\"}");
  add(to, "kind-of-two-megabytes", "byte 19",
      R"({"model": {"type": ")" + std::string(2 << 20, 'K') + "\"}}");
  add(to, "text-without-an-end", "byte 5", "{\"a\":\"" + std::string(60 << 20, 'K'));
  addAt(to, "token-of-escapes", "", "/added_tokens/0",
        R"({"id": 3, "special": true, "content": "\u001b]0;owned\u0007\u202e"})")
      .ends(HostileEnd::kAccepted)
      .ofRow("H");
  for (const char* part : {"normalizer", "pre_tokenizer", "decoder", "post_processor"}) {
    const std::string pointer = std::string("/") + part;
    addAt(to, std::string(part) + "-unknown", part, pointer.c_str(), R"({"type": "Surprise"})");
    addAt(to, std::string(part) + "-of-escapes", part, pointer.c_str(),
          R"({"type": "\u001b[2J\u0007"})");
    addAt(to, std::string(part) + "-a-number", part, pointer.c_str(), "7");
  }
  addAt(to, "pattern-missing", "pattern", "/pre_tokenizer",
        R"({"type": "Split", "behavior": "Isolated"})");
  addAt(to, "pattern-open", "pattern", "/pre_tokenizer",
        R"({"type": "Split", "behavior": "Isolated", "pattern": {"Regex": "((("}})");
  addAt(to, "behavior-unknown", "behavior", "/pre_tokenizer",
        R"({"type": "Split", "behavior": "Maybe", "pattern": {"String": "a"}})");
  addAt(to, "mark-empty", "replacement", "/pre_tokenizer",
        R"({"type": "Metaspace", "replacement": ""})");
  addAt(to, "mark-of-two", "replacement", "/decoder",
        R"({"type": "Metaspace", "replacement": "xx"})");
}

void addWork(HostileFolder& to) {
  const std::string wide = "\xEF\xB7\xBA";  // U+FDFA, which NFKC makes 33 bytes of.
  Json chain = Json::array();
  for (int i = 0; i < 8; ++i) {
    chain.push_back({{"type", "NFKC"}});
    chain.push_back(
        replace("\u0635\u0644\u0649 \u0627\u0644\u0644\u0647 \u0639\u0644\u064a\u0647 "
                "\u0648\u0633\u0644\u0645",
                repeated(wide, 11)));
  }
  Json json = small();
  json["normalizer"] = {{"type", "Sequence"}, {"normalizers", chain}};
  json["added_tokens"].push_back({{"id", 4}, {"content", wide}, {"normalized", true}});
  add(to, "B-nfkc-and-replace", "normalizer|normalising its added tokens", json.dump())
      .ends(HostileEnd::kEither)
      .ofRow("B");
  const Json once = {{"type", "Sequence"}, {"normalizers", chain}};
  addNormalizer(to, "B-nfkc-on-text", once, repeated(wide, 3000)).ofRow("B");
  addNormalizer(to, "doubling-60-times", steps("normalizers", replace("a", "aa"), 60),
                std::string(100'000, 'a'));
  addNormalizer(to, "sixty-nfkd", steps("normalizers", {{"type", "NFKD"}}, 60),
                repeated("\u1e9b\u0323\u0323", 20'000));
  addNormalizer(to, "sixty-lowercase", steps("normalizers", {{"type", "Lowercase"}}, 60),
                std::string(1 << 20, 'A'));
  addNormalizer(to, "prepend-of-100-kilobytes",
                {{"type", "Prepend"}, {"prepend", std::string(100'000, 'b')}}, "a b c");
  addNormalizer(to, "regex-replace",
                {{"type", "Replace"}, {"pattern", {{"Regex", "(a|a)*[bc]"}}}, {"content", "xx"}},
                std::string(5000, 'a'));
  addNormalizer(to, "too-many-steps", steps("normalizers", {{"type", "NFC"}}, 1000), "a");
  Json nested = {{"type", "NFC"}};
  for (int i = 0; i < 30; ++i) nested = steps("normalizers", nested, 1);
  addNormalizer(to, "sequences-in-sequences", nested, "a");
  Json decoder = small();
  decoder["decoder"] = steps("decoders", replace("a", "aa"), 60);
  add(to, "decoder-doubling", "decoder", decoder.dump());
  addSplit(to, "C-two-hundred-thousand-boundaries", repeated("\\b", 200'000), "a").ofRow("C");
  addSplit(to, "C-hundred-thousand-letters", repeated("\\p{L}", 100'000), "a").ofRow("C");
  addSplit(to, "C-eighty-thousand-classes", repeated("[^\\s\\p{L}]", 80'000), "a").ofRow("C");
  addSplit(to, "D-alternation-22", "(?:a|a){22}[bc]", std::string(500, 'a')).ofRow("D");
  addSplit(to, "D-alternation-22-on-100-kilobytes", "(?:a|a){22}[bc]", std::string(100'000, 'a'))
      .ofRow("D");
  addSplit(to, "nested-repeats", "(a+)+$", std::string(50'000, 'a') + "b");
  addSplit(to, "nested-stars", "(?:a*)*b", std::string(50'000, 'a'));
  addSplit(to, "optional-30", repeated("a?", 30) + repeated("a", 30), std::string(50'000, 'a'));
  addSplit(to, "lazy", ".*?.*?.*?.*?Z", std::string(20'000, 'a'));
  addSplit(to, "10-lookahead-scans", "(?=[\\s\\S]*[Zz])a", std::string(100'000, 'a')).ofRow("10");
  addSplit(to, "10-negative-lookahead-scans", "(?![\\s\\S]*Z)a", std::string(100'000, 'a'))
      .ofRow("10");
  addSplit(to, "10-lookbehind", "(?<=a)a(?=[^Z]*Z)", std::string(100'000, 'a')).ofRow("10");
  std::string scans;
  for (int i = 0; i < 150; ++i) scans += "(?=[\\s\\S]*[Zz])a|";
  addSplit(to, "10-many-lookaheads", scans + "b", std::string(1 << 20, 'a')).ofRow("10");
  addSplit(to, "backreference", "(a*)\\1b", std::string(20'000, 'a'));
  addSplit(to, "recursion", "(a(?1)?b)", std::string(20'000, 'a'));
  addSplit(to, "huge-count", "a{1,65000}{1,65000}", std::string(1000, 'a'));
  addSplit(to, "nested-groups", repeated("(", 3000) + "a" + repeated(")", 3000), "aaaa");
  addSplit(to, "classes-of-all", "[\\p{L}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}]+Z",
           std::string(100'000, 'a'));
}

/// "t" and seven digits.
std::string numbered(int i) {
  return "t" + std::to_string(10'000'000 + i).substr(1);
}

/// Takes half a second or more to normalise, in addition to everything else in the file.
std::string longAddedTokens(int first_id) {
  std::string added;
  for (int i = 0; i < 480; ++i) {
    added += (i > 0 ? ",{\"id\":" : "{\"id\":") + std::to_string(first_id + i) +
             R"(,"normalized":true,"content":")" + repeated("\u1e9b\u0323", 160) +
             std::to_string(i) + "\"}";
  }
  return R"("normalizer":{"type":"Sequence","normalizers":[)" +
         repeated(R"({"type":"NFKD"},{"type":"NFC"},)", 10) +
         R"({"type":"NFC"}]},"added_tokens":[)" + added + "]";
}

/// At most limits at once; they have another size than the model's embedding.
void addFullVocabularies(HostileFolder& to) {
  constexpr int kHalf = 262'000;
  std::string vocab = R"("a":0)", merges;
  for (int i = 1; i < kHalf; ++i) {
    const std::string left = numbered(i), right = numbered(i * 7 % kHalf);
    vocab += ",\"" + left + "\":" + std::to_string(i);
    if (i * 7 % kHalf == 0) continue;
    vocab += ",\"" + left + right + "\":" + std::to_string(kHalf + i);
    for (int k = 0; k < 2 + i % 2; ++k) {
      merges += (merges.empty() ? "[\"" : ",[\"") + left + "\",\"" + right + "\"]";
    }
  }
  const auto full = [&](const std::string& title, const std::string& text) {
    add(to, title, "model.vocab|tokens", text)
        .named("tokenizer.json|" + title)
        .ends(HostileEnd::kEither);
  };
  full("bpe-at-its-limits",
       R"({"model":{"type":"BPE","vocab":{)" + vocab + R"(},"merges":[)" + merges + "]}}");
  full("bpe-at-its-limits-with-long-added-tokens", "{" + longAddedTokens(2 * kHalf) +
                                                       R"(,"model":{"type":"BPE","vocab":{)" +
                                                       vocab + R"(},"merges":[)" + merges + "]}}");
  vocab = R"("a":0)";
  std::string pieces = R"(["a",-1])";
  for (int i = 1; i < 2 * kHalf; ++i) {
    const std::string token = std::to_string(10'007LL * i % 1'000'003) + numbered(i).substr(3);
    vocab += ",\"" + token + "\":" + std::to_string(i);
    pieces += ",[\"" + token + "\",-1]";
  }
  full("word-piece-at-its-limits",
       R"({"model":{"type":"WordPiece","unk_token":"a","vocab":{)" + vocab + "}}}");
  full("unigram-at-its-limits",
       R"({"model":{"type":"Unigram","unk_id":0,"vocab":[)" + pieces + "]}}");
}

void addSizes(HostileFolder& to) {
  std::string all = R"({"model":{"type":"BPE","merges":[],"vocab":{"a":0)";
  for (int i = 1; i < 600'000; ++i) all += ",\"t" + std::to_string(i) + "\":" + std::to_string(i);
  add(to, "M-six-hundred-thousand-tokens", "model.vocab", all + "}}}").ofRow("M");
  all = R"({"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b")";
  all += repeated(",\"a b\"", 1'100'000);
  add(to, "M-a-million-merges", "model.merges", all + "]}}").ofRow("M");
  all = R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"added_tokens":[)";
  for (int i = 1; i < 71'000; ++i) {
    all += (i > 1 ? ",{\"id\":" : "{\"id\":") + std::to_string(i) + ",\"content\":\"x" +
           std::to_string(i) + "\"}";
  }
  add(to, "M-seventy-one-thousand-added", "added tokens", all + "]}").ofRow("M");
  add(to, "M-105-megabytes", "bytes long", small().dump()).ofRow("M");
  makeSparse(to.files().back().path / kFile, 105 << 20);
  addFullVocabularies(to);
  all = R"({"model":{"type":"BPE","merges":[],"vocab":{"a":0)";
  for (int i = 1; i < 400; ++i) {
    all += ",\"" + std::string(60'000, 'a') + std::to_string(i) + "\":" + std::to_string(i);
  }
  add(to, "four-hundred-long-tokens", "model.vocab|different models", all + "}}}")
      .named("tokenizer.json|four-hundred-long-tokens")
      .ends(HostileEnd::kEither);
}

}  // namespace

void addTokenizerFiles(HostileFolder& to) {
  addValues(to);
  addWork(to);
  addSizes(to);
}

}  // namespace quire::test
