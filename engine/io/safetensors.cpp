#include "engine/io/safetensors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/io/json_file.h"
#include "engine/io/json_tokens.h"
#include "engine/io/read_file.h"
#include "engine/io/safetensors_sort.h"
#include "engine/io/text.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

std::optional<DType> supported_dtype(std::string_view dtype) {
  if (dtype == "F32") return DType::kF32;
  if (dtype == "F16") return DType::kF16;
  if (dtype == "BF16") return DType::kBF16;
  if (dtype == "I32") return DType::kI32;
  return std::nullopt;
}

/// The error for a folder without safetensors, which names weights of another format. A .gguf file
/// is only the vision part of a model here: the caller opens any other.
Error no_weights(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string extension = at->path().extension().string();
    if (extension == ".gguf") {
      return {ErrorCode::kUnsupported,
              folder.string() + " has " + at->path().filename().string() +
                  ", which is only the vision part of a model; get the model's own .gguf or "
                  "safetensors files beside it"};
    }
    if (extension != ".bin" && extension != ".pth") continue;
    return make_error(ErrorCode::kUnsupported,
                      "%1 has its weights as %2, which Quire does not read; get the safetensors "
                      "version",
                      {folder.string(), at->path().filename().string()});
  }
  return make_error(ErrorCode::kNotFound,
                    "%1 has no model.safetensors and no model.safetensors.index.json",
                    {folder.string()});
}

/// The largest real folder, Kimi-K2 in NVFP4, lists 276,480 tensors, in an estimated 27 MB.
constexpr JsonLimits kIndexLimits = {
    .max_bytes = 32 << 20, .max_values = 600'000, .unique_keys = true};

/// Headers and tensors of all shards.
constexpr uint64_t kMaxAllHeaderBytes = uint64_t{64} << 20;
constexpr size_t kMaxIndexedTensors = 9 << 15;

Error too_much_of_shards(const std::string& name) {
  return {ErrorCode::kUnsupported, name + " and the shards before it have headers of more than " +
                                       with_separators(kMaxAllHeaderBytes) + " bytes or " +
                                       with_separators(kMaxIndexedTensors) +
                                       " tensors, which Quire does not read; choose another "
                                       "conversion"};
}

/// The length of the header and the header.
Result<std::vector<std::byte>> read_shard_head(const OpenFile& file) {
  std::vector<std::byte> head(std::min<uint64_t>(file.size(), sizeof(uint64_t)));
  if (auto read = file.read_at(0, head); !read) return read.error();
  const uint64_t start = head.size();
  head.resize(safetensors_head_bytes(head, file.size()));
  const auto rest = std::span(head).subspan(start);
  if (auto read = file.read_at(start, rest); !read) return read.error();
  return head;
}

/// Names in an index are untrusted: one that could lead out of the folder is refused, and so is one
/// that no file system accepts.
bool is_plain_file_name(std::string_view name) {
  constexpr size_t kMaxBytes = 255;
  const bool is_printable =
      std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 127; });
  return !name.empty() && name.size() <= kMaxBytes && name != "." && name != ".." && is_printable &&
         name.find_first_of("/\\") == std::string_view::npos;
}

/// The file that each tensor is in, as an index says.
struct WeightMap {
  struct Entry {
    std::string tensor;
    size_t file;
  };
  std::vector<Entry> entries;      ///< By tensor ascending.
  std::vector<std::string> files;  ///< Plain names.
};

/// Reads an index: an object whose member weight_map is an object of file names.
class WeightMapReader {
 public:
  WeightMapReader(std::string_view text, std::string_view name)
      : m_text(text), m_name(name), m_reader(text, kIndexLimits) {}

  Result<WeightMap> read() {
    auto error = read_document();
    if (!error) {
      sort_by_name(m_map.entries, &WeightMap::Entry::tensor);
      const auto twin = std::ranges::adjacent_find(m_map.entries, {}, &WeightMap::Entry::tensor);
      if (twin != m_map.entries.end()) error = has_twice(twin->tensor);
    }
    if (!error) return std::move(m_map);
    // A text that is no JSON may also be the cause of other faults.
    auto valid = check_json(m_text, m_name, kIndexLimits);
    return valid ? *error : valid.error();
  }

 private:
  using Token = JsonReader::Token;

  Error corrupt(const std::string& fault) const {
    return {ErrorCode::kCorruptFile, std::string(m_name) + " " + fault + "; download it again"};
  }
  Error has_twice(const std::string& key) const {
    return corrupt("has the key \"" + for_message(key) + "\" twice");
  }

  std::optional<Error> read_document() {
    bool has_map = false;
    Token token = m_reader.next();
    if (token != Token::kObject) return corrupt("has no weight_map");
    while ((token = m_reader.next()) == Token::kKey) {
      const bool is_map = m_reader.text() == "weight_map";
      token = m_reader.next();
      if (!is_map) {
        m_reader.skip(token);
      } else if (std::exchange(has_map, true)) {
        return has_twice("weight_map");
      } else if (token != Token::kObject) {
        return corrupt("has no weight_map");
      } else if (auto error = read_map()) {
        return error;
      }
    }
    if (m_reader.next() != Token::kEnd || !has_map) return corrupt("has no weight_map");
    return std::nullopt;
  }

  std::optional<Error> read_map() {
    std::string tensor;
    while (m_reader.next() == Token::kKey) {
      tensor = m_reader.text();
      if (m_reader.next() != Token::kString || !is_plain_file_name(m_reader.text())) {
        return corrupt("gives no valid file name for the tensor \"" + for_message(tensor) + "\"");
      }
      m_map.entries.push_back({tensor, file_number(m_reader.text())});
    }
    return std::nullopt;
  }

