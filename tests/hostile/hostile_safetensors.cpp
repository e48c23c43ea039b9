// Folders whose weights are wrong: safetensors, their index, other formats.
#include <sys/stat.h>

#include <utility>
#include <vector>

#include "tests/hostile/folder_model.h"
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kKind = "safetensors";
constexpr const char* kFile = "model.safetensors";
constexpr const char* kNorm = "model.norm.weight";

/// The tiny model with these bytes as its weights.
HostileFile& add(HostileFolder& to, const std::string& title, const std::string& place,
                 const std::string& bytes) {
  HostileFile& made = to.folder(kKind, title, place, kFile);
  tinyFolder().write(made.path);
  writeFile(made.path / kFile, bytes);
  return made;
}

/// The same with its header changed.
template <typename Change>
HostileFile& addChanged(HostileFolder& to, const std::string& title, const std::string& place,
                        Change change) {
  FolderModel model = tinyFolder();
  change(model);
  return add(to, title, place, safetensorsFile(model.header.dump(), model.data));
}

std::string withLength(uint64_t length, const std::string& rest) {
  return std::string(reinterpret_cast<const char*>(&length), 8) + rest;
}

void addStarts(HostileFolder& to) {
  const FolderModel model = tinyFolder();
  const std::string header = model.header.dump();
  const std::string whole = safetensorsFile(header, model.data);
  to.folder(kKind, "whole", "", kFile).ends(HostileEnd::kAccepted);
  model.write(to.files().back().path);
  add(to, "empty", "empty", "");
  add(to, "five-bytes", "bytes long", "12345");
  for (const uint64_t length : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40, ~uint64_t{0}}) {
    add(to, "length-" + std::to_string(length), "header", withLength(length, whole.substr(8)));
  }
  add(to, "length-beyond-the-end", "header", withLength(whole.size(), whole.substr(8)));
  add(to, "zip-of-pickles", "not a safetensors file", "PK\3\4" + std::string(100, '\0'));
  add(to, "pickle", "not a safetensors file",
      "\x80\2cposix\nsystem\nq\0X\2\0\0\0id" + std::string(50, '.'));
  add(to, "gguf-within", "not a safetensors file", "GGUF" + std::string(100, '\3'));
  add(to, "web-page", "not a safetensors file", "<!DOCTYPE html><html>You must log in</html>");
  add(to, "git-lfs-pointer", "not a safetensors file",
      "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4096\n");
  for (const size_t at :
       {size_t{4}, size_t{8}, size_t{9}, size_t{30}, header.size() / 2, header.size() + 7}) {
    add(to, "cut-at-" + std::to_string(at), "header|bytes long", whole.substr(0, at));
  }
  for (const size_t missing : {1, 100}) {
    add(to, "cut-short-by-" + std::to_string(missing), "shorter",
        whole.substr(0, whole.size() - missing));
  }
  add(to, "longer", "longer", whole + "x");
  add(to, "sparse-terabyte", "longer", whole);
  makeSparse(to.files().back().path / kFile, uint64_t{1} << 40);
  for (int i = 0; i < 10; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 4; ++k)
      damaged[to.random() % (header.size() + 8)] = static_cast<char>(to.random());
    add(to, "random-" + std::to_string(i), "", damaged).ends(HostileEnd::kEither);
  }
}

void addHeaders(HostileFolder& to) {
  const auto header = [&](const std::string& title, const std::string& place,
                          const std::string& text) {
    return &add(to, title, place, safetensorsFile(text, std::string(64, '\0')));
  };
  header("header-no-json", "line 1, column", "{\"a\": nonsense}");
  header("header-open", "line 1, column", "{\"a\": {\"dtype\": \"F32\"");
  header("header-nested", "nested",
         "{\"a\":" + repeated("[", 100'000) + repeated("]", 100'000) + "}");
  header("header-no-utf-8", "line 1, column", "{\"\xff\xfe\": {}}");
  header(
      "tensor-twice", "\"a\" twice",
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})");
  header("field-twice", "\"shape\" twice",
         R"({"a":{"dtype":"F32","shape":[1],"shape":[2],"data_offsets":[0,4]}})");
  header("header-of-spaces", "header", "{" + std::string(1 << 20, ' '));
  std::string many = "{";
  for (int i = 0; i < 70'000; ++i) {
    many += "\"t" + std::to_string(i) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)";
  }
  many.back() = '}';
  header("seventy-thousand-tensors", "tensors", many);
  header("a-million-values", "values", "{\"a\":[" + repeated("1,", 1'100'000) + "1]}");
  add(to, "header-of-40-megabytes", "header", withLength(40 << 20, "{"));
  makeSparse(to.files().back().path / kFile, 41 << 20);
}

