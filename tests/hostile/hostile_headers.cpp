// Folders of as many tensors as Quire reads, all of which are in order: what counts is the time.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/hostile/folder_model.h"
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

namespace fs = std::filesystem;

constexpr int kMostOfShard = 60'000;  ///< Tensors.

/// Writes shards and their index as text: documents of so many tensors would take a gigabyte.
class ShardWriter {
 public:
  explicit ShardWriter(fs::path folder) : m_folder(std::move(folder)) {}

  void add(const std::string& name, const char* dtype, const std::string& shape,
           const std::string& bytes) {
    if (m_num_tensors == kMostOfShard) finishShard();
    ++m_num_tensors;
    const std::string begin = std::to_string(m_data.size());
    m_data += bytes;
    m_header += (m_header.empty() ? "\"" : ",\"") + name + "\":{\"dtype\":\"" + dtype +
                "\",\"shape\":" + shape + ",\"data_offsets\":[" + begin + ',' +
                std::to_string(m_data.size()) + "]}";
    m_map += (m_map.empty() ? "\"" : ",\"") + name + "\":\"" + shardName() + '"';
  }
  /// The tensors of a model.
  void add(const FolderModel& model) {
    for (const auto& [name, tensor] : model.header.items()) {
      const auto offsets = tensor["data_offsets"].get<std::vector<size_t>>();
      add(name, "F32", tensor["shape"].dump(),
          model.data.substr(offsets[0], offsets[1] - offsets[0]));
    }
  }
  void finish() {
    finishShard();
    writeFile(m_folder / "model.safetensors.index.json", "{\"weight_map\":{" + m_map + "}}");
  }

 private:
  std::string shardName() const { return "model-" + std::to_string(m_num_shards) + ".safetensors"; }
  void finishShard() {
    writeFile(m_folder / shardName(), safetensorsFile('{' + m_header + '}', m_data));
    ++m_num_shards;
    m_num_tensors = 0;
    m_header.clear();
    m_data.clear();
  }

  fs::path m_folder;
  int m_num_shards = 0;
  int m_num_tensors = 0;  ///< Of the shard.
  std::string m_header;   ///< Of the shard, without its braces.
  std::string m_data;
  std::string m_map;
};

/// The tiny model beside the tensors that `addTo` adds. No decoder has tensors of such names.
template <typename AddTo>
void addModel(HostileFolder& to, const std::string& title, const nlohmann::json& quantization,
              AddTo addTo) {
  HostileFile& made = to.folder("headers", title, "", title);
  FolderModel model = tinyFolder();
  if (!quantization.is_null()) model.config["quantization_config"] = quantization;
  model.write(made.path);
  fs::remove(made.path / "model.safetensors");
  ShardWriter writer(made.path);
  writer.add(model);
  addTo(writer);
  writer.finish();
  made.ends(HostileEnd::kAccepted);
}

/// Neither shards nor the index list them in this order.
std::string moduleName(int i) {
  const int mixed = static_cast<int>(i * int64_t{7'919} % 300'007);
  return "vision_tower.encoder.layers." + std::to_string(mixed / 200) + ".mlp.experts." +
         std::to_string(mixed % 200) + ".up_proj.";
}

void addAdapter(HostileFolder& to) {
  constexpr int kNumModules = 32'700;
  HostileFile& made = to.folder("adapters", "headers-of-65000-tensors", "up_proj",
                                "headers-of-65000-tensors|adapter_model.safetensors");
  writeFile(made.path / "adapter_config.json", R"({"peft_type": "LORA", "r": 1, "lora_alpha": 1})");
  std::string header;
  const std::string bytes(sizeof(float), '\0');
  for (int i = 0; i < 2 * kNumModules; ++i) {
    header += (i == 0 ? "{\"" : ",\"") + std::string("base_model.model.") + moduleName(i / 2) +
              (i % 2 == 0 ? "lora_A" : "lora_B") +
              R"(.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[)" +
              std::to_string(i * bytes.size()) + ',' + std::to_string((i + 1) * bytes.size()) +
              "]}";
  }
  writeFile(made.path / "adapter_model.safetensors",
            safetensorsFile(header + '}', repeated(bytes, 2 * kNumModules)));
  made.as(HostileUse::kAdapter);
}

}  // namespace

void addLargeHeaders(HostileFolder& to) {
  addModel(to, "294000-plain-tensors", {}, [](ShardWriter& writer) {
    for (int i = 0; i < 294'000; ++i) writer.add(moduleName(i) + "weight", "F32", "[0]", "");
  });
  addModel(to, "147000-fp8-layers", {{"quant_method", "fp8"}}, [](ShardWriter& writer) {
    const std::string codes(128, '\x30');
    for (int i = 0; i < 147'000; ++i) {
      writer.add(moduleName(i) + "weight", "F8_E4M3", "[1,128]", codes);
      writer.add(moduleName(i) + "weight_scale_inv", "F32", "[1,1]", codes.substr(0, 4));
    }
  });
  const nlohmann::json nf4 = {{"quant_method", "bitsandbytes"}, {"bnb_4bit_quant_type", "nf4"}};
  addModel(to, "98000-nf4-layers", nf4, [](ShardWriter& writer) {
    const std::string codes(32, '\x78');
    const std::string state = R"({"quant_type": "nf4", "blocksize": 64, "shape": [1, 64]})";
    for (int i = 0; i < 98'000; ++i) {
      const std::string weight = moduleName(i) + "weight";
      writer.add(weight, "U8", "[32,1]", codes);
      writer.add(weight + ".absmax", "F32", "[1]", codes.substr(0, 4));
      writer.add(weight + ".quant_state.bitsandbytes__nf4", "U8",
                 '[' + std::to_string(state.size()) + ']', state);
    }
  });
  addAdapter(to);
}

}  // namespace quire::test
