// Folders whose linear layers are quantised, with parts that are missing, wrong or another
// format's.
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "tests/hostile/folder_model.h"
#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "quantised";
constexpr uint64_t kWidth = 128;  ///< Of every matrix, as inputs and outputs.

struct Part {
  std::string dtype;
  std::vector<uint64_t> shape;
  std::string bytes;
};
/// The parts of each matrix, by the ends of their names.
using Parts = std::map<std::string, Part>;

template <typename Number>
std::string numbers(size_t count, Number value) {
  const std::vector<Number> all(count, value);
  return {reinterpret_cast<const char*>(all.data()), count * sizeof(Number)};
}

constexpr uint16_t kHalf = 0x2c00;  ///< 1/16 in F16.

Parts gptq() {
  return {{"qweight", {"I32", {kWidth / 8, kWidth}, repeated("\x78", kWidth * kWidth / 2)}},
          {"qzeros", {"I32", {1, kWidth / 8}, repeated("\x77", kWidth / 2)}},
          {"scales", {"F16", {1, kWidth}, numbers<uint16_t>(kWidth, kHalf)}}};
}
Parts awq() {
  return {{"qweight", {"I32", {kWidth, kWidth / 8}, repeated("\x78", kWidth * kWidth / 2)}},
          {"qzeros", {"I32", {1, kWidth / 8}, repeated("\x77", kWidth / 2)}},
          {"scales", {"F16", {1, kWidth}, numbers<uint16_t>(kWidth, kHalf)}}};
}
Parts fp8() {
  return {{"weight", {"F8_E4M3", {kWidth, kWidth}, repeated("\x30", kWidth * kWidth)}},
          {"weight_scale_inv", {"F32", {1, 1}, numbers<float>(1, 0.1f)}}};
}
Parts packed() {
  return {{"weight_packed", {"I32", {kWidth, kWidth / 8}, repeated("\x78", kWidth * kWidth / 2)}},
          {"weight_scale", {"F16", {kWidth, 1}, numbers<uint16_t>(kWidth, kHalf)}},
          {"weight_shape", {"I64", {2}, numbers<int64_t>(2, kWidth)}}};
}
Parts nf4(const std::string& state) {
  const uint64_t bytes = kWidth * kWidth / 2;
  return {{"weight", {"U8", {bytes, 1}, repeated("\x78", bytes)}},
          {"weight.absmax", {"F32", {bytes / 32}, numbers<float>(bytes / 32, 0.1f)}},
          {"weight.quant_state.bitsandbytes__nf4", {"U8", {state.size()}, state}}};
}
std::string nf4State(const Json& shape, const Json& block = 64) {
  return Json{{"quant_type", "nf4"}, {"blocksize", block}, {"shape", shape}}.dump();
}

void addTensor(FolderModel& model, const std::string& name, const Part& part) {
  const uint64_t begin = model.data.size();
  model.data += part.bytes;
  model.header[name] = {{"dtype", part.dtype},
                        {"shape", part.shape},
                        {"data_offsets", {begin, begin + part.bytes.size()}}};
}

HostileFile& add(HostileFolder& to, const std::string& title, const std::string& place,
                 const Json& quantization, const Parts& parts) {
  FolderModel model = tinyFolder();
  model.config["hidden_size"] = model.config["intermediate_size"] = kWidth;
  model.config["quantization_config"] = quantization;
  model.header = nlohmann::json::object();
  model.data.clear();
  const auto floats = [&](const std::string& name, const std::vector<uint64_t>& shape) {
    uint64_t count = 1;
    for (const uint64_t size : shape) count *= size;
    addTensor(model, name, {"F32", shape, numbers<float>(count, 0.5f)});
  };
  const std::string layer = "model.layers.0.";
  floats("model.embed_tokens.weight", {4, kWidth});
  floats("model.norm.weight", {kWidth});
  floats(layer + "input_layernorm.weight", {kWidth});
  floats(layer + "post_attention_layernorm.weight", {kWidth});
  for (const char* module : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                             "self_attn.o_proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"}) {
    for (const auto& [end, part] : parts) addTensor(model, layer + module + "." + end, part);
  }
  HostileFile& made = to.folder(kKind, title, place, title + "|config.json");
  model.write(made.path);
  return made.as(HostileUse::kGenerate);
}

const Json kGptq = {{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}};
const Json kAwq = {{"quant_method", "awq"}, {"bits", 4}, {"version", "gemm"}};
const Json kFp8 = {{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}};
const Json kBits = {{"quant_method", "bitsandbytes"}, {"bnb_4bit_quant_type", "nf4"}};
const Json kPacked = {{"quant_method", "compressed-tensors"}, {"format", "pack-quantized"}};

