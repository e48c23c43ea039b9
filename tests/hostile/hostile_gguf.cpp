// GGUF files whose header, keys or tensors are wrong.
#include <cmath>
#include <limits>

#include "tests/hostile/gguf_model.h"
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

constexpr const char* kKind = "gguf";
constexpr uint64_t kHuge = uint64_t{1} << 63;

using Raw = GgufBuilder;

HostileFile& add(HostileFolder& to, const std::string& title, const std::string& place,
                 const std::string& bytes) {
  return to.file(kKind, title + ".gguf", place, bytes);
}

void addStarts(HostileFolder& to) {
  const std::string whole = tinyGguf().build();
  add(to, "whole", "", whole).ends(HostileEnd::kAccepted);
  add(to, "empty", "empty", "");
  add(to, "one-byte", "bytes long", "G");
  add(to, "wrong-magic", "not a GGUF file", "GGUX" + whole.substr(4));
  add(to, "zeros", "not a GGUF file", std::string(4096, '\0'));
  add(to, "web-page", "not a GGUF file", "<!DOCTYPE html><html>You must log in</html>");
  add(to, "git-lfs-pointer", "not a GGUF file",
      "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4096\n");
  add(to, "zip", "not a GGUF file", "PK\3\4" + std::string(100, '\0'));
  for (const char* magic : {"lmgg", "fmgg", "tjgg"}) {
    add(to, std::string("old-") + magic, "before 2023", magic + whole.substr(4));
  }
  for (const uint32_t version : {0u, 1u, 4u, 99u, 0xffffffffu}) {
    GgufModel model = tinyGguf();
    model.version = version;
    add(to, "version-" + std::to_string(version), "version", model.build());
  }
  std::string big = whole;
  std::swap(big[4], big[7]);
  add(to, "big-endian", "big-endian", big);
}

