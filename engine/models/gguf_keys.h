#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/gguf_file.h"

namespace quire {

/// Reads the keys of a GGUF file that describe its architecture, "llama.block_count" by
/// "block_count", and keeps the first fault, so that a reader lists what it wants and asks for the
/// error once. Thread: one at a time. The file must outlive it.
class GgufKeys {
 public:
  explicit GgufKeys(const GgufFile& file);

  const std::string& architecture() const { return m_architecture; }
  const std::string& file_name() const { return m_file_name; }

  bool has(std::string_view name) const { return m_file.has(key(name)); }
  /// Nothing if the key is absent. One of another type is a fault: it would change the answers.
  std::optional<int64_t> integer(std::string_view name);
  std::optional<double> number(std::string_view name);
  std::optional<bool> boolean(std::string_view name);
  std::optional<std::string_view> string(std::string_view name);
  /// Of a list; nothing for any other type.
  std::vector<int64_t> integers(std::string_view name) const { return m_file.integers(key(name)); }

  /// What must be there; 0 with a fault recorded if it is not.
  int64_t required_integer(std::string_view name);
  double required_number(std::string_view name);
  /// One number, or a list of one for each layer that are all equal. Nothing if the key is absent;
  /// a list of different ones is a fault.
  std::optional<int64_t> same_in_all_layers(std::string_view name);

  /// Records a fault of this file in words: "model.gguf: <fault>". The first one stays.
  void fail(ErrorCode code, const std::string& fault);
  const std::optional<Error>& error() const { return m_error; }

  /// The key as the file spells it: "llama.block_count".
  std::string key(std::string_view name) const { return m_architecture + "." + std::string(name); }

 private:
  template <typename T>
  std::optional<T> typed(std::string_view name, std::optional<T> value, const char* what);

  const GgufFile& m_file;
  std::string m_file_name;
  std::string m_architecture;
  std::optional<Error> m_error;
};

/// A fault of one of config.json's fields, into which metadata is translated, with the key that the
/// field came from.
Error in_gguf_words(Error error, const GgufKeys& keys);

}  // namespace quire
