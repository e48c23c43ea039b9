#include "engine/models/quantized_checks.h"

#include <cmath>
#include <cstring>
#include <string>

#include "engine/io/text.h"
#include "engine/models/quantized_layer.h"
#include "kernels/base/quant_blocks.h"

namespace quire {
namespace {

/// The parts of a folder's layers, by the tensor that has a layer's codes.
class PartChecker {
 public:
  PartChecker(WeightSource& files, const FolderQuantization& quantization)
      : m_files(files), m_quantization(quantization) {}

  Result<void> check(const TensorInfo& tensor) const {
    const std::string_view name = tensor.name;
    for (const auto& [suffix, check] :
         {std::pair(std::string_view(".qweight"), &PartChecker::check_columns),
          std::pair(std::string_view(".weight_packed"), &PartChecker::check_rows)}) {
      if (!name.ends_with(suffix)) continue;
      return (this->*check)(std::string(name.substr(0, name.size() - suffix.size() + 1)), tensor);
    }
    return name.ends_with(".weight.quant_map") ? check_nf4_table(tensor) : Result<void>();
  }

 private:
  Error damaged(const std::string& tensor, const std::string& fault) const {
    return {ErrorCode::kCorruptFile, "the tensor " + for_message(tensor) + " of " +
                                         for_message(m_files.where()) + " " + fault +
                                         "; download it again, or another version of the model"};
  }

  bool has(const std::string& name) const { return m_files.find(name) != nullptr; }

  Result<void> require(const std::string& codes, const std::string& part,
                       const std::string& what) const {
    if (has(part)) return {};
    return damaged(codes, "has no " + what + " beside it, " + for_message(part));
  }

  Result<void> check_once(const std::string& base, const TensorInfo& codes) const {
    if (!has(base + "weight")) return {};
    return damaged(codes.name, "is there twice, the other time as " + for_message(base + "weight"));
  }

  /// GPTQ and AWQ.
  Result<void> check_columns(const std::string& base, const TensorInfo& codes) const {
    if (auto once = check_once(base, codes); !once) return once;
    auto zeros = require(codes.name, base + "qzeros", "zero points");
    if (!zeros || !m_quantization.has_order) return zeros;
    return require(codes.name, base + "g_idx", "order of its inputs");
  }

  /// compressed-tensors.
  Result<void> check_rows(const std::string& base, const TensorInfo& codes) const {
    if (auto once = check_once(base, codes); !once) return once;
    if (m_quantization.is_asymmetric) {
      auto zeros = require(codes.name, base + "weight_zero_point", "zero points");
      if (!zeros) return zeros;
    }
    if (m_quantization.has_order) {
      auto order = require(codes.name, base + "weight_g_idx", "order of its inputs");
      if (!order) return order;
    }
    return check_row_count(base, codes);
  }

  Result<void> check_row_count(const std::string& base, const TensorInfo& codes) const {
    const TensorInfo* const shape = m_files.find(base + "weight_shape");
    if (shape == nullptr || shape->bytes < 4 || codes.shape.empty()) return {};
    auto bytes = m_files.bytes(shape->name);
    if (!bytes) return bytes.error();
    int64_t rows = 0;
    std::memcpy(&rows, bytes->data(), shape->dtype == "I64" && shape->bytes >= 8 ? 8 : 4);
    if (rows == codes.shape.front()) return {};
    return damaged(shape->name, "says that there are " + std::to_string(rows) + " rows, but " +
                                    for_message(codes.name) + " has " +
                                    std::to_string(codes.shape.front()));
  }

  /// bitsandbytes.
  Result<void> check_nf4_table(const TensorInfo& table) const {
    auto bytes = m_files.bytes(table.name);
    if (!bytes) return bytes.error();
    bool is_nf4 = table.dtype == "F32" && bytes->size() == 16 * sizeof(float);
    for (uint32_t code = 0; is_nf4 && code < 16; ++code) {
      float number = 0.0f;
      std::memcpy(&number, bytes->data() + code * sizeof number, sizeof number);
      is_nf4 = std::fabs(number - blocks::nf4_number(code)) < 1e-6f;
    }
    return is_nf4 ? Result<void>() : damaged(table.name, "is not the table of NF4");
  }

  WeightSource& m_files;
  const FolderQuantization& m_quantization;
};

}  // namespace

Result<void> check_quantized_parts(WeightSource& files, const FolderQuantization& quantization) {
  const PartChecker checker(files, quantization);
  for (const TensorInfo& tensor : files.tensors()) {
    if (auto checked = checker.check(tensor); !checked) return checked;
  }
  return {};
}

}  // namespace quire