void addCounts(HostileFolder& to) {
  for (const int64_t count : {int64_t{12}, int64_t{1} << 32, std::numeric_limits<int64_t>::max()}) {
    GgufModel keys = tinyGguf();
    keys.claimed_keys = 20 + count;
    if (count > 100) keys.claimed_keys = count;
    add(to, "keys-" + std::to_string(count), "key", keys.build());
    GgufModel tensors = tinyGguf();
    tensors.claimed_tensors = 20 + count;
    if (count > 100) tensors.claimed_tensors = count;
    add(to, "tensors-" + std::to_string(count), "tensor", tensors.build());
  }
  GgufModel many = tinyGguf();
  for (int i = 0; i < 5000; ++i) many.u32("x." + std::to_string(i), 1);
  add(to, "five-thousand-keys", "keys", many.build());
  GgufModel wide = tinyGguf();
  for (int i = 0; i < 70'000; ++i) wide.tensors.push_back({"x" + std::to_string(i), {1}, 0, {}, 0});
  add(to, "seventy-thousand-tensors", "tensors", wide.build());
}

void addKeys(HostileFolder& to) {
  const auto with = [&](const std::string& title, const std::string& place, GgufModel::Key key) {
    GgufModel model = tinyGguf();
    model.keys.insert(model.keys.begin() + 2, std::move(key));
    return &add(to, title, place, model.build());
  };
  with("key-without-name", "key number 3", {"", 4, Raw::raw(1u)});
  with("key-twice", "general.name", {"general.name", 8, Raw::text("other")});
  with("key-of-unknown-type", "bad.key", {"bad.key", 13, Raw::raw(1u)});
  with("key-of-huge-type", "bad.key", {"bad.key", 0xffffffff, Raw::raw(1u)});
  with("string-beyond-the-end", "bad.key", {"bad.key", 8, Raw::raw(uint64_t{1} << 40)});
  with("string-of-all-bits", "bad.key", {"bad.key", 8, Raw::raw(~uint64_t{0})});
  const auto array = [](uint32_t type, uint64_t count) { return Raw::raw(type) + Raw::raw(count); };
  with("array-of-unknown-type", "bad.key", {"bad.key", 9, array(99, 1)});
  with("array-of-arrays", "bad.key", {"bad.key", 9, array(9, 1) + array(9, 1) + array(9, 1)});
  with("array-beyond-the-end", "bad.key", {"bad.key", 9, array(6, 1 << 20)});
  with("array-overflow-u64", "bad.key", {"bad.key", 9, array(10, (~uint64_t{0} >> 3) + 2)});
  with("array-overflow-f32", "bad.key", {"bad.key", 9, array(6, uint64_t{1} << 62)});
  with("strings-beyond-the-end", "bad.key",
       {"bad.key", 9, array(8, 3) + Raw::text("a") + Raw::raw(kHuge)});
  with("three-million-numbers", "bad.key",
       {"bad.key", 9, array(0, 3 << 20) + std::string(3 << 20, '1')});
  with("key-of-control-characters", "<U+001B>[31m", {"\x1b[31m\x1b]0;owned\7\n", 13, Raw::raw(1u)});
  with("key-of-a-kilobyte", "kkkkkkkk", {std::string(1024, 'k'), 13, Raw::raw(1u)});
  with("bool-of-two", "", {"odd.bool", 7, "\2"})->ends(HostileEnd::kAccepted);
  std::string name = tinyGguf().build();
  name.replace(24, 8, Raw::raw(~uint64_t{0}));
  add(to, "key-name-of-all-bits", "key number 1", name);
  for (const uint32_t alignment : {0u, 3u, 33u}) {
    GgufModel model = tinyGguf();
    model.u32("general.alignment", alignment);
    add(to, "alignment-" + std::to_string(alignment), "general.alignment", model.build());
  }
  GgufModel wide = tinyGguf();
  add(to, "alignment-of-two-gigabytes", "blk.0.attn_k.weight|alignment",
      wide.u32("general.alignment", 1u << 31).build());
  GgufModel words = tinyGguf();
  add(to, "alignment-in-words", "general.alignment",
      words.text("general.alignment", "thirty-two").build());
}

void addSizes(HostileFolder& to) {
  struct Bad {
    const char* title;
    uint32_t type;
    std::string value;
  };
  const Bad kBad[] = {{"zero", 4, Raw::raw(0u)},
                      {"minus-one", 5, Raw::raw(-1)},
                      {"two-billion", 4, Raw::raw(2'000'000'000u)},
                      {"all-bits", 10, Raw::raw(~uint64_t{0})},
                      {"nan", 6, Raw::raw(std::nanf(""))},
                      {"in-words", 8, Raw::text("many")}};
  for (const char* key :
       {"block_count", "embedding_length", "context_length", "feed_forward_length",
        "attention.head_count", "attention.head_count_kv"}) {
    const std::string name = std::string("llama.") + key;
    for (const Bad& bad : kBad) {
      GgufModel model = tinyGguf();
      model.set(name, bad.type, bad.value);
      add(to, std::string(key) + "-" + bad.title, name, model.build());
    }
  }
  for (const char* key : {"block_count", "embedding_length", "context_length",
                          "attention.head_count", "attention.layer_norm_rms_epsilon"}) {
    const std::string name = std::string("llama.") + key;
    add(to, std::string("without-") + key, name, tinyGguf().without(name).build());
  }
  GgufModel epsilon = tinyGguf();
  const std::string name = "llama.attention.layer_norm_rms_epsilon";
  add(to, "epsilon-nan", name, epsilon.f32(name, std::nanf("")).build());
  add(to, "epsilon-negative", name, epsilon.f32(name, -1.0f).build());
  add(to, "base-infinite", "llama.rope.freq_base",
      tinyGguf().f32("llama.rope.freq_base", INFINITY).build());
  add(to, "base-zero", "llama.rope.freq_base", tinyGguf().f32("llama.rope.freq_base", 0).build());
  add(to, "scaling-unknown", "llama.rope.scaling.type",
      tinyGguf().text("llama.rope.scaling.type", "sideways").build());
  add(to, "dimension-count-odd", "llama.rope.dimension_count",
      tinyGguf().u32("llama.rope.dimension_count", 3).build());
  add(to, "heads-differ", "llama.attention.head_count_kv",
      tinyGguf().array("llama.attention.head_count_kv", 4, 2, Raw::raw(1u) + Raw::raw(2u)).build());
  add(to, "without-architecture", "general.architecture",
      tinyGguf().without("general.architecture").build());
  add(to, "architecture-unknown", "architecture",
      tinyGguf().text("general.architecture", "gpt9000").build());
  add(to, "architecture-of-escapes", "architecture",
      tinyGguf().text("general.architecture", "\x1b[2J\u202e").build());
  add(to, "architecture-of-40-megabytes", "architecture",
      tinyGguf().text("general.architecture", repeated("gpt\x1b", 10 << 20)).build());
  add(to, "adapter-lora", "adapter", tinyGguf().text("general.type", "adapter").build());
  add(to, "projector", "mmproj", tinyGguf().text("general.type", "mmproj").build());
}

GgufModel withTensor(GgufModel::Tensor tensor) {
  GgufModel model = tinyGguf();
  model.tensors.push_back(std::move(tensor));
  return model;
}

void addTensors(HostileFolder& to) {
  const auto with = [&](const std::string& title, const std::string& place,
                        GgufModel::Tensor tensor) {
    return &add(to, title, place, withTensor(std::move(tensor)).build());
  };
  const std::string four(16, '\0');
  with("tensor-without-name", "tensor number 12", {"", {4}, 0, four});
  with("tensor-name-of-two-kilobytes", "a name of", {std::string(2048, 'n'), {4}, 0, four});
  with("tensor-twice", "output_norm.weight", {"output_norm.weight", {4}, 0, four});
  with("tensor-of-five-dimensions", "bad", {"bad", {1, 1, 1, 1, 1}, 0, four});
  with("tensor-with-zero", "bad", {"bad", {0, 4}, 0, four});
  with("tensor-of-all-bits", "bad", {"bad", {~uint64_t{0}}, 0, four});
  with("tensor-product-overflow", "bad", {"bad", {1u << 31, 1u << 31, 4}, 0, four});
  with("tensor-bytes-overflow", "bad", {"bad", {uint64_t{1} << 59}, 0, four});
  with("tensor-beyond-the-end", "bad", {"bad", {1 << 20}, 0, four});
  with("tensor-offset-beyond", "bad", {"bad", {4}, 0, four, int64_t{1} << 40});
  with("tensor-offset-wraps", "bad", {"bad", {4}, 0, four, -32 & INT64_MAX});
  with("tensor-offset-odd", "bad", {"bad", {4}, 0, four, 7});
  with("tensor-overlaps", "overlaps", {"bad", {4}, 0, four, 32});
  with("tensor-on-another", "overlaps", {"bad", {8}, 0, four, 0});
  with("tensor-not-whole-blocks", "bad", {"bad", {33}, 2, four});
  with("tensor-unknown-beside", "", {"extra", {4}, 77, four})->ends(HostileEnd::kAccepted);
  with("tensor-of-another-layer", "blk.7.attn_q.weight", {"blk.7.attn_q.weight", {4}, 0, four});
  with("tensor-of-control-characters", "blk.0.", {"blk.0.\x1b[2J\n\u202etxt.weight", {4}, 0, four});
  GgufModel vast = tinyGguf();  // Whose types have no known size.
  for (int i = 0; i < 16; ++i) {
    vast.tensors.push_back({"x" + std::to_string(i), {uint64_t{1} << 59}, 77, std::string(32, 0)});
  }
  add(to, "I-unknown-type-of-2-to-the-59", "tensors", vast.build()).ofRow("I");
  std::string lying = tinyGguf().build();
  const size_t at = lying.find("token_embd.weight") + 17;
  add(to, "rank-of-all-bits", "token_embd.weight", lying.replace(at, 4, Raw::raw(~0u)));
  for (const char* name : {"token_embd.weight", "output_norm.weight", "blk.0.attn_q.weight",
                           "blk.0.ffn_down.weight"}) {
    add(to, std::string("without-") + name, name, tinyGguf().without(name).build());
    GgufModel shape = tinyGguf();
    shape.tensor(name).sizes.push_back(1);
    add(to, std::string("rank-of-") + name, name, shape.build());
    GgufModel type = tinyGguf();
    type.tensor(name).type = 26;  // I32.
    add(to, std::string("integers-as-") + name, name, type.build());
    GgufModel unknown = tinyGguf();
    unknown.tensor(name).type = 99;
    add(to, std::string("unknown-type-of-") + name, name, unknown.build());
  }
  for (const float value : {std::nanf(""), INFINITY, -INFINITY}) {
    GgufModel model = tinyGguf();
    for (auto& tensor : model.tensors) {
      for (size_t i = 0; i < tensor.bytes.size(); i += 4)
        tensor.bytes.replace(i, 4, Raw::raw(value));
    }
    add(to, "weights-" + std::to_string(value), "", model.build())
        .as(HostileUse::kGenerate)
        .ends(HostileEnd::kEither)
        .named("logits of tiny");
  }
}

/// Where every field ends, and a few bytes at random.
void addCut(HostileFolder& to) {
  const GgufModel model = tinyGguf();
  const std::string whole = model.build();
  const auto all = model.boundaries();
  for (size_t i = 0; i < all.size(); ++i) {
    // The counts are checked first against what is left: 13 bytes a key, 24 a tensor.
    add(to, "cut-at-" + std::to_string(all[i].at), all[i].place + "|tensors, more|keys, more",
        whole.substr(0, all[i].at));
  }
  for (const size_t missing : {1, 100, 1000}) {
    add(to, "cut-short-by-" + std::to_string(missing), "the tensor",
        whole.substr(0, whole.size() - missing));
  }
  for (int i = 0; i < 20; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 8; ++k) {
      damaged[to.random() % damaged.size()] = static_cast<char>(to.random());
    }
    add(to, "random-" + std::to_string(i), "", damaged).ends(HostileEnd::kEither);
  }
}

void addSparse(HostileFolder& to) {
  GgufModel model;
  model.text("general.architecture", "llama").set("tokenizer.chat_template", 8, "");
  std::string head = model.build();
  head.resize(head.find("tokenizer.chat_template") + 23 + 4);
  add(to, "F-one-string-of-3-gigabytes", "metadata", head + Raw::raw((uint64_t{3} << 30) - 4096))
      .ofRow("F");
  makeSparse(to.files().back().path, uint64_t{3} << 30);
  add(to, "sparse-terabyte-of-zeros", "not a GGUF file", "");
  makeSparse(to.files().back().path, uint64_t{1} << 40);
  add(to, "sparse-terabyte-behind", "", tinyGguf().build()).ends(HostileEnd::kAccepted);
  makeSparse(to.files().back().path, uint64_t{1} << 40);
  GgufModel giant = tinyGguf();
  giant.tensor("token_embd.weight").sizes = {8, uint64_t{1} << 33};
  giant.tensor("token_embd.weight").offset = 8192;
  add(to, "sparse-embedding-of-a-quarter-terabyte", "embedding|vocab_size|token_embd.weight",
      giant.build());
  makeSparse(to.files().back().path, uint64_t{1} << 39);
  GgufModel tokens;
  tokens.text("general.architecture", "llama");
  tokens.array("tokenizer.ggml.tokens", 8, 1u << 21, "");
  add(to, "11-sparse-list-of-empty-strings", "llama.block_count", tokens.build()).ofRow("11");
  makeSparse(to.files().back().path, (uint64_t{1} << 24) + 4096);
}

}  // namespace

void addGgufFiles(HostileFolder& to) {
  addStarts(to);
  addCounts(to);
  addKeys(to);
  addSizes(to);
  addTensors(to);
  addCut(to);
  addSparse(to);
}

}  // namespace quire::test