  size_t file_number(std::string_view name) {
    const auto found = m_numbers.find(name);
    if (found != m_numbers.end()) return found->second;
    m_numbers.emplace(name, m_map.files.size());
    m_map.files.emplace_back(name);
    return m_map.files.size() - 1;
  }

  std::string_view m_text;
  std::string_view m_name;
  JsonReader m_reader;
  std::map<std::string, size_t, std::less<>> m_numbers;
  WeightMap m_map;
};

/// The text is freed before the shards' headers are read.
Result<WeightMap> read_weight_map(const fs::path& path) {
  const auto text = read_json_text(path, kIndexLimits);
  if (!text) return text.error();
  return WeightMapReader(*text, path.filename().string()).read();
}

}  // namespace

Result<std::unique_ptr<SafetensorsWeights>> SafetensorsWeights::open(const fs::path& folder) {
  const fs::path single = folder / "model.safetensors";
  const fs::path index = folder / "model.safetensors.index.json";
  std::error_code ignored;
  const bool is_single = fs::exists(single, ignored);
  if (!is_single && !fs::exists(index, ignored)) return no_weights(folder);
  std::unique_ptr<SafetensorsWeights> weights(new SafetensorsWeights);
  weights->m_where = fs::weakly_canonical(folder, ignored).filename().string();
  auto added = is_single ? weights->add_single(single) : weights->add_indexed(index);
  if (!added) return added.error();
  return weights;
}

Result<std::unique_ptr<SafetensorsWeights>> SafetensorsWeights::open_file(const fs::path& path) {
  std::unique_ptr<SafetensorsWeights> weights(new SafetensorsWeights);
  weights->m_where = path.filename().string();
  if (auto added = weights->add_single(path); !added) return added.error();
  return weights;
}

Result<SafetensorsWeights::Shard> SafetensorsWeights::open_shard(const fs::path& path,
                                                                 ShardSizes& sizes) {
  const auto file = OpenFile::open(path);
  if (!file) return file.error();
  const auto head = read_shard_head(*file);
  if (!head) return head.error();
  std::string name = path.filename().string();
  sizes.header_bytes += head->size();
  if (sizes.header_bytes > kMaxAllHeaderBytes) return too_much_of_shards(for_message(name));
  auto tensors = parse_safetensors_header(*head, file->size(), name);
  if (!tensors) return tensors.error();
  sizes.num_tensors += tensors->size();
  if (sizes.num_tensors > kMaxIndexedTensors) return too_much_of_shards(for_message(name));
  auto mapped = MappedFile::map(*file);
  if (!mapped) return mapped.error();
  return Shard{std::move(name), std::move(*mapped), std::move(*tensors)};
}

Result<void> SafetensorsWeights::add_single(const fs::path& path) {
  ShardSizes sizes;
  auto shard = open_shard(path, sizes);
  if (!shard) return shard.error();
  m_tensors = std::move(shard->tensors);
  m_file_of.assign(m_tensors.size(), 0);
  m_files.push_back(std::move(shard->file));
  m_file_names.push_back(std::move(shard->name));
  return {};
}

Result<void> SafetensorsWeights::add_indexed(const fs::path& index_path) {
  auto map = read_weight_map(index_path);
  if (!map) return map.error();
  constexpr size_t kNotOpened = SIZE_MAX;
  std::vector<size_t> opened(map->files.size(),
                             kNotOpened);  // Of each file, its place in `shards`.
  std::vector<Shard> shards;
  std::vector<size_t> next;  // Of each shard, the first of its tensors that may be the next one.
  ShardSizes sizes;
  m_tensors.reserve(map->entries.size());
  m_file_of.reserve(map->entries.size());
  for (const WeightMap::Entry& entry : map->entries) {
    size_t& place = opened[entry.file];
    if (place == kNotOpened) {
      auto shard = open_shard(index_path.parent_path() / map->files[entry.file], sizes);
      if (!shard) return shard.error();
      place = shards.size();
      shards.push_back(std::move(*shard));
      next.push_back(0);
    }
    std::vector<TensorInfo>& held = shards[place].tensors;
    size_t& at = next[place];
    while (at < held.size() && held[at].name < entry.tensor) ++at;
    if (at == held.size() || held[at].name != entry.tensor) {
      return Error{ErrorCode::kCorruptFile, index_path.filename().string() + " says that \"" +
                                                for_message(entry.tensor) + "\" is in " +
                                                for_message(map->files[entry.file]) +
                                                ", which does not hold it; download it again"};
    }
    m_tensors.push_back(std::move(held[at++]));
    m_file_of.push_back(place);
  }
  for (Shard& shard : shards) {
    m_files.push_back(std::move(shard.file));
    m_file_names.push_back(std::move(shard.name));
  }
  return {};
}

Result<DType> SafetensorsWeights::dtype_of(const TensorInfo& tensor) const {
  const auto dtype = supported_dtype(tensor.dtype);
  if (dtype && tensor.shape.size() <= ConstTensorView::kMaxRank) return *dtype;
  return make_error(ErrorCode::kUnsupported,
                    "%1: the tensor \"%2\" is %3, which Quire does not compute with",
                    {file_name(file_index(tensor)), for_message(tensor.name),
                     tensor.dtype + " " + shape_text(tensor.shape)});
}

}  // namespace quire
