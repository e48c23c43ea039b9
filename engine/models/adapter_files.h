#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "engine/io/weights.h"
#include "engine/models/weight_conventions.h"

namespace quire {

/// The two matrices by which an adapter changes a weight W (N, K): W + scale B A.
struct LoraPair {
  std::string a;  ///< The tensor (R, K), by the file's name.
  std::string b;  ///< The tensor (N, R).
  float scale = 1.0f;
};

/// An opened LoRA adapter (arXiv:2106.09685).
struct AdapterFiles {
  std::string name;  ///< Of the folder or file, for messages.
  FileFormat format = FileFormat::kHuggingFace;
  std::string architecture;  ///< As GGUF names it; empty in PEFT's folders, which do not say.
  /// SHA-256 of all that changes answers, hexadecimal; of what was loaded (AdapterLoader::finish).
  std::string hash;
  std::unique_ptr<WeightSource> weights;
  /// By the name of the weight that is changed: "model.layers.0.self_attn.q_proj.weight", or in
  /// GGUF "blk.0.attn_q.weight".
  std::map<std::string, LoraPair, std::less<>> pairs;
};

/// Opens an adapter: a folder with adapter_config.json and adapter_model.safetensors as PEFT writes
/// it, either of these two files, or a GGUF file as llama.cpp's convert_lora_to_gguf.py writes it.
/// Reads names and shapes alone. Errors: kNotFound, kCorruptFile, kUnsupported (naming what
/// of PEFT is not supported), kIo.
Result<AdapterFiles> open_adapter(const std::filesystem::path& path);

/// Whether open_adapter() would open it, but for reading the matrices. Errors: as open_adapter.
Result<void> check_adapter_files(const std::filesystem::path& path);

/// Whether the folder holds an adapter as PEFT writes it, and no whole model.
bool is_adapter_folder(const std::filesystem::path& path);

/// What holds all of the adapter: the folder of one of PEFT's files, otherwise the path itself.
std::filesystem::path whole_adapter(const std::filesystem::path& path);

/// The refusal (kUnsupported) of a tensor, by its name in the file or that of its weight, which is
/// no matrix of attention or of an MLP.
Error refused_tensor(const AdapterFiles& files, const std::string& tensor);

/// The name of a decoder's weight without the prefixes of multimodal models, which adapters may or
/// may not have.
std::string adapted_weight_name(std::string_view name);

}  // namespace quire
