// GGUF files whose vocabulary or template is wrong, and models in several files.
#include <cmath>

#include "tests/hostile/gguf_model.h"
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

namespace fs = std::filesystem;
using Raw = GgufBuilder;

const std::string kPrefix = "tokenizer.ggml.";

HostileFile& add(HostileFolder& to, const std::string& title, const std::string& place,
                 const GgufModel& model) {
  return to.file("gguf-vocabulary", title + ".gguf", place, model.build());
}

GgufModel byScores(const std::vector<float>& scores) {
  GgufModel model = tinyGguf();
  std::string all;
  for (const float score : scores) all += Raw::raw(score);
  return model.text(kPrefix + "model", "llama").array(kPrefix + "scores", 6, scores.size(), all);
}

void addWrongTypes(HostileFolder& to) {
  for (const char* key : {"model", "tokens", "merges"}) {
    const std::string name = kPrefix + key;
    add(to, std::string("without-") + key, name, tinyGguf().without(name));
    add(to, std::string("number-as-") + key, name, tinyGguf().u32(name, 7));
    add(to, std::string("numbers-as-") + key, name,
        tinyGguf().array(name, 4, 7, std::string(28, '\1')));
    add(to, std::string("nothing-as-") + key, name, tinyGguf().array(name, 8, 0, ""));
  }
  add(to, "types-of-text", kPrefix + "token_type", tinyGguf().texts(kPrefix + "token_type", {"a"}));
  add(to, "two-types", kPrefix + "token_type",
      tinyGguf().array(kPrefix + "token_type", 5, 2, std::string(8, '\1')));
  add(to, "two-million-types", kPrefix + "token_type",
      tinyGguf().array(kPrefix + "token_type", 0, 1 << 21, std::string(1 << 21, '\1')));
  add(to, "types-of-all-bits", "",
      tinyGguf().array(kPrefix + "token_type", 5, 7, std::string(28, '\xff')))
      .ends(HostileEnd::kEither);
  add(to, "model-unknown", kPrefix + "model", tinyGguf().text(kPrefix + "model", "t5"));
  add(to, "model-of-escapes", kPrefix + "model",
      tinyGguf().text(kPrefix + "model", "\x1b[31m\u202eevil\n"));
  add(to, "pre-unknown", kPrefix + "pre", tinyGguf().text(kPrefix + "pre", "nobody's"));
  for (const int32_t id : {-1, 7, 1 << 30}) {
    add(to, "eos-" + std::to_string(id), "",
        tinyGguf().number(kPrefix + "eos_token_id", 5, id).number(kPrefix + "bos_token_id", 5, id))
        .ends(HostileEnd::kEither);
  }
}