/// The parts with one changed.
Parts with(Parts parts, const std::string& end, const Part& part) {
  parts[end] = part;
  return parts;
}
Parts without(Parts parts, const std::string& end) {
  parts.erase(end);
  return parts;
}

void addColumns(HostileFolder& to) {
  const uint16_t infinite = 0x7c00, nan = 0x7e00;
  for (const auto& [name, config, parts] :
       {std::tuple("gptq", kGptq, gptq()), std::tuple("awq", kAwq, awq())}) {
    const std::string title = name;
    add(to, title, "", config, parts).ends(HostileEnd::kAccepted);
    add(to, title + "-without-zeros", "qzeros", config, without(parts, "qzeros"));
    add(to, title + "-without-scales", "scales", config, without(parts, "scales"));
    add(to, title + "-infinite-scales", "scales", config,
        with(parts, "scales", {"F16", {1, kWidth}, numbers(kWidth, infinite)}));
    add(to, title + "-nan-scales", "scales", config,
        with(parts, "scales", {"F16", {1, kWidth}, numbers(kWidth, nan)}));
    add(to, title + "-three-groups", "scales", config,
        with(parts, "scales", {"F16", {3, kWidth}, numbers(3 * kWidth, kHalf)}));
    add(to, title + "-zeros-of-bytes", "qzeros", config,
        with(parts, "qzeros", {"U8", {kWidth / 2}, repeated("\x77", kWidth / 2)}));
    add(to, title + "-also-plain", "twice", config,
        with(parts, "weight", {"F32", {kWidth, kWidth}, numbers(kWidth * kWidth, 0.1f)}));
  }
  Json ordered = kGptq;
  ordered["desc_act"] = true;
  add(to, "gptq-order-is-missing", "g_idx", ordered, gptq());
  add(to, "gptq-order-is-far", "g_idx", kGptq,
      with(gptq(), "g_idx", {"I32", {kWidth}, numbers<int32_t>(kWidth, -1)}));
  for (const Json& bits : {Json(0), Json(3), Json(uint64_t{1} << 62), Json("4")}) {
    Json config = kGptq;
    config["bits"] = bits;
    add(to, "gptq-bits-" + bits.dump(), "bits", config, gptq());
  }
}

void addRows(HostileFolder& to) {
  add(to, "fp8", "", kFp8, fp8()).ends(HostileEnd::kAccepted);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  add(to, "fp8-nan-scale", "weight_scale_inv", kFp8,
      with(fp8(), "weight_scale_inv", {"F32", {1, 1}, numbers(1, nan)}));
  add(to, "fp8-no-scale", "scale", kFp8, without(fp8(), "weight_scale_inv"));
  for (const Json& block : {Json{0, 128}, Json{128, 0}, Json{128, 96}, Json{1, 2, 3}, Json("x")}) {
    Json config = kFp8;
    config["weight_block_size"] = block;
    add(to, "fp8-block-" + block.dump(), "weight_block_size|blocks", config, fp8());
  }
  add(to, "packed", "", kPacked, packed()).ends(HostileEnd::kAccepted);
  for (const int64_t size : {int64_t{0}, int64_t{-8}, int64_t{1} << 62, int64_t{1024}}) {
    add(to, "packed-shape-" + std::to_string(size), "weight_packed|weight_shape", kPacked,
        with(packed(), "weight_shape", {"I64", {2}, numbers(2, size)}));
  }
  Json asymmetric = kPacked;
  asymmetric["config_groups"] = {
      {"a", {{"weights", {{"num_bits", 4}, {"type", "int"}, {"symmetric", false}}}}}};
  add(to, "packed-without-zeros", "weight_zero_point", asymmetric, packed());
}

