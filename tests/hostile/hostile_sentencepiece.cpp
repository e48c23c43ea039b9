// Folders whose tokenizer.model, a sentencepiece model, is wrong.
#include <cmath>
#include <cstring>

#include "tests/hostile/folder_model.h"
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "tokenizer.model";

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}

std::string field(uint32_t number, const std::string& content) {
  return varint(number << 3 | 2) + varint(content.size()) + content;
}

std::string number(uint32_t field, uint64_t value) {
  return varint(field << 3) + varint(value);
}

std::string score(float value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return varint(2 << 3 | 5) + bytes;
}

std::string piece(const std::string& text, int type = 1, float value = 0) {
  return field(1, field(1, text) + score(value) + number(3, static_cast<uint64_t>(type)));
}

constexpr int kUnigram = 1;
constexpr int kBpe = 2;

/// Four pieces, merged by scores.
std::string small(int model = kBpe) {
  return piece("<unk>", 2) + piece("a", 1, -1) + piece("b", 1, -2) + piece("ab", 1, -3) +
         field(2, number(3, static_cast<uint64_t>(model)));
}

HostileFile& add(HostileFolder& to, const std::string& title, const std::string& place,
                 const std::string& bytes) {
  HostileFile& made = to.folder("sentencepiece", title, place, kFile);
  tinyFolder().write(made.path);
  fs::remove(made.path / "tokenizer.json");
  writeFile(made.path / kFile, bytes);
  return made;
}