void addTokens(HostileFolder& to) {
  const std::string tokens = kPrefix + "tokens";
  const auto with = [&](const char* title, const std::string& place,
                        const std::vector<std::string>& list) {
    return &add(to, title, place, tinyGguf().texts(tokens, list));
  };
  with("token-twice", tokens, {"<s>", "a", "b", "c", "ab", "a", "<t>"});
  with("token-empty", tokens + "|merges", {"<s>", "", "b", "c", "ab", "", "<t>"});
  with("token-of-seventy-kilobytes", tokens + " entry 1",
       {"<s>", std::string(70'000, 'a'), "b", "c", "ab", "abc", "<t>"});
  with("tokens-fewer-than-embeddings", tokens + "|vocabulary|tokens",
       {"<s>", "a", "b", "c", "ab", "abc", "<t>", "more"})
      ->ends(HostileEnd::kEither);
  add(to, "H-tokens-of-escapes", "",
      tinyGguf()
          .texts(tokens, {"<s>", "a", "b", "\x1b]0;owned\7\x1b[2J", "ab",
                          "\x9b"
                          "31m",
                          "<\x1b>"})
          .texts(kPrefix + "merges", {"a b"}))
      .ends(HostileEnd::kEither)
      .ofRow("H");
  with("tokens-no-utf-8", kPrefix + "merges",
       {"<s>", "\xff\xfe", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "abc", "<t>"});
  with("tokens-of-nul", kPrefix + "merges",
       {"<s>", std::string(3, '\0'), "b", std::string("\0x", 2), "ab", "abc", "<t>"});
  const std::string merges = kPrefix + "merges";
  add(to, "merge-of-one", merges + " entry 0", tinyGguf().texts(merges, {"ab"}));
  add(to, "merge-of-nothing", merges + " entry 0", tinyGguf().texts(merges, {""}));
  add(to, "merge-of-strangers", merges + " entry 1", tinyGguf().texts(merges, {"a b", "q q"}));
  add(to, "merge-of-escapes", merges + " entry 0", tinyGguf().texts(merges, {"\x1b[31m \x1b"}));
  add(to, "merge-twice", "", tinyGguf().texts(merges, {"a b", "a b"})).ends(HostileEnd::kEither);
  GgufModel many = tinyGguf();
  std::string all;
  for (int i = 0; i < 600'000; ++i) all += Raw::text(std::to_string(i));
  add(to, "M-six-hundred-thousand-tokens", tokens + "|524288", many.array(tokens, 8, 600'000, all))
      .ofRow("M");
  all.clear();
  for (int i = 0; i < 1'100'000; ++i) all += Raw::text("a b");
  add(to, "M-a-million-merges", merges, tinyGguf().array(merges, 8, 1'100'000, all)).ofRow("M");
  // Refused by the sums of their bytes, of which each alone may be read.
  all.clear();
  for (int i = 0; i < 2200; ++i) all += Raw::text(std::to_string(i) + std::string(4000, 'x'));
  add(to, "tokens-of-nine-megabytes", tokens + " entry", tinyGguf().array(tokens, 8, 2200, all));
  all.clear();
  for (int i = 0; i < 4300; ++i) all += Raw::text("a " + std::string(4000, 'x'));
  add(to, "merges-of-17-megabytes", merges, tinyGguf().array(merges, 8, 4300, all));
  GgufModel half = tinyGguf();
  all.clear();
  for (int i = 0; i < 500'000; ++i) all += Raw::text("t" + std::to_string(i));
  add(to, "half-a-million-tokens", merges,
      half.array(tokens, 8, 500'000, all).without(kPrefix + "token_type"));
}

void addScores(HostileFolder& to) {
  add(to, "score-nan", "piece 1", byScores({0, std::nanf(""), 0, 0, 0, 0, 0}));
  add(to, "score-infinite", "", byScores({0, INFINITY, 0, 0, -INFINITY, 0, 0}))
      .ends(HostileEnd::kEither);
  add(to, "one-score", kPrefix + "scores", byScores({0}));
  add(to, "two-million-scores", kPrefix + "scores",
      byScores({}).array(kPrefix + "scores", 0, 1 << 21, std::string(1 << 21, '1')));
  add(to, "scores-of-text", kPrefix + "scores|piece",
      byScores({}).texts(kPrefix + "scores", {"a", "b", "c", "d", "e", "f", "g"}))
      .ends(HostileEnd::kEither);
}

void addTemplateKeys(HostileFolder& to) {
  const auto with = [&](const char* title, const std::string& source) {
    // A broken template is named, but the model still completes plain text.
    return &add(to, title, "", tinyGguf().text("tokenizer.chat_template", source))
                .ends(HostileEnd::kAccepted);
  };
  with("template-open", "{% if x %}");
  with("template-of-parentheses", "{{ " + repeated("(", 200'000));
  with("template-of-escapes", "\x1b[2J{{ \x1b }}");
  with("template-no-utf-8", "\xff\xfe{{ messages }}\x80");
  with("template-endless",
       "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}");
  add(to, "template-of-five-megabytes", "tokenizer.chat_template",
      tinyGguf().text("tokenizer.chat_template", repeated("{{ a }}", 800'000)));
  add(to, "template-of-20-megabytes", "tokenizer.chat_template",
      tinyGguf().text("tokenizer.chat_template", std::string(20 << 20, '<')));
  with("template-of-many-tags", repeated("{% if a %}{% endif %}", 199'000));
  add(to, "template-is-a-number", "", tinyGguf().u32("tokenizer.chat_template", 9))
      .ends(HostileEnd::kAccepted);
}

GgufModel part(int number, int count) {
  GgufModel model = tinyGguf();
  return model.number("split.no", 2, static_cast<uint16_t>(number - 1))
      .number("split.count", 2, static_cast<uint16_t>(count));
}

std::string partName(int number, int count) {
  char name[64];
  std::snprintf(name, sizeof name, "m-%05d-of-%05d.gguf", number, count);
  return name;
}

/// A set of which the first part is given.
HostileFile& addSet(HostileFolder& to, const std::string& title, const std::string& place,
                    const std::vector<GgufModel>& parts, int count) {
  HostileFile& made =
      to.folder("split", title, place, partName(1, count) + "|" + partName(2, count));
  for (size_t i = 0; i < parts.size(); ++i) {
    writeFile(made.path / partName(static_cast<int>(i) + 1, count), parts[i].build());
  }
  made.path /= partName(1, count);
  return made;
}

}  // namespace

void addGgufVocabularies(HostileFolder& to) {
  addWrongTypes(to);
  addTokens(to);
  addScores(to);
  addTemplateKeys(to);
}

void addSplitFiles(HostileFolder& to) {
  addSet(to, "part-missing", "missing", {part(1, 2)}, 2);
  addSet(to, "tensor-in-both", "the tensor", {part(1, 2), part(2, 2)}, 2);
  addSet(to, "part-of-another-set", "part", {part(1, 2), part(3, 9)}, 2);
  addSet(to, "part-without-number", "split.no", {part(1, 2), tinyGguf()}, 2);
  addSet(to, "two-first-parts", "part", {part(1, 2), part(1, 2)}, 2);
  addSet(to, "part-beyond-the-count", "split.no", {part(5, 2), part(2, 2)}, 2);
  addSet(to, "count-of-65535", "missing|part", {part(1, 65535)}, 65535);
  // Each has less metadata than a file may have; it is sparse on the disk, but read whole.
  HostileFile& large = addSet(to, "split-of-large-parts", "metadata", {}, 8);
  for (int i = 1; i <= 8; ++i) {
    constexpr uint64_t kTextBytes = 60 << 20;
    Raw head;
    head.string("general.architecture", "llama");
    head.u16("split.no", static_cast<uint16_t>(i - 1)).u16("split.count", 8);
    const std::string start = head.key("z", Raw::kString, Raw::raw(kTextBytes)).build();
    const fs::path path = large.path.parent_path() / partName(i, 8);
    writeFile(path, start);
    makeSparse(path, start.size() + kTextBytes);
  }
  GgufModel counted = part(1, 2);
  GgufModel second = part(2, 2);
  second.tensors.clear();
  addSet(to, "tensors-miscounted", "split.tensors.count",
         {counted.number("split.tensors.count", 5, 99), second}, 2);
  HostileFile& renamed = to.file("split", "renamed.gguf", "split|part", part(1, 3).build());
  renamed.named("renamed.gguf");
  to.file("split", "million-parts.gguf", "split.count",
          tinyGguf().number("split.count", 4, 1'000'000u).build());
  to.file("split", "negative-part.gguf", "split|part",
          tinyGguf().number("split.no", 5, -3).number("split.count", 5, 2).build());
  HostileFile& cycle = addSet(to, "second-is-a-link-to-the-first", "part", {part(1, 2)}, 2);
  fs::create_symlink(cycle.path, cycle.path.parent_path() / partName(2, 2));
  HostileFile& loop = addSet(to, "second-is-a-link-to-itself", "missing|part", {part(1, 2)}, 2);
  fs::create_symlink(partName(2, 2), loop.path.parent_path() / partName(2, 2));
  HostileFile& folder = addSet(to, "second-is-a-folder", "folder|file", {part(1, 2)}, 2);
  fs::create_directory(folder.path.parent_path() / partName(2, 2));
  HostileFile& device = addSet(to, "second-is-a-device", "file", {part(1, 2)}, 2);
  fs::create_symlink("/dev/zero", device.path.parent_path() / partName(2, 2));
}

}  // namespace quire::test
