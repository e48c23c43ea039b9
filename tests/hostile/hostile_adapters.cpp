// LoRA adapters that are wrong or harmful, for the tiny model as a folder (ROOT/adapters/model).
#include <sys/stat.h>

#include <cstdlib>
#include <limits>
#include <vector>

#include "tests/hostile/folder_model.h"
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kKind = "adapters";
constexpr const char* kConfig = "adapter_config.json";
constexpr const char* kWeights = "adapter_model.safetensors";
constexpr int kRank = 2;

std::string floats(size_t count, float value) {
  const std::vector<float> numbers(count, value);
  return {reinterpret_cast<const char*>(numbers.data()), count * sizeof(float)};
}

/// An adapter in parts. As it is, Quire loads it: of the query projection.
struct Adapter {
  Json config = {{"peft_type", "LORA"}, {"r", kRank}, {"lora_alpha", kRank}};
  nlohmann::json header = nlohmann::json::object();  ///< Which finds its members quickly.
  std::string data;

  void add(const std::string& name, const nlohmann::json& shape, const std::string& bytes) {
    const size_t begin = data.size();
    data += bytes;
    header[name] = {
        {"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, begin + bytes.size()}}};
  }
  static std::string half(const char* letter, const std::string& module = "self_attn.q_proj") {
    return "base_model.model.model.layers.0." + module + ".lora_" + letter + ".weight";
  }
};

Adapter plain(float value = 0.5f) {
  Adapter adapter;
  adapter.add(Adapter::half("A"), {kRank, 8}, floats(kRank * 8, value));
  adapter.add(Adapter::half("B"), {8, kRank}, floats(kRank * 8, value));
  return adapter;
}

HostileFile& add(HostileFolder& to, const std::string& title, const std::string& place,
                 const Adapter& adapter) {
  HostileFile& made = to.folder(kKind, title, place, title + "|" + kConfig + "|" + kWeights);
  writeFile(made.path / kConfig, adapter.config.dump());
  writeFile(made.path / kWeights, safetensorsFile(adapter.header.dump(), adapter.data));
  return made.as(HostileUse::kAdapter);
}

HostileFile& addField(HostileFolder& to, const std::string& title, const char* field,
                      const Json& value, const std::string& place = {}) {
  Adapter adapter = plain();
  adapter.config[field] = value;
  return add(to, title, place.empty() ? field : place, adapter);
}

void addConfigurations(HostileFolder& to) {
  addField(to, "rank-none", "r", 0);
  addField(to, "rank-huge", "r", uint64_t{1} << 62);
  addField(to, "rank-half", "r", 1.5);
  addField(to, "rank-other", "r", 3, "has rank 2");
  addField(to, "alpha-huge", "lora_alpha", 1e300);
  addField(to, "alpha-text", "lora_alpha", "16");
  addField(to, "kind-of-escapes", "peft_type", "\x1b[2J\u202e", "<U+001B>");
  addField(to, "kind-of-a-megabyte", "peft_type", std::string(900'000, 'A'), "uses");
  addField(to, "dora", "use_dora", true, "DoRA");
  nlohmann::json many = nlohmann::json::object();
  for (int i = 0; i < 40'000; ++i) many["m" + std::to_string(i)] = kRank;
  addField(to, "forty-thousand-ranks", "rank_pattern", many, "values");
  nlohmann::json deep = nlohmann::json::object();
  deep[repeated("a.", 400'000)] = kRank;
  addField(to, "a-name-of-400000-parts", "rank_pattern", deep);
  deep = nlohmann::json::object();
  for (int i = 0; i < 3000; ++i) deep[repeated("a.", 120) + std::to_string(i)] = kRank;
  addField(to, "names-of-120-parts", "alpha_pattern", deep).ends(HostileEnd::kEither);
}

void addWeights(HostileFolder& to) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  add(to, "not-a-number", "lora_A.weight holds NaN", plain(kNan));
  add(to, "infinite", "lora_A.weight holds NaN", plain(kInfinity));
  add(to, "numbers-of-3e38", "not numbers", plain(3e38f))
      .named("damaged")
      .ends(HostileEnd::kEither);
  add(to, "empty", "no LoRA adapter", {});
  Adapter half;
  half.add(Adapter::half("A"), {kRank, 8}, floats(kRank * 8, 1));
  add(to, "one-half", "lacks one", half);
  Adapter ranks;
  ranks.add(Adapter::half("A"), {0, 8}, "");
  ranks.add(Adapter::half("B"), {8, 0}, "");
  add(to, "rank-zero", "rank 0", ranks);
  Adapter twice = plain();
  twice.add("model.layers.0.self_attn.q_proj.lora_A.weight", {kRank, 8}, floats(16, 1));
  add(to, "a-module-twice", "q_proj", twice);
  Adapter wide;
  wide.add(Adapter::half("A"), {kRank, 9}, floats(kRank * 9, 1));
  wide.add(Adapter::half("B"), {8, kRank}, floats(kRank * 8, 1));
  add(to, "another-width", "another shape", wide);
  Adapter many;
  for (int i = 0; i < 30'000; ++i) {
    const std::string module = "m" + std::to_string(i);
    many.add(Adapter::half("A", module), {kRank, 1}, floats(kRank, 1));
    many.add(Adapter::half("B", module), {1, kRank}, floats(kRank, 1));
  }
  add(to, "thirty-thousand-modules", "layers.0.m", many);
  Adapter parts;
  nlohmann::json ranks_of = nlohmann::json::object();
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = std::to_string(i), module = repeated("a.", 100) + "m" + name;
    parts.add(Adapter::half("A", module), {kRank, 1}, floats(kRank, 1));
    parts.add(Adapter::half("B", module), {1, kRank}, floats(kRank, 1));
    if (i < 3'000) ranks_of[repeated("a.", 15) + name] = kRank;
  }
  parts.config["rank_pattern"] = ranks_of;
  add(to, "modules-of-100-parts", "layers.0.a", parts);
  Adapter named;
  const std::string name(1'000'000, 'x');
  named.add(Adapter::half("A", name), {kRank, 8}, floats(16, 1));
  named.add(Adapter::half("B", name), {8, kRank}, floats(16, 1));
  add(to, "a-module-of-a-megabyte", "xxx", named);
}

/// A sparse file: a matrix of 16 GB, which nothing else says is wrong.
void addSparse(HostileFolder& to) {
  constexpr uint64_t kWidth = uint64_t{1} << 31;
  constexpr uint64_t kBytes = kWidth * kRank * sizeof(float);
  Adapter adapter;
  adapter.header[Adapter::half("A")] = {
      {"dtype", "F32"}, {"shape", {kRank, kWidth}}, {"data_offsets", {0, kBytes}}};
  adapter.header[Adapter::half("B")] = {
      {"dtype", "F32"}, {"shape", {8, kRank}}, {"data_offsets", {kBytes, kBytes + 64}}};
  HostileFile& made = add(to, "sparse-16-gigabytes", "another shape", adapter);
  const fs::path weights = made.path / kWeights;
  makeSparse(weights, fs::file_size(weights) + kBytes + 64);
}

void addEntries(HostileFolder& to) {
  for (const char* file : {kConfig, kWeights}) {
    const auto made = [&](const char* what, const char* place) {
      HostileFile& entry = add(to, std::string(file) + "-is-a-" + what, place, plain());
      fs::remove(entry.path / file);
      return entry.path / file;
    };
    fs::create_directory(made("folder", "folder"));
    if (::mkfifo(made("fifo", "not a file").c_str(), 0600) != 0) std::abort();
    fs::create_symlink("/dev/zero", made("device", "not a file"));
    writeFile(made("hole", "JSON|safetensors"), std::string(1000, '\0'));
  }
}

}  // namespace

void addAdapters(HostileFolder& to) {
  fs::create_directories(to.root() / kKind / "model");
  tinyFolder().write(to.root() / kKind / "model");
  add(to, "whole", "", plain()).ends(HostileEnd::kAccepted);
  addConfigurations(to);
  addWeights(to);
  addSparse(to);
  addEntries(to);
}

}  // namespace quire::test