void addTensors(HostileFolder& to) {
  const auto set = [&](const std::string& title, const char* field, const Json& value) {
    return &addChanged(to, title, kNorm,
                       [&](FolderModel& model) { model.header[kNorm][field] = value; });
  };
  set("dtype-unknown", "dtype", "F128");
  set("dtype-a-number", "dtype", 7);
  set("dtype-of-escapes", "dtype", "\x1b[31m");
  set("dtype-f64", "dtype", "F64");
  for (const char* field : {"dtype", "shape", "data_offsets"}) {
    addChanged(to, std::string("without-") + field, kNorm,
               [&](FolderModel& model) { model.header[kNorm].erase(field); });
    set(std::string("null-") + field, field, nullptr);
  }
  set("shape-negative", "shape", {-8});
  set("shape-fraction", "shape", {8.5});
  set("shape-text", "shape", {"8"});
  set("shape-object", "shape", Json::object());
  set("shape-nested", "shape", Json::array({Json::array({8})}));
  set("shape-overflow", "shape", {1u << 31, 1u << 31, 1u << 31});
  set("shape-all-bits", "shape", {~uint64_t{0}});
  set("shape-wraps-to-right", "shape", {uint64_t{1} << 61, 8, 8});
  set("shape-too-small", "shape", {4});
  set("shape-of-many-ones", "shape", std::vector<int>(10'000, 1));
  set("offsets-reversed", "data_offsets", {160, 128});
  set("offsets-negative", "data_offsets", {-32, 0});
  set("offsets-text", "data_offsets", {"0", "32"});
  set("offsets-three", "data_offsets", {128, 160, 192});
  set("offsets-overlap", "data_offsets", {96, 128});
  set("offsets-beyond", "data_offsets", {uint64_t{1} << 50, (uint64_t{1} << 50) + 32})->place =
      "the tensor";
  set("offsets-all-bits", "data_offsets", {~uint64_t{0} - 32, ~uint64_t{0}});
  addChanged(to, "gap", "gap",
             [](FolderModel& model) { model.header.erase("model.layers.0.mlp.up_proj.weight"); });
  addChanged(to, "value-is-a-list", kNorm,
             [](FolderModel& model) { model.header[kNorm] = Json::array(); });
  // The folder is named where weights do not fit the configuration.
  addChanged(to, "other-shape", kNorm, [](FolderModel& model) {
    model.header[kNorm]["shape"] = {2, 4};
  }).named("other-shape");
  addChanged(to, "unknown-layer", "model.layers.9.", [](FolderModel& model) {
    model.header["model.layers.9.\x1b[2J"] = {
        {"dtype", "F32"}, {"shape", {0}}, {"data_offsets", {0, 0}}};
  }).named("unknown-layer");
  for (const char* name : {"model.embed_tokens.weight", "model.layers.0.mlp.down_proj.weight"}) {
    const std::string title = std::string("renamed-") + name;
    addChanged(to, title, name, [&](FolderModel& model) {
      model.header["other"] = model.header[name];
      model.header.erase(name);
    }).named(title);
  }
}

/// The tiny model with an index that says where its tensors are; the weights are in w.safetensors.
HostileFile& addIndex(HostileFolder& to, const std::string& title, const std::string& place,
                      const std::string& index) {
  HostileFile& made =
      to.folder("index", title, place, "model.safetensors.index.json|w.safetensors|" + title);
  tinyFolder().write(made.path);
  fs::rename(made.path / kFile, made.path / "w.safetensors");
  writeFile(made.path / "model.safetensors.index.json", index);
  return made;
}

std::string indexWith(const std::string& file) {
  return Json{{"weight_map", {{kNorm, file}}}}.dump();
}

void addIndexes(HostileFolder& to) {
  addIndex(to, "no-json", "line 1, column", "{{");
  addIndex(to, "a-list", "weight_map", "[]");
  addIndex(to, "without-map", "weight_map", "{}");
  addIndex(to, "map-is-a-list", "weight_map", "{\"weight_map\": [1]}");
  addIndex(to, "map-of-numbers", kNorm, Json{{"weight_map", {{kNorm, 7}}}}.dump());
  addIndex(to, "map-empty", "tensor|weight_map", "{\"weight_map\": {}}");
  addIndex(to, "name-twice", "twice",
           R"({"weight_map": {"a": "w.safetensors", "a": "w.safetensors"}})");
  addIndex(to, "nested", "nested", "{\"weight_map\":" + repeated("{\"a\":", 100'000));
  for (const char* name : {"../w.safetensors", "/etc/passwd", "..", ".", "", "a/../w.safetensors",
                           "..\\w.safetensors", "\x1b[2J.safetensors", "/proc/self/mem"}) {
    std::string title = "shard-" + std::to_string(to.files().size());
    addIndex(to, title, kNorm, indexWith(name));
  }
  addIndex(to, "shard-of-nul", kNorm, indexWith(std::string("w\0.safetensors", 14)));
  addIndex(to, "shard-name-of-a-kilobyte", kNorm, indexWith(std::string(1000, 'w')));
  addIndex(to, "shard-missing", "no such file", indexWith("x.safetensors")).named("x.safetensors");
  addIndex(to, "shard-is-the-index", "not a safetensors file|header",
           indexWith("model.safetensors.index.json"));
  addIndex(to, "shard-without-it", "\"other\"",
           Json{{"weight_map", {{"other", "w.safetensors"}}}}.dump());
  const auto special = [&](const char* title, const std::string& place) -> fs::path {
    return addIndex(to, title, place, indexWith("x.safetensors")).named("x.safetensors").path /
           "x.safetensors";
  };
  fs::create_directory(special("shard-is-a-folder", "folder"));
  if (::mkfifo(special("shard-is-a-fifo", "file").c_str(), 0600) != 0) std::abort();
  fs::create_symlink("/dev/zero", special("shard-is-a-device", "file"));
  fs::create_symlink("x.safetensors", special("shard-is-a-link-to-itself", "links|exist"));
  fs::create_symlink("/nowhere/x", special("shard-is-a-dangling-link", "no such file"));
  Json map = Json::object();
  for (int i = 0; i < 100'000; ++i) map["t" + std::to_string(i)] = "x" + std::to_string(i);
  addIndex(to, "hundred-thousand-shards", "no such file", Json{{"weight_map", map}}.dump())
      .named("x0");
  addIndex(to, "sparse-index", "bytes of JSON", "{");
  makeSparse(to.files().back().path / "model.safetensors.index.json", uint64_t{1} << 34);
}

/// Shards whose headers are each as large as a header may be. They are one file of 24 MB.
void addLargeShards(HostileFolder& to) {
  Json map = Json::object();
  std::string header;
  for (char name = 'a'; name < 'a' + 12; ++name) {
    const std::string tensor(1, name);
    map[tensor] = tensor + ".safetensors";
    const Json record = {{"dtype", "F32"}, {"shape", {0}}, {"data_offsets", {0, 0}}};
    header += (header.empty() ? '{' : ',') + std::string(2'000'000, ' ');
    header += '"' + tensor + "\":" + record.dump();
  }
  HostileFile& made = addIndex(to, "twelve-shards-of-large-headers", "headers of more",
                               Json{{"weight_map", map}}.dump())
                          .named("c.safetensors");
  const fs::path first = made.path / "a.safetensors";
  writeFile(first, safetensorsFile(header + '}', ""));
  for (const auto& [tensor, file] : map.items()) {
    if (tensor != "a") fs::create_hard_link(first, made.path / file.get<std::string>());
  }
}

/// The tiny model with its configuration changed and with these tensors, of which only the header
/// is on the disk. `blanks`: behind the header.
HostileFile& addSparseFolder(
    HostileFolder& to, const std::string& title, const std::string& place, const Json& config,
    const std::vector<std::pair<std::string, std::vector<uint64_t>>>& tensors, size_t blanks = 0) {
  HostileFile& made = to.folder(kKind, title, place, title);
  FolderModel model = tinyFolder();
  for (const auto& [name, value] : config.items()) model.config[name] = value;
  model.write(made.path);
  Json header = Json::object();
  uint64_t end = 0;
  for (const auto& [name, shape] : tensors) {
    uint64_t bytes = sizeof(float);
    for (const uint64_t size : shape) bytes *= size;
    header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {end, end + bytes}}};
    end += bytes;
  }
  const std::string start = safetensorsFile(header.dump() + std::string(blanks, ' '), "");
  writeFile(made.path / kFile, start);
  makeSparse(made.path / kFile, start.size() + end);
  return made;
}

/// What would be read or copied whole if it was looked at.
void addSparseTensors(HostileFolder& to) {
  const auto layers = [](int count, uint64_t hidden) {
    std::vector<std::pair<std::string, std::vector<uint64_t>>> tensors = {
        {"model.embed_tokens.weight", {4, hidden}}, {"model.norm.weight", {hidden}}};
    for (int i = 0; i < count; ++i) {
      const std::string layer = "model.layers." + std::to_string(i) + ".";
      for (const char* name : {"input_layernorm", "post_attention_layernorm"}) {
        tensors.push_back({layer + name + ".weight", {hidden}});
      }
      for (const char* name : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}) {
        tensors.push_back({layer + name + ".weight", {2, hidden}});
      }
      tensors.push_back({layer + "self_attn.o_proj.weight", {hidden, 2}});
      for (const char* name : {"mlp.gate_proj", "mlp.up_proj"}) {
        tensors.push_back({layer + name + ".weight", {1, hidden}});
      }
      tensors.push_back({layer + "mlp.down_proj.weight", {hidden, 1}});
    }
    return tensors;
  };
  constexpr uint64_t kMillion = 1 << 20;
  Json config = {{"head_dim", 2},
                 {"num_attention_heads", 1},
                 {"num_key_value_heads", 1},
                 {"intermediate_size", 1}};
  for (size_t blanks = 0; blanks < 4; ++blanks) {
    auto tensors = layers(1, 8);
    tensors.push_back({"rope_freqs.weight", {uint64_t{1} << 28}});
    addSparseFolder(to, "misaligned-table-" + std::to_string(blanks), "rope_freqs.weight", config,
                    tensors, blanks);
  }
  config["hidden_size"] = kMillion;
  config["num_hidden_layers"] = 60;
  addSparseFolder(to, "norms-of-a-million-numbers", "", config, layers(60, kMillion))
      .ends(HostileEnd::kAccepted);
}

void addOtherFormats(HostileFolder& to) {
  const auto with = [&](const char* title, const std::string& place, const char* file,
                        const std::string& bytes) -> HostileFile& {
    HostileFile& made = to.folder("other-formats", title, place, file);
    tinyFolder().write(made.path);
    fs::remove(made.path / kFile);
    writeFile(made.path / file, bytes);
    return made;
  };
  const std::string zip = "PK\3\4" + std::string(200, '\0');
  with("pytorch-zip", "safetensors version", "pytorch_model.bin", zip);
  with("pytorch-pickle", "safetensors version", "pytorch_model.bin",
       "\x80\2cos\nsystem\n(S'id'\ntR.");
  with("pytorch-pth", "safetensors version", "consolidated.00.pth", zip);
  with("hidden-weights", "model.safetensors", ".model.safetensors", zip).named("hidden-weights");
  HostileFile& lora = to.folder("other-formats", "lora", "adapter", "lora");
  writeFile(lora.path / "adapter_config.json", R"({"peft_type": "LORA", "r": 8})");
  writeFile(lora.path / "adapter_model.safetensors", safetensorsFile("{}", ""));
  HostileFile& nothing = to.folder("other-formats", "nothing", "config.json", "nothing");
  writeFile(nothing.path / "README.md", "A model.");
  HostileFile& empty = to.folder("other-formats", "empty-folder", "config.json", "empty-folder");
  fs::create_directories(empty.path / ".git");
}

}  // namespace

void addSafetensors(HostileFolder& to) {
  addStarts(to);
  addHeaders(to);
  addTensors(to);
  addIndexes(to);
  addLargeShards(to);
  addSparseTensors(to);
  addOtherFormats(to);
}

}  // namespace quire::test
