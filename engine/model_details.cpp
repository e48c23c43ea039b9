#include "engine/model_details.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/models/json_config.h"
#include "engine/models/model_files.h"
#include "kernels/base/checked.h"

namespace quire {
namespace {

std::string upper_case(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

/// "qwen3": model_type of config.json.
std::string family_of_folder(const std::filesystem::path& folder) {
  const auto config = read_config_json(folder);
  if (!config || !config->is_object()) return {};
  const auto type = config->find("model_type");
  return type != config->end() && type->is_string() ? type->get<std::string>() : std::string();
}

/// Counts the numbers, and finds the type that most bytes have. A count that does not fit is 0.
void describe_tensors(const WeightSource& weights, ModelDetails& details) {
  std::map<std::string_view, uint64_t> bytes;
  bool fits = true;
  for (const TensorInfo& tensor : weights.tensors()) {
    const StoredNumbers stored = stored_numbers(tensor);
    bytes[stored.dtype] += tensor.bytes;
    const auto sum =
        stored.count ? checked_add(details.num_parameters, *stored.count) : std::nullopt;
    fits = fits && sum.has_value();
    if (fits) details.num_parameters = *sum;
  }
  if (!fits) details.num_parameters = 0;
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& one) { return one.second; });
  if (most != bytes.end()) details.quantization = upper_case(most->first);
}

}  // namespace

Result<ModelDetails> read_model_details(const std::filesystem::path& path) {
  const auto opened = open_any_model(path);
  if (!opened) return opened.error();
  ModelDetails details = {.file_bytes = opened->weights->file_bytes()};
  describe_tensors(*opened->weights, details);
  const auto gguf = open_gguf_metadata(path);
  if (!gguf) return gguf.error();
  if (!*gguf) {
    details.family = family_of_folder(path);
    return details;
  }
  details.family = (*gguf)->string("general.architecture").value_or("");
  const std::string mixture = gguf_mixture_name((*gguf)->integer("general.file_type").value_or(-1));
  if (!mixture.empty()) details.quantization = mixture;
  return details;
}

std::string parameter_count_text(int64_t num_parameters) {
  constexpr std::pair<int64_t, char> kUnits[] = {
      {1'000'000'000, 'B'}, {1'000'000, 'M'}, {1'000, 'K'}};
  for (const auto& [unit, letter] : kUnits) {
    if (num_parameters < unit) continue;
    // In tenths: the decimal point of printf depends on the locale.
    const int64_t tenths = num_parameters / (unit / 10);
    const std::string whole = std::to_string(tenths / 10);
    return whole + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + letter;
  }
  return std::to_string(num_parameters);
}

std::string gguf_mixture_name(int64_t file_type) {
  constexpr std::pair<int64_t, const char*> kNames[] = {
      {11, "Q3_K_S"}, {12, "Q3_K_M"}, {13, "Q3_K_L"}, {14, "Q4_K_S"},
      {15, "Q4_K_M"}, {16, "Q5_K_S"}, {17, "Q5_K_M"}, {21, "Q2_K_S"}};
  for (const auto& [number, name] : kNames) {
    if (number == file_type) return name;
  }
  return {};
}

}  // namespace quire
