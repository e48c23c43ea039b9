#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace quire::test {

/// Writes GGUF files by hand, right or wrong in every field.
class GgufBuilder {
 public:
  static constexpr uint32_t kString = 8, kArray = 9, kU32 = 4;

  uint32_t version = 3;
  uint64_t alignment = 32;  ///< Of the data; add general.alignment yourself.
  /// What the header claims, if it lies.
  int64_t claimed_keys = -1;
  int64_t claimed_tensors = -1;

  template <typename T>
  static std::string raw(T value) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  }
  static std::string text(std::string_view value) {
    return raw(uint64_t{value.size()}) + std::string(value);
  }

  /// A key with the bytes of its value as they are to be.
  GgufBuilder& key(std::string_view name, uint32_t type, const std::string& value) {
    m_keys += text(name) + raw(type) + value;
    ++m_num_keys;
    return *this;
  }
  GgufBuilder& u32(std::string_view name, uint32_t value) { return key(name, kU32, raw(value)); }
  GgufBuilder& u16(std::string_view name, uint16_t value) { return key(name, 2, raw(value)); }
  GgufBuilder& i32(std::string_view name, int32_t value) { return key(name, 5, raw(value)); }
  GgufBuilder& f32(std::string_view name, float value) { return key(name, 6, raw(value)); }
  GgufBuilder& boolean(std::string_view name, bool value) { return key(name, 7, raw(value)); }
  GgufBuilder& string(std::string_view name, std::string_view value) {
    return key(name, kString, text(value));
  }
  GgufBuilder& strings(std::string_view name, const std::vector<std::string>& values) {
    std::string all;
    for (const auto& value : values) all += text(value);
    return array(name, kString, values.size(), all);
  }
  template <typename T>
  GgufBuilder& numbers(std::string_view name, uint32_t type, const std::vector<T>& values) {
    std::string all;
    for (T value : values) all += raw(value);
    return array(name, type, values.size(), all);
  }
  GgufBuilder& array(std::string_view name, uint32_t type, uint64_t count,
                     const std::string& elements) {
    return key(name, kArray, raw(type) + raw(count) + elements);
  }

  /// A tensor entry as it is to be: sizes from the contiguous dimension on, as files have them.
  GgufBuilder& entry(std::string_view name, const std::vector<uint64_t>& sizes, uint32_t type,
                     uint64_t offset) {
    m_tensors += text(name) + raw(static_cast<uint32_t>(sizes.size()));
    for (uint64_t size : sizes) m_tensors += raw(size);
    m_tensors += raw(type) + raw(offset);
    ++m_num_tensors;
    return *this;
  }
  /// The same with its data behind that of the tensors before it.
  GgufBuilder& tensor(std::string_view name, const std::vector<uint64_t>& sizes, uint32_t type,
                      const std::string& bytes) {
    m_data.resize((m_data.size() + alignment - 1) / alignment * alignment);
    entry(name, sizes, type, m_data.size());
    m_data += bytes;
    return *this;
  }
  GgufBuilder& data(const std::string& bytes) {
    m_data += bytes;
    return *this;
  }

  std::string build() const {
    std::string file = "GGUF" + raw(version);
    file += raw(claimed_tensors >= 0 ? claimed_tensors : m_num_tensors);
    file += raw(claimed_keys >= 0 ? claimed_keys : m_num_keys);
    file += m_keys + m_tensors;
    file.resize((file.size() + alignment - 1) / alignment * alignment);
    return file + m_data;
  }

 private:
  std::string m_keys, m_tensors, m_data;
  int64_t m_num_keys = 0;
  int64_t m_num_tensors = 0;
};

}  // namespace quire::test
