#include "tests/hostile/folder_model.h"

#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

void addTensor(FolderModel& model, const std::string& name, const std::vector<uint64_t>& shape) {
  uint64_t bytes = 4;
  for (const uint64_t size : shape) bytes *= size;
  const uint64_t begin = model.data.size();
  model.data.resize(begin + bytes);
  model.header[name] = {
      {"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, begin + bytes}}};
}

}  // namespace

FolderModel tinyFolder() {
  FolderModel model;
  model.config = {{"architectures", {"LlamaForCausalLM"}},
                  {"hidden_size", 8},
                  {"intermediate_size", 16},
                  {"num_hidden_layers", 1},
                  {"num_attention_heads", 2},
                  {"num_key_value_heads", 2},
                  {"vocab_size", 4},
                  {"max_position_embeddings", 128},
                  {"rms_norm_eps", 1e-5},
                  {"rope_theta", 10000.0},
                  {"tie_word_embeddings", true},
                  {"hidden_act", "silu"},
                  {"eos_token_id", 3}};
  addTensor(model, "model.embed_tokens.weight", {4, 8});
  addTensor(model, "model.norm.weight", {8});
  const std::string layer = "model.layers.0.";
  addTensor(model, layer + "input_layernorm.weight", {8});
  addTensor(model, layer + "post_attention_layernorm.weight", {8});
  for (const char* name : {"q", "k", "v", "o"}) {
    addTensor(model, layer + "self_attn." + name + "_proj.weight", {8, 8});
  }
  addTensor(model, layer + "mlp.gate_proj.weight", {16, 8});
  addTensor(model, layer + "mlp.up_proj.weight", {16, 8});
  addTensor(model, layer + "mlp.down_proj.weight", {8, 16});
  const nlohmann::json end = {{"id", 3}, {"content", "<e>"}, {"special", true}};
  model.tokenizer = {{"added_tokens", nlohmann::json::array({end})},
                     {"model",
                      {{"type", "BPE"},
                       {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}}},
                       {"merges", nlohmann::json::array({"a b"})}}}};
  return model;
}

void FolderModel::write(const std::filesystem::path& folder) const {
  writeFile(folder / "config.json", config.dump(1));
  writeFile(folder / "model.safetensors", safetensorsFile(header.dump(), data));
  writeFile(folder / "tokenizer.json", tokenizer.dump());
}

std::string safetensorsFile(const std::string& header, const std::string& data) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i));
  return file + header + data;
}

}  // namespace quire::test
