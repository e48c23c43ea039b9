#include "engine/models/input_order.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/io/text.h"

namespace quire {
namespace {

constexpr std::string_view kWeight = "weight";

std::vector<int32_t> integers(std::span<const std::byte> bytes) {
  std::vector<int32_t> numbers(bytes.size() / sizeof(int32_t));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(int32_t));
  return numbers;
}

/// Whether it is a dtype of the layers of QuantizedFolder that can be in act-order. It has looked
/// at their groups; those that another file claims to have may be of any size.
bool can_be_in_order(std::string_view dtype) {
  constexpr DType kDTypes[] = {DType::kI4_32, DType::kI4_64, DType::kI4_128, DType::kI8_128,
                               DType::kF8_128};
  return std::ranges::any_of(kDTypes, [&](DType each) { return dtype == dtype_name(each); });
}

/// The tensor with the groups of the inputs of "x.weight", which is quantised; null: none.
const TensorInfo* find_groups(WeightSource& source, const std::string& weight) {
  if (!weight.ends_with(kWeight)) return nullptr;
  const TensorInfo* const of = source.find(weight);
  const bool is_quantized_matrix =
      of != nullptr && of->shape.size() == 2 && can_be_in_order(of->dtype);
  if (!is_quantized_matrix) return nullptr;
  const std::string base = weight.substr(0, weight.size() - kWeight.size());
  for (const char* name : {"g_idx", "weight_g_idx"}) {
    const TensorInfo* const groups = source.find(base + name);
    const bool fits = groups != nullptr && groups->dtype == "I32" && groups->shape.size() == 1 &&
                      groups->shape[0] == of->shape[1];
    if (fits) return groups;
  }
  return nullptr;
}

}  // namespace

std::optional<std::vector<int32_t>> sort_by_group(std::span<const std::byte> groups,
                                                  int64_t num_inputs, int64_t num_groups) {
  const std::vector<int32_t> group_of = integers(groups);
  if (static_cast<int64_t>(group_of.size()) != num_inputs) return std::nullopt;
  std::vector<int64_t> sizes(static_cast<size_t>(num_groups), 0);
  for (const int32_t group : group_of) {
    if (group < 0 || group >= num_groups) return std::nullopt;
    ++sizes[static_cast<size_t>(group)];
  }
  const bool are_even =
      std::ranges::all_of(sizes, [&](int64_t size) { return size * num_groups == num_inputs; });
  if (!are_even) return std::nullopt;
  std::vector<int32_t> order(group_of.size());
  std::vector<size_t> next(sizes.size());  // The place of the next input of each group.
  std::exclusive_scan(sizes.begin(), sizes.end(), next.begin(), size_t{0});
  for (size_t k = 0; k < group_of.size(); ++k) {
    order[next[static_cast<size_t>(group_of[k])]++] = static_cast<int32_t>(k);
  }
  return order;
}

Result<std::vector<int32_t>> read_input_order(WeightSource& source,
                                              std::span<const WeightRows> weights,
                                              std::vector<const TensorInfo*>& read) {
  std::optional<std::vector<int32_t>> common;
  for (const WeightRows& weight : weights) {
    std::vector<int32_t> order;
    if (const TensorInfo* const groups = find_groups(source, weight.name); groups != nullptr) {
      auto bytes = source.bytes(groups->name);
      if (!bytes) return bytes.error();
      const std::vector<int32_t> group_of = integers(*bytes);
      const int32_t most = group_of.empty() ? 0 : std::ranges::max(group_of);
      const int64_t num_groups = std::clamp<int64_t>(most, 0, groups->shape[0] - 1) + 1;
      order = sort_by_group(*bytes, groups->shape[0], num_groups).value_or(std::vector<int32_t>());
      read.push_back(groups);
    }
    if (!common) {
      common = std::move(order);
    } else if (*common != order) {
      return Error{ErrorCode::kUnsupported,
                   "the tensors " + for_message(weights.front().name) + " and " +
                       for_message(weight.name) + " of " + for_message(source.where()) +
                       " put the same inputs in different orders (act-order), which Quire does not "
                       "read; get another version of the model, or a GGUF file of it"};
    }
  }
  return common.value_or(std::vector<int32_t>());
}

}  // namespace quire
