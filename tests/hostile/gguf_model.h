#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/engine/io/gguf_builder.h"

namespace quire::test {

/// A GGUF file in parts, so that each can be made wrong by itself.
struct GgufModel {
  struct Key {
    std::string name;
    uint32_t type;
    std::string value;  ///< As in the file.
  };
  struct Tensor {
    std::string name;
    std::vector<uint64_t> sizes;  ///< From the contiguous dimension on.
    uint32_t type = 0;
    std::string bytes;
    int64_t offset = -1;  ///< -1: after the tensors before it.
  };

  std::vector<Key> keys;
  std::vector<Tensor> tensors;
  uint32_t version = 3;
  int64_t claimed_keys = -1;
  int64_t claimed_tensors = -1;

  GgufModel& set(const std::string& name, uint32_t type, const std::string& value) {
    const auto at = std::ranges::find(keys, name, &Key::name);
    if (at != keys.end()) {
      *at = {name, type, value};
    } else {
      keys.push_back({name, type, value});
    }
    return *this;
  }
  template <typename T>
  GgufModel& number(const std::string& name, uint32_t type, T value) {
    return set(name, type, GgufBuilder::raw(value));
  }
  GgufModel& u32(const std::string& name, uint32_t value) { return number(name, 4, value); }
  GgufModel& f32(const std::string& name, float value) { return number(name, 6, value); }
  GgufModel& text(const std::string& name, std::string_view value) {
    return set(name, 8, GgufBuilder::text(value));
  }
  GgufModel& texts(const std::string& name, const std::vector<std::string>& values) {
    std::string all;
    for (const std::string& value : values) all += GgufBuilder::text(value);
    return array(name, 8, values.size(), all);
  }
  GgufModel& array(const std::string& name, uint32_t type, uint64_t count,
                   const std::string& elements) {
    return set(name, 9, GgufBuilder::raw(type) + GgufBuilder::raw(count) + elements);
  }
  GgufModel& without(const std::string& name) {
    std::erase_if(keys, [&](const Key& key) { return key.name == name; });
    std::erase_if(tensors, [&](const Tensor& tensor) { return tensor.name == name; });
    return *this;
  }
  Tensor& tensor(const std::string& name) {
    return *std::ranges::find(tensors, name, &Tensor::name);
  }
  /// Of `count` numbers of f32, all the same.
  GgufModel& add(const std::string& name, const std::vector<uint64_t>& sizes, float value = 0.02f) {
    uint64_t count = 1;
    for (const uint64_t size : sizes) count *= size;
    std::string bytes;
    for (uint64_t i = 0; i < count; ++i) bytes += GgufBuilder::raw(value);
    tensors.push_back({name, sizes, 0, bytes});
    return *this;
  }

  std::string build() const;
  /// The places between the fields of the header, in bytes from the start.
  struct Boundary {
    size_t at;
    std::string place;  ///< What a message about a file that ends here names.
  };
  std::vector<Boundary> boundaries() const;
};

/// A Llama of one layer that Quire loads, with seven tokens merged by rank.
GgufModel tinyGguf();

}  // namespace quire::test