void addNf4(HostileFolder& to) {
  const Json shape = {kWidth, kWidth};
  add(to, "nf4", "", kBits, nf4(nf4State(shape))).ends(HostileEnd::kAccepted);
  const std::pair<const char*, std::string> kBad[] = {
      {"shape-zero", nf4State({0, 0})},
      {"shape-huge", nf4State({uint64_t{1} << 30, uint64_t{1} << 30})},
      {"shape-negative", nf4State({-1, 128})},
      {"shape-text", nf4State("x")},
      {"block-zero", nf4State(shape, 0)},
      {"block-other", nf4State(shape, 128)},
      {"no-json", "{"},
      {"nested-deep", repeated("[", 100'000)},
      {"fp4", Json{{"quant_type", "fp4"}, {"shape", shape}}.dump()}};
  for (const auto& [title, state] : kBad) {
    add(to, std::string("nf4-") + title, "weight", kBits, nf4(state))
        .named(std::string("nf4-") + title + "|quant_state");
  }
  add(to, "nf4-without-scales", "weight", kBits, without(nf4(nf4State(shape)), "weight.absmax"));
  add(to, "nf4-few-scales", "weight", kBits,
      with(nf4(nf4State(shape)), "weight.absmax", {"F32", {1}, numbers(1, 0.1f)}));
  add(to, "nf4-another-table", "quant_map", kBits,
      with(nf4(nf4State(shape)), "weight.quant_map", {"F32", {16}, numbers(16, 1.0f)}));
}

/// A tensor that is claimed: its name, dtype, shape and bytes.
struct Claim {
  std::string name;
  std::string dtype;
  std::vector<uint64_t> shape;
  uint64_t bytes;
};

/// A folder of these tensors alone, of which only the header is on the disk.
HostileFile& addClaims(HostileFolder& to, const std::string& title, const std::string& place,
                       const Json& quantization, const std::vector<Claim>& claims) {
  HostileFile& made = to.folder(kKind, title, place, title + "|model.safetensors");
  FolderModel model = tinyFolder();
  model.config["quantization_config"] = quantization;
  model.header = nlohmann::json::object();
  model.data.clear();
  uint64_t end = 0;
  for (const Claim& claim : claims) {
    model.header[claim.name] = {
        {"dtype", claim.dtype}, {"shape", claim.shape}, {"data_offsets", {end, end + claim.bytes}}};
    end += claim.bytes;
  }
  model.write(made.path);
  makeSparse(made.path / "model.safetensors", 8 + model.header.dump().size() + end);
  return made;
}

void addStack(std::vector<Claim>& to, const std::string& module) {
  constexpr uint64_t kExperts = 4096;
  const std::string name = module + ".experts.gate_up_proj";
  to.push_back({name, "F8_E4M3", {kExperts, 2, kWidth}, kExperts * 2 * kWidth});
  to.push_back({name + "_scale_inv", "F32", {kExperts, 1, 1}, kExperts * sizeof(float)});
}

/// An expert that is listed by the shape of one tensor, and read from another.
void addTwice(HostileFolder& to) {
  const std::string experts = "model.layers.0.mlp.experts.";
  addClaims(to, "stack-beside-an-expert", "is there twice", {{"quant_method", "fp8"}},
            {{experts + "0.gate_proj.weight", "BF16", {kWidth, kWidth}, 2 * kWidth * kWidth},
             {experts + "gate_up_proj", "F8_E4M3", {1, 2 * kWidth, 256}, 2 * kWidth * 256},
             {experts + "gate_up_proj_scale_inv", "F32", {1, 1, 1}, sizeof(float)}});
}

/// Small files that claim much, or say much of each layer.
void addLargeClaims(HostileFolder& to) {
  constexpr uint64_t kInputs = 1 << 27;
  const std::string layer = "model.layers.0.self_attn.q_proj.";
  addClaims(to, "gptq-sparse-order", "134,217,728 inputs", kGptq,
            {{layer + "qweight", "I32", {kInputs / 8, 8}, kInputs * 4},
             {layer + "qzeros", "I32", {1, 1}, 4},
             {layer + "scales", "F16", {1, 8}, 16},
             {layer + "g_idx", "I32", {kInputs}, kInputs * 4}});
  const Json fp8_of_rows = {{"quant_method", "fp8"}};
  std::vector<Claim> claims;
  addStack(claims, "model.layers.0.mlp." + std::string(20'000, 'x'));
  addClaims(to, "stack-of-long-name", "a name of", fp8_of_rows, claims);
  claims.clear();
  for (int i = 0; i < 100; ++i) addStack(claims, "model.layers." + std::to_string(i) + ".mlp");
  addClaims(to, "hundred-stacks", "more quantised layers", fp8_of_rows, claims);
  claims.clear();
  for (int i = 0; i < 30; ++i) {
    addStack(claims, "model.layers." + std::to_string(i) + "." + std::string(900, 'x'));
  }
  addClaims(to, "stacks-of-names-of-a-kilobyte", "longer names", fp8_of_rows, claims);
  const std::string name(1'000'000, 'A');
  addClaims(to, "name-of-a-megabyte", "a name of", kGptq,
            {{name + ".qweight", "I32", {16, 8}, 512}, {name + ".scales", "F16", {3, 8}, 48}});
  std::string state = nf4State({kWidth, kWidth});
  state.back() = ',';
  state += "\"more\":[" + repeated("1,", 49'000) + "1]}";
  add(to, "nf4-state-of-100-kilobytes", "4,096", kBits, nf4(state))
      .named("nf4-state-of-100-kilobytes|quant_state");
}

}  // namespace

void addQuantized(HostileFolder& to) {
  addColumns(to);
  addRows(to);
  addNf4(to);
  addTwice(to);
  addLargeClaims(to);
}

}  // namespace quire::test
