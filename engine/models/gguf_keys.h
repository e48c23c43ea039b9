#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/gguf_file.h"

namespace quire {

/// Reads the keys of a GGUF file that describe its architecture, "llama.block_count" by
/// "block_count", and keeps the first error, so that callers read all keys and check once. Thread:
/// one at a time. The file must outlive it.
class GgufKeys {
 public:
  explicit GgufKeys(const GgufFile& file);

  const std::string& architecture() const { return m_architecture; }
  const std::string& file_name() const { return m_file_name; }

  bool has(std::string_view name) const { return m_file.has(key(name)); }
  /// Nothing if the key is absent. A key of another type is an error: it would change the answers.
  std::optional<int64_t> integer(std::string_view name);
  std::optional<double> number(std::string_view name);
  std::optional<bool> boolean(std::string_view name);
  std::optional<std::string_view> string(std::string_view name);
  /// Of a list; nothing for any other type.
  std::vector<int64_t> integers(std::string_view name) const { return m_file.integers(key(name)); }

  /// A list with one entry for each layer, those for speculation included; empty if the key is
  /// absent or no list. An error if it has another length.
  std::vector<int64_t> per_layer(std::string_view name);

  /// Required keys; 0 and an error if they are missing.
  int64_t required_integer(std::string_view name);
  double required_number(std::string_view name);
  /// One number, or a list with an equal number for each layer. Nothing if the key is absent; an
  /// error if the numbers differ.
  std::optional<int64_t> same_in_all_layers(std::string_view name);
  /// The same of a list in which the numbers of some layers are 0.
  std::optional<int64_t> same_where_not_zero(std::string_view name);

  /// Records an error of this file: "model.gguf: <fault>". Only the first is kept.
  void fail(ErrorCode code, const std::string& fault);
  /// Records that the file's value, which would change the answers, is not one that Quire computes:
  /// "model.gguf: <key> is <value>; Quire runs models <what>".
  void refuse(std::string_view name, const std::string& value, const std::string& what);
  const std::optional<Error>& error() const { return m_error; }

  /// The key as the file spells it: "llama.block_count".
  std::string key(std::string_view name) const { return m_architecture + "." + std::string(name); }

 private:
  std::optional<int64_t> same(std::string_view name, const std::vector<int64_t>& numbers);
  template <typename T>
  std::optional<T> typed(std::string_view name, std::optional<T> value, const char* what);

  const GgufFile& m_file;
  std::string m_file_name;
  std::string m_architecture;
  std::optional<Error> m_error;
};

/// An error that names a field of config.json, with the GGUF key from which the field was
/// translated.
Error with_gguf_key(Error error, const GgufKeys& keys);

}  // namespace quire
