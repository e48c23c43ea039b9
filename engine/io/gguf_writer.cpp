#include "engine/io/gguf_writer.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

constexpr uint32_t kWrittenVersion = 3;

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(std::string& bytes, std::string_view text) {
  append(bytes, uint64_t{text.size()});
  bytes.append(text);
}

template <typename T>
std::string scalar(GgufValueType type, T value) {
  std::string bytes;
  append(bytes, type);
  append(bytes, value);
  return bytes;
}

std::string array_head(GgufValueType type, uint64_t count) {
  std::string bytes;
  append(bytes, GgufValueType::kArray);
  append(bytes, type);
  append(bytes, count);
  return bytes;
}

template <typename T>
std::string array(GgufValueType type, std::span<const T> values) {
  std::string bytes = array_head(type, values.size());
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return bytes;
}

void pad(std::string& bytes) {
  bytes.resize((bytes.size() + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment, '\0');
}

}  // namespace

void GgufMetadata::set_u32(std::string_view key, uint32_t value) {
  set(key, scalar(GgufValueType::kU32, value));
}
void GgufMetadata::set_i32(std::string_view key, int32_t value) {
  set(key, scalar(GgufValueType::kI32, value));
}
void GgufMetadata::set_f32(std::string_view key, float value) {
  set(key, scalar(GgufValueType::kF32, value));
}
void GgufMetadata::set_bool(std::string_view key, bool value) {
  set(key, scalar(GgufValueType::kBool, static_cast<uint8_t>(value)));
}
void GgufMetadata::set_string(std::string_view key, std::string_view value) {
  std::string bytes;
  append(bytes, GgufValueType::kString);
  append_text(bytes, value);
  set(key, std::move(bytes));
}
void GgufMetadata::set_strings(std::string_view key, std::span<const std::string> values) {
  std::string bytes = array_head(GgufValueType::kString, values.size());
  for (const std::string& value : values) append_text(bytes, value);
  set(key, std::move(bytes));
}
void GgufMetadata::set_bools(std::string_view key, const std::vector<bool>& values) {
  std::string bytes = array_head(GgufValueType::kBool, values.size());
  for (const bool value : values) append(bytes, static_cast<uint8_t>(value));
  set(key, std::move(bytes));
}
void GgufMetadata::set_f32s(std::string_view key, std::span<const float> values) {
  set(key, array(GgufValueType::kF32, values));
}
void GgufMetadata::set_i32s(std::string_view key, std::span<const int32_t> values) {
  set(key, array(GgufValueType::kI32, values));
}

void GgufMetadata::copy(const GgufValue& value) {
  std::string bytes;
  if (value.is_array) {
    bytes = array_head(value.type, value.count);
  } else {
    append(bytes, value.type);
  }
  bytes.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  set(value.key, std::move(bytes));
}

bool GgufMetadata::has(std::string_view key) const {
  return std::ranges::find(m_entries, key, &Entry::key) != m_entries.end();
}

void GgufMetadata::set(std::string_view key, std::string bytes) {
  const auto at = std::ranges::find(m_entries, key, &Entry::key);
  if (at != m_entries.end()) {
    at->bytes = std::move(bytes);
  } else {
    m_entries.push_back({std::string(key), std::move(bytes)});
  }
}

std::string GgufMetadata::bytes() const {
  std::string all;
  for (const Entry& entry : m_entries) {
    append_text(all, entry.key);
    all += entry.bytes;
  }
  return all;
}

GgufLayout lay_out_gguf(const GgufMetadata& metadata, std::vector<GgufTensorPlan> tensors) {
  GgufLayout layout;
  std::string& header = layout.header;
  header = "GGUF";
  append(header, kWrittenVersion);
  append(header, uint64_t{tensors.size()});
  append(header, uint64_t{metadata.size()});
  header += metadata.bytes();
  uint64_t data_bytes = 0;
  for (GgufTensorPlan& tensor : tensors) {
    append_text(header, tensor.name);
    append(header, static_cast<uint32_t>(tensor.shape.size()));
    for (auto size = tensor.shape.rbegin(); size != tensor.shape.rend(); ++size) {
      append(header, static_cast<uint64_t>(*size));
    }
    append(header, tensor.type);
    append(header, data_bytes);
    tensor.offset = data_bytes;
    data_bytes += (tensor.bytes + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment;
  }
  pad(header);
  for (GgufTensorPlan& tensor : tensors) tensor.offset += header.size();
  layout.tensors = std::move(tensors);
  layout.file_bytes = header.size() + data_bytes;
  return layout;
}

}  // namespace quire
