#include "tests/fuzz/support.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace quire::fuzz {
namespace fs = std::filesystem;

namespace {

/// A sentence names what is at fault; it does not repeat the file.
constexpr size_t kMaxMessageBytes = 2000;

std::string& input_name() {
  static std::string name;
  return name;
}

}  // namespace

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s\n%s\n", static_cast<int>(what.size()), what.data(),
               input_name().c_str());
  std::abort();
}

void name_input(std::string name) {
  input_name() = std::move(name);
}

void require_sentence(const Error& error, std::initializer_list<std::string_view> names) {
  const std::string& message = error.message;
  const std::string shown = "'" + message.substr(0, kMaxMessageBytes) + "'";
  require(!message.empty(), "an error says nothing");
  require(message.size() <= kMaxMessageBytes, "too long for a sentence: " + shown);
  const bool is_printable = std::none_of(message.begin(), message.end(), [](unsigned char c) {
    return (c < ' ' && c != '\n') || c == 127;
  });
  require(is_printable, "control characters in " + shown);
  const bool names_it = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return message.find(name) != std::string::npos;
  });
  require(names_it, "names neither file nor key: " + shown);
}

std::vector<std::string_view> split_at_zeros(std::string_view bytes, size_t count) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < count) {
    const size_t end = bytes.find('\0');
    if (end == bytes.npos) break;
    parts.push_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  parts.push_back(bytes);
  return parts;
}

ScratchFolder::ScratchFolder() {
  std::error_code failure;
  const fs::path memory = "/dev/shm";
  const fs::path base = fs::is_directory(memory, failure) ? memory : fs::temp_directory_path();
  std::string name = (base / "quire-fuzz-XXXXXX").string();
  require(mkdtemp(name.data()) != nullptr, "cannot make a folder for files");
  m_path = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(m_path, ignored);
}

fs::path ScratchFolder::write(std::string_view name, std::string_view content) const {
  const fs::path path = m_path / name;
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  require(file.good(), "cannot write " + path.string());
  return path;
}

void ScratchFolder::remove(std::string_view name) const {
  std::error_code ignored;
  fs::remove(m_path / name, ignored);
}

std::string read_source_file(std::string_view path_from_root) {
  const fs::path path = fs::path(QUIRE_SOURCE_DIR) / path_from_root;
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace quire::fuzz
