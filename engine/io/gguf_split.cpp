#include "engine/io/gguf_split.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "engine/io/text.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

constexpr char kNumber[] = "split.no";
constexpr char kCount[] = "split.count";
constexpr char kTensors[] = "split.tensors.count";
constexpr size_t kNumberDigits = 5;
/// Real sets have up to some hundred. Of each part up to a MiB is read before its keys are counted.
constexpr int64_t kMaxParts = 1024;
/// Keys and tensors of all parts. Those of real sets together have a few thousand; one file may
/// have half as many.
constexpr uint64_t kMaxSetEntries = 1 << 17;

std::optional<int> five_digits(std::string_view text) {
  if (text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  return std::stoi(std::string(text));
}

Error wrong_set(const GgufFile& file, const std::string& fault) {
  return {ErrorCode::kCorruptFile, file.path().filename().string() + " " + fault};
}

/// Parts are found by name, so a renamed one cannot say where the others are.
Error renamed(const GgufFile& file, int number, int count) {
  return wrong_set(file, "is part " + std::to_string(number) + " of " + std::to_string(count) +
                             " of a split model, but its name does not end in " +
                             GgufPartName{"", number, count}.part(number) +
                             "; give it the name it was downloaded by, beside the other parts");
}

Error impossible_part(const GgufFile& file, int64_t number, int64_t count) {
  return wrong_set(file, "is damaged: it says that it is part " +
                             with_separators(static_cast<uint64_t>(number) + 1) + " of only " +
                             with_separators(static_cast<uint64_t>(count)) +
                             " (split.no, split.count); download it again");
}

Error too_many_parts(const GgufFile& file, int64_t count) {
  return wrong_set(file, "is damaged: it says that its model has " +
                             with_separators(static_cast<uint64_t>(count)) +
                             " parts (split.count); download it again");
}

/// The part's own numbers must be those of its name.
Result<void> check_part(const GgufFile& file, int number, int count) {
  const int64_t says_number = file.integer(kNumber).value_or(-1);
  const int64_t says_count = file.integer(kCount).value_or(-1);
  if (says_number == number - 1 && says_count == count) return {};
  if (says_number < 0 || says_count < 0) {
    return wrong_set(file,
                     "does not say which part of a split model it is (split.no); "
                     "download it again");
  }
  if (says_number >= says_count) return impossible_part(file, says_number, says_count);
  return wrong_set(file, "is part " + with_separators(static_cast<uint64_t>(says_number) + 1) +
                             " of " + with_separators(static_cast<uint64_t>(says_count)) +
                             "; give it the name of that part");
}

/// The sums over the parts of a set: each part is within the limits of a file, all of them together
/// might not fit into memory.
struct SetSize {
  uint64_t header_bytes = 0;
  uint64_t num_entries = 0;

  /// Errors: kUnsupported naming the part.
  Result<void> add(const GgufFile& part) {
    header_bytes += part.header_bytes().size();
    num_entries += part.values().size() + part.tensors().size();
    if (header_bytes <= GgufFile::kMaxHeaderBytes && num_entries <= kMaxSetEntries) return {};
    return Error{ErrorCode::kUnsupported,
                 part.path().filename().string() + " and the parts before it have more than " +
                     with_separators(GgufFile::kMaxHeaderBytes) + " bytes of metadata or " +
                     with_separators(kMaxSetEntries) +
                     " keys and tensors, which Quire does not read; download them again"};
  }
};

Result<void> check_tensor_count(const std::vector<GgufFile>& parts) {
  const auto expected = parts.front().integer(kTensors);
  uint64_t held = 0;
  for (const GgufFile& part : parts) held += part.tensors().size();
  if (!expected || *expected == static_cast<int64_t>(held)) return {};
  return wrong_set(parts.front(), "says that its set has " + std::to_string(*expected) +
                                      " tensors (split.tensors.count), but the " +
                                      std::to_string(parts.size()) + " files hold " +
                                      with_separators(held) + "; download them again");
}

}  // namespace

std::string GgufPartName::part(int other) const {
  char suffix[64];
  std::snprintf(suffix, sizeof suffix, "-%05d-of-%05d.gguf", other, count);
  return stem + suffix;
}

std::optional<GgufPartName> parse_gguf_part_name(const std::string& file_name) {
  constexpr size_t kSuffix = sizeof("-00001-of-00002.gguf") - 1;
  if (file_name.size() < kSuffix) return std::nullopt;
  const std::string_view suffix = std::string_view(file_name).substr(file_name.size() - kSuffix);
  const auto number = five_digits(suffix.substr(1, kNumberDigits));
  const auto count = five_digits(suffix.substr(10, kNumberDigits));
  if (suffix[0] != '-' || suffix.substr(6, 4) != "-of-" || suffix.substr(15) != ".gguf" ||
      !number || !count || *number < 1 || *number > *count) {
    return std::nullopt;
  }
  return GgufPartName{file_name.substr(0, file_name.size() - kSuffix), *number, *count};
}

std::vector<fs::path> list_gguf_models(const fs::path& folder) {
  // The key is the file's name, and of a part the name of the first part of its set.
  std::map<std::string, fs::path> models;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    const std::string name = path.filename().string();
    const std::string extension = path.extension().string();
    const bool is_gguf = extension == ".gguf" || extension == ".GGUF";
    if (!is_gguf || name.find("mmproj") != std::string::npos) continue;
    const auto part = parse_gguf_part_name(name);
    fs::path& first = models[part ? part->part(1) : name];
    if (first.empty() || path < first) first = path;
    if (models.size() == kMostListedModels) break;
  }
  std::vector<fs::path> paths;
  for (const auto& [name, path] : models) paths.push_back(path);
  return paths;
}

Result<std::vector<GgufFile>> open_gguf_set(const fs::path& path) {
  auto opened = GgufFile::open(path);
  if (!opened) return opened.error();
  std::vector<GgufFile> parts;
  const int64_t count = opened->integer(kCount).value_or(0);
  if (count <= 1) {
    parts.push_back(std::move(*opened));
    return parts;
  }
  const auto name = parse_gguf_part_name(path.filename().string());
  if (!name) {
    const int64_t number = std::max<int64_t>(0, opened->integer(kNumber).value_or(0));
    if (number >= count) return impossible_part(*opened, number, count);
    if (count > kMaxParts) return too_many_parts(*opened, count);
    return renamed(*opened, static_cast<int>(number) + 1, static_cast<int>(count));
  }
  if (auto own = check_part(*opened, name->number, name->count); !own) return own.error();
  if (name->count > kMaxParts) return too_many_parts(*opened, name->count);
  SetSize size;
  if (auto added = size.add(*opened); !added) return added.error();
  for (int number = 1; number <= name->count; ++number) {
    if (number == name->number) {
      parts.push_back(std::move(*opened));
      continue;
    }
    const fs::path file = path.parent_path() / name->part(number);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
      return make_error(
          ErrorCode::kNotFound, "%1 is missing; %2 needs all %3 parts beside it",
          {file.filename().string(), path.filename().string(), std::to_string(name->count)});
    }
    auto part = GgufFile::open(file);
    if (!part) return part.error();
    if (auto fits = check_part(*part, number, name->count); !fits) return fits.error();
    if (auto added = size.add(*part); !added) return added.error();
    parts.push_back(std::move(*part));
  }
  if (auto tensors = check_tensor_count(parts); !tensors) return tensors.error();
  return parts;
}

}  // namespace quire