std::string u32(const std::vector<uint32_t>& values) {
  std::string bytes(values.size() * 4, '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A charsmap: the trie with its length in front, and the replacements.
std::string charsmap(const std::vector<uint32_t>& trie, const std::string& replacements) {
  return u32({static_cast<uint32_t>(trie.size() * 4)}) + u32(trie) + replacements;
}

void addWire(HostileFolder& to) {
  const std::string whole = small();
  add(to, "empty", "empty", "");
  add(to, "text", "cut short", "This is a text and not a model.");
  add(to, "zeros", "cut short", std::string(100, '\0'));
  add(to, "without-pieces", "pieces", field(2, number(3, kBpe)));
  for (const size_t at : {size_t{1}, size_t{3}, size_t{10}, size_t{15}, whole.size() - 1}) {
    add(to, "cut-at-" + std::to_string(at), "cut short|piece", whole.substr(0, at));
  }
  add(to, "varint-of-eleven-bytes", "cut short", whole + std::string(11, '\xff'));
  add(to, "length-of-all-bits", "cut short", whole + "\x0a" + varint(~uint64_t{0}));
  add(to, "length-beyond-the-end", "cut short", whole + "\x0a" + varint(1u << 30));
  add(to, "field-zero", "cut short", whole + varint(0 << 3 | 2) + varint(0));
  for (const int type : {3, 4, 6, 7}) {
    add(to, "wire-type-" + std::to_string(type), "cut short",
        whole + varint(static_cast<uint64_t>(9 << 3 | type)));
  }
  add(to, "A-charsmap-again-as-varint", "normalizer_spec",
      whole + field(3, field(2, std::string(64, '\xff')) + number(2, 1)))
      .ofRow("A");
  add(to, "A-charsmap-again-as-fixed64", "normalizer_spec",
      whole + field(3, field(2, std::string(64, '\xff')) + varint(2 << 3 | 1) + std::string(8, 1)))
      .ofRow("A");
  add(to, "A-charsmap-again-as-nothing", "normalisation rules",
      whole + field(3, field(2, "")) + field(3, field(2, std::string(64, '\xff'))))
      .ofRow("A");
  for (const auto& [name, bytes] :
       {std::pair("piece-as-varint", number(1, 7)), std::pair("trainer-as-varint", number(2, 7)),
        std::pair("normalizer-as-varint", number(3, 7)),
        std::pair("text-as-varint", field(1, number(1, 7))),
        std::pair("score-as-varint", field(1, field(1, "x") + number(2, 7))),
        std::pair("type-as-bytes", field(1, field(1, "x") + field(3, "x"))),
        std::pair("model-type-as-bytes", field(2, field(3, "x"))),
        std::pair("fallback-as-bytes", field(2, field(35, "x"))),
        std::pair("prefix-as-bytes", field(3, field(3, "x")))}) {
    add(to, std::string("A-") + name, "wire type", whole + bytes).ofRow("A");
  }
  for (int i = 0; i < 10; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 3; ++k)
      damaged[to.random() % damaged.size()] = static_cast<char>(to.random());
    add(to, "random-" + std::to_string(i), "", damaged).ends(HostileEnd::kEither);
  }
}

void addPieces(HostileFolder& to) {
  const auto with = [&](const std::string& title, const std::string& place,
                        const std::string& more) {
    HostileFile& made = add(to, title, place, small() + more);
    return &made.named(kFile + ("|" + title));  // A piece more than the embedding has rows.
  };
  with("piece-empty", "piece 4", piece(""));
  with("piece-no-utf-8", "piece 4", piece("\xff\xfe"));
  with("piece-surrogate", "piece 4", piece("\xed\xa0\x80"));
  with("piece-of-two-kilobytes", "piece 4", piece(std::string(2000, 'x')));
  with("piece-type-nine", "piece 4", piece("x", 9));
  with("piece-type-huge", "piece 4", field(1, field(1, "x") + number(3, ~uint64_t{0})));
  with("score-nan", "piece 4", piece("x", 1, std::nanf("")));
  with("score-infinite", "", piece("x", 1, INFINITY))->ends(HostileEnd::kEither);
  with("piece-twice", "piece|twice", piece("a"))->ends(HostileEnd::kEither);
  with("byte-of-no-number", "", piece("<0xZZ>", 6))->ends(HostileEnd::kEither);
  with("two-unknowns", "", piece("<unk2>", 2))->ends(HostileEnd::kEither);
  with("H-piece-of-escapes", "", piece("\x1b[2J\x1b]0;x\7") + piece("\u202e"))
      ->ends(HostileEnd::kEither)
      .ofRow("H");
  with("model-of-characters", "model|kind|type", field(2, number(3, 4)))->named(kFile);
  std::string many;
  for (int i = 0; i < 600'000; ++i) many += piece(std::to_string(i));
  with("M-six-hundred-thousand-pieces", "pieces", many)->ofRow("M");
  many.clear();
  for (int i = 0; i < 9000; ++i) many += piece(std::to_string(i) + std::string(1000, 'x'));
  with("pieces-of-nine-megabytes", "pieces", many);
}

void addRules(HostileFolder& to) {
  const auto with = [&](const std::string& title, const std::string& map,
                        const std::string& text = {}) {
    HostileFile& made =
        add(to, title, "normalisation rules", small(kUnigram) + field(3, field(2, map)));
    if (!text.empty()) made.as(HostileUse::kTokenize).ends(HostileEnd::kEither).with(text);
    return &made;
  };
  std::vector<uint32_t> trie(256, 0);
  with("rules-of-four-bytes", u32({4}));
  with("rules-longer-than-they-are", u32({1 << 30}) + std::string(64, '\0'));
  with("rules-of-odd-length", u32({5}) + std::string(64, '\0'));
  with("rules-of-all-bits", u32({64}) + std::string(64, '\xff') + std::string(4, '\0'));
  with("rules-out-of-bounds",
       charsmap(std::vector<uint32_t>(256, 0x7fffffff & ~(1u << 9)), std::string(1, '\0')));
  with("rules-without-end", charsmap(trie, "x"));
  // Each node leads back to the root by the byte that it is labelled with.
  const auto back = [](uint32_t byte) { return byte << 10 | byte; };
  constexpr uint32_t kHasLeaf = 1u << 8;
  std::vector<uint32_t> one(256, 0);
  one['a'] = back('a');
  std::vector<uint32_t> all(256, 0);
  for (uint32_t byte = 1; byte < 256; ++byte) all[byte] = back(byte);
  std::vector<uint32_t> leaves(256, 0);
  leaves['a'] = back('a') | kHasLeaf;
  const std::string end(8, '\0');
  for (const size_t length : {25'000, 100'000, 1'000'000}) {
    const std::string size = "-" + std::to_string(length);
    const std::string text(length, 'a');
    with("9-charsmap-cycle" + size, charsmap(one, end), text)->ofRow("9");
    with("9-charsmap-cycles-of-all" + size, charsmap(all, end), text)->ofRow("9");
    with("9-charsmap-cycle-of-leaves" + size, charsmap(leaves, std::string(100'000, 'z') + end),
         text)
        ->ofRow("9");
  }
  for (int i = 0; i < 10; ++i) {
    std::vector<uint32_t> random(512);
    for (uint32_t& unit : random) unit = to.random() & 0x000003ffu;
    with("rules-random-" + std::to_string(i), charsmap(random, std::string(1 << 10, 'z') + '\0'),
         std::string(50'000, 'a'));
  }
}

}  // namespace

void addSentencePieces(HostileFolder& to) {
  addWire(to);
  addPieces(to);
  addRules(to);
}

}  // namespace quire::test
