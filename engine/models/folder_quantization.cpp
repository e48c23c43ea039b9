#include "engine/models/folder_quantization.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/io/json_fields.h"
#include "engine/io/text.h"

namespace quire {
namespace {

using nlohmann::json;
using Method = FolderQuantization::Method;

void refuse(JsonFields& fields, const std::string& what) {
  fields.fail(
      ErrorCode::kUnsupported,
      "%1: the weights are quantised by %2, a variant that Quire does not read; get another "
      "version of the model, or a GGUF file of it",
      {what});
}

/// The bits of a code. Refuses other than four, and eight unless allowed.
int64_t read_bits(JsonFields& fields, const std::string& method, bool allows_eight) {
  const int64_t bits = fields.integer("bits", 1, 64, 4);
  const bool is_read = bits == 4 || (bits == 8 && allows_eight);
  if (!is_read) refuse(fields, method + " in " + std::to_string(bits) + " bits");
  return bits;
}

void read_gptq(JsonFields& fields, FolderQuantization& quantization) {
  const std::string format = fields.string("checkpoint_format", "gptq");
  if (format != "gptq" && format != "gptq_v2") refuse(fields, "gptq as " + for_message(format));
  quantization.has_zeros_minus_one = format == "gptq";
  quantization.has_order = fields.boolean("desc_act", false);
}

void read_fp8(JsonFields& fields, FolderQuantization& quantization) {
  const std::string format = fields.string("fmt", "e4m3");
  if (format != "e4m3") return refuse(fields, "fp8 in " + for_message(format));
  const auto sizes = fields.integers("weight_block_size", 1, 1 << 20);
  if (sizes.empty()) return;
  if (sizes.size() != 2 || sizes[1] % 128 != 0) {
    return refuse(fields, "fp8 in blocks that are not whole groups of 128 inputs");
  }
  quantization.block_outputs = sizes[0];
  quantization.block_inputs = sizes[1];
}

bool is_nvfp4(JsonFields& scheme, int64_t bits) {
  return bits == 4 && scheme.integer("group_size", 1, 1 << 20, 1) == 16;
}

/// The parts of a config_groups entry that decide whether the tensors can be read.
void check_group(JsonFields& fields, const json& group) {
  const auto weights = group.is_object() ? group.find("weights") : group.end();
  if (!group.is_object() || weights == group.end() || !weights->is_object()) return;
  JsonFields scheme(*weights, fields.where() + ": weights");
  const int64_t bits = scheme.integer("num_bits", 1, 64, 4);
  const std::string type = scheme.string("type", "int");
  if (scheme.error()) return fields.fail(*scheme.error());
  const bool is_read = type == "int" ? bits == 4 || bits == 8
                                     : type == "float" && (bits == 8 || is_nvfp4(scheme, bits));
  if (!is_read) {
    refuse(fields, "compressed-tensors in " + std::to_string(bits) + " bits, " + for_message(type));
  }
}

/// Whether all groups have that value in their weights' scheme.
bool all_groups_have(const json& groups, const char* name, const json& value) {
  return !groups.empty() && std::ranges::all_of(groups, [&](const json& group) {
    const auto weights = group.is_object() ? group.find("weights") : group.end();
    return group.is_object() && weights != group.end() && weights->is_object() &&
           weights->value(name, json()) == value;
  });
}

void check_compressed_tensors(JsonFields& fields, FolderQuantization& quantization) {
  const std::string format = fields.string("format", "dense");
  for (const char* known : {"pack-quantized", "int-quantized", "float-quantized", "naive-quantized",
                            "nvfp4-pack-quantized", "mixed-precision"}) {
    if (format != known) continue;
    const json* const groups = fields.find("config_groups");
    if (groups == nullptr || !groups->is_object()) return;
    for (const auto& [name, group] : groups->items()) check_group(fields, group);
    quantization.is_asymmetric = all_groups_have(*groups, "symmetric", false);
    quantization.has_order = all_groups_have(*groups, "actorder", "group");
    return;
  }
  refuse(fields, "compressed-tensors as " + for_message(format));
}

void check_model_opt(JsonFields& fields) {
  const std::string algorithm = fields.string("quant_algo", "no algorithm");
  for (const char* known : {"NVFP4", "W4A16_NVFP4", "FP8", "MIXED_PRECISION"}) {
    if (algorithm == known) return;
  }
  refuse(fields, "modelopt as " + for_message(algorithm));
}

void check_bits_and_bytes(JsonFields& fields) {
  const bool in_eight = fields.boolean("load_in_8bit", false);
  const std::string type = fields.string("bnb_4bit_quant_type", "fp4");
  if (!in_eight && type != "nf4") refuse(fields, "bitsandbytes in " + for_message(type));
}

}  // namespace

Result<FolderQuantization> parse_folder_quantization(const json& object, const std::string& where) {
  JsonFields fields(object, where);
  const std::string method = fields.string("quant_method", "a method without a name");
  FolderQuantization quantization = {Method::kMxfp4};
  if (fields.error()) return *fields.error();
  if (method == "mxfp4") return quantization;
  if (method == "fp8") {
    quantization.method = Method::kFp8;
    read_fp8(fields, quantization);
  } else if (method == "gptq") {
    quantization.method = Method::kGptq;
    read_gptq(fields, quantization);
    quantization.bits = read_bits(fields, method, /*allows_eight=*/true);
  } else if (method == "awq") {
    quantization.method = Method::kAwq;
    read_bits(fields, method, /*allows_eight=*/false);
    const std::string version = fields.string("version", "gemm");
    if (version != "gemm" && version != "GEMM") refuse(fields, "awq as " + for_message(version));
  } else if (method == "compressed-tensors") {
    quantization.method = Method::kCompressedTensors;
    check_compressed_tensors(fields, quantization);
  } else if (method == "modelopt" || method == "modelopt_fp4") {
    quantization.method = Method::kModelOpt;
    check_model_opt(fields);
  } else if (method == "bitsandbytes") {
    quantization.method = Method::kBitsAndBytes;
    check_bits_and_bytes(fields);
  } else {
    fields.fail(
        ErrorCode::kUnsupported,
        "%1: the weights are quantised by %2, which Quire does not read; it reads f32, f16, "
        "bf16, AWQ, GPTQ, compressed-tensors, FP8 and bitsandbytes here, and others from "
        "GGUF files",
        {for_message(method)});
  }
  if (fields.error()) return *fields.error();
  return quantization;
}

}  // namespace quire
