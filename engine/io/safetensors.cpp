#include "engine/io/safetensors.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/io/json_file.h"
#include "engine/io/read_file.h"
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

/// The largest real folder, Kimi-K2 in NVFP4, lists 276,480 tensors, in an estimated 27 MB. A
/// folder at these limits takes some 2 seconds and 200 MB, of the 5 and 400 that a trial has and
/// the 2 and 300 that hostile files may take. With 1,200,000 values, 48 MiB and 2^19 tensors, it
/// takes over 3.
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
bool is_plain_file_name(const std::string& name) {
  constexpr size_t kMaxBytes = 255;
  const bool is_printable =
      std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 127; });
  return !name.empty() && name.size() <= kMaxBytes && name != "." && name != ".." && is_printable &&
         name.find_first_of("/\\") == std::string::npos;
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
  const std::string index_name = index_path.filename().string();
  auto index = read_json(index_path, kIndexLimits);
  if (!index) return index.error();
  const auto corrupt = [&](const std::string& fault) {
    return Error{ErrorCode::kCorruptFile, index_name + " " + fault + "; download it again"};
  };
  if (!index->is_object() || !index->contains("weight_map") ||
      !(*index)["weight_map"].is_object()) {
    return corrupt("has no weight_map");
  }
  std::map<std::string, size_t> file_numbers;
  std::vector<Shard> shards;
  std::vector<size_t> places;  // Of each tensor within its shard.
  ShardSizes sizes;
  for (const auto& [tensor, file] : (*index)["weight_map"].items()) {  // Sorted by tensor.
    if (!file.is_string() || !is_plain_file_name(file.get<std::string>())) {
      return corrupt("gives no valid file name for the tensor \"" + for_message(tensor) + "\"");
    }
    const auto [at, is_new] = file_numbers.emplace(file.get<std::string>(), shards.size());
    if (is_new) {
      auto shard = open_shard(index_path.parent_path() / at->first, sizes);
      if (!shard) return shard.error();
      shards.push_back(std::move(*shard));
    }
    const auto& held = shards[at->second].tensors;
    const auto found = std::ranges::lower_bound(held, tensor, {}, &TensorInfo::name);
    if (found == held.end() || found->name != tensor) {
      return corrupt("says that \"" + for_message(tensor) + "\" is in " + for_message(at->first) +
                     ", which does not hold it");
    }
    places.push_back(static_cast<size_t>(found - held.begin()));
    m_file_of.push_back(at->second);
  }
  // Moved when all are found, so that they are not in memory twice.
  m_tensors.reserve(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    m_tensors.push_back(std::move(shards[m_file_of[i]].tensors[places[i]]));
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
