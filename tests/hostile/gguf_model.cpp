#include "tests/hostile/gguf_model.h"

namespace quire::test {

std::string GgufModel::build() const {
  GgufBuilder file;
  file.version = version;
  file.claimed_keys = claimed_keys;
  file.claimed_tensors = claimed_tensors;
  for (const Key& key : keys) file.key(key.name, key.type, key.value);
  uint64_t end = 0;
  std::string data;
  for (const Tensor& tensor : tensors) {
    end = (end + 31) / 32 * 32;
    file.entry(tensor.name, tensor.sizes, tensor.type,
               tensor.offset >= 0 ? static_cast<uint64_t>(tensor.offset) : end);
    data.resize(end);
    data += tensor.bytes;
    end += tensor.bytes.size();
  }
  return file.data(data).build();
}

std::vector<GgufModel::Boundary> GgufModel::boundaries() const {
  std::vector<Boundary> all = {{2, "bytes long"},
                               {4, "header"},
                               {8, "header"},
                               {16, "header|tensors"},
                               {24, "tensors|keys"}};
  size_t at = 24;
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string number = "key number " + std::to_string(i + 1);
    all.push_back({at + 4, number});
    all.push_back({at + 8, number});
    at += 8 + keys[i].name.size();
    all.push_back({at, keys[i].name});
    at += 4;
    all.push_back({at, keys[i].name});
    at += keys[i].value.size();
    all.push_back({at - 1, keys[i].name});
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string number = "tensor number " + std::to_string(i + 1);
    all.push_back({at, number});
    at += 8 + tensors[i].name.size();
    all.push_back({at, tensors[i].name});
    at += 4 + 8 * tensors[i].sizes.size();
    all.push_back({at, tensors[i].name});
    at += 4 + 8;
    all.push_back({at - 1, tensors[i].name});
  }
  return all;
}

GgufModel tinyGguf() {
  GgufModel model;
  model.text("general.architecture", "llama").text("general.name", "tiny");
  model.u32("llama.block_count", 1).u32("llama.embedding_length", 8);
  model.u32("llama.context_length", 128).u32("llama.feed_forward_length", 16);
  model.u32("llama.attention.head_count", 2).u32("llama.attention.head_count_kv", 2);
  model.f32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  model.f32("llama.rope.freq_base", 10000.0f);
  model.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "gpt-2");
  model.texts("tokenizer.ggml.tokens", {"<s>", "a", "b", "c", "ab", "abc", "<t>"});
  std::string types;
  for (const int32_t type : {3, 1, 1, 1, 1, 1, 4}) types += GgufBuilder::raw(type);
  model.array("tokenizer.ggml.token_type", 5, 7, types);
  model.texts("tokenizer.ggml.merges", {"a b", "ab c"});
  model.u32("tokenizer.ggml.bos_token_id", 0).u32("tokenizer.ggml.eos_token_id", 6);
  model.text("tokenizer.chat_template", "{% for m in messages %}{{ m.content }}{% endfor %}");
  model.add("token_embd.weight", {8, 7}).add("output_norm.weight", {8}, 1.0f);
  model.add("blk.0.attn_norm.weight", {8}, 1.0f).add("blk.0.ffn_norm.weight", {8}, 1.0f);
  for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
    model.add("blk.0." + std::string(name) + ".weight", {8, 8});
  }
  model.add("blk.0.ffn_gate.weight", {8, 16}).add("blk.0.ffn_up.weight", {8, 16});
  return model.add("blk.0.ffn_down.weight", {16, 8});
}

}  // namespace quire::test
