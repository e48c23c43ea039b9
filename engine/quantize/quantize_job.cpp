#include "engine/quantize/quantize_job.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/io/gguf_types.h"
#include "engine/io/text.h"
#include "engine/quantize/partial_file.h"
#include "engine/quantize/quantize_row.h"
#include "kernels/base/processor_cores.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

/// f32 numbers that all threads together convert between two writes.
constexpr int64_t kChunkNumbers = int64_t{4} << 20;
/// The widest that config.json may ask for. Each thread holds one row.
constexpr int64_t kMaxRowSize = int64_t{1} << 22;
/// ggml's GGML_QNT_VERSION: the version of the block formats, unchanged since the K types.
constexpr uint32_t kQuantizationVersion = 2;

bool is_converted(const SourceTensor& tensor, uint32_t type) {
  return tensor.type != type;
}

Error cancelled_error() {
  return {ErrorCode::kCancelled, "quantising was cancelled"};
}

/// One tensor's conversion, some rows at a time. Thread: work() any, on rows of its own.
class Conversion {
 public:
  Conversion(const SourceTensor& tensor, DType dtype, const RowReader& reader,
             std::span<const float> importance)
      : m_tensor(tensor),
        m_dtype(dtype),
        m_reader(reader),
        m_importance(importance),
        m_row_bytes(static_cast<size_t>(dtype_span_bytes(dtype, tensor.row_size()))) {}

  size_t row_bytes() const { return m_row_bytes; }

  /// Writes rows [first, last) to out. False if one holds what the type cannot.
  bool work(int64_t first, int64_t last, std::byte* out) const {
    std::vector<float> row(static_cast<size_t>(m_tensor.row_size()));
    const float largest = largest_quantizable(m_dtype);
    for (int64_t i = first; i < last; ++i, out += m_row_bytes) {
      m_reader.read(i, row.data());
      for (const float x : row) {
        if (!(std::fabs(x) <= largest)) return false;
      }
      quantize_row(m_dtype, row.data(), columns_of(i), m_tensor.row_size(), out);
    }
    return true;
  }

 private:
  /// The importance of a row's columns; of experts those of its expert.
  const float* columns_of(int64_t row) const {
    if (m_importance.empty()) return nullptr;
    const int64_t sets = static_cast<int64_t>(m_importance.size()) / m_tensor.row_size();
    const int64_t set = row / (m_tensor.num_rows() / sets);
    return m_importance.data() + set * m_tensor.row_size();
  }

  const SourceTensor& m_tensor;
  DType m_dtype;
  const RowReader& m_reader;
  std::span<const float> m_importance;
  size_t m_row_bytes;
};

/// Rows [first, last) on all threads.
bool convert_rows(const Conversion& conversion, int64_t first, int64_t last, int num_threads,
                  std::byte* out) {
  const int64_t count = last - first;
  const int64_t parts = std::clamp<int64_t>(num_threads, 1, count);
  std::atomic<bool> is_good = true;
  const auto work = [&](int64_t part) {
    const int64_t begin = count * part / parts, end = count * (part + 1) / parts;
    std::byte* const to = out + static_cast<size_t>(begin) * conversion.row_bytes();
    if (!conversion.work(first + begin, first + end, to)) is_good = false;
  };
  std::vector<std::jthread> threads;
  int64_t begun = 1;
  try {
    for (; begun < parts; ++begun) threads.emplace_back(work, begun);
  } catch (const std::system_error&) {
    // The system has no more threads: this one does the rest.
    for (int64_t part = begun; part < parts; ++part) work(part);
  }
  work(0);
  threads.clear();
  return is_good;
}

/// Writes the tensors of a plan into a partial file, from the first that it lacks.
class Job {
 public:
  Job(TensorSource& source, const QuantizeOptions& options, const QuantizePlan& plan,
      PartialFile& file)
      : m_source(source), m_options(options), m_plan(plan), m_file(file) {}

  Result<void> run() {
    if (m_file.num_parts() == 0) {
      const std::string& header = m_plan.layout.header;
      if (auto written = append(std::as_bytes(std::span(header))); !written) return written;
      if (auto ended = m_file.end_part(); !ended) return ended;
    }
    for (size_t i = m_file.num_parts() == 0 ? 0 : m_file.num_parts() - 1; i < m_plan.tensors.size();
         ++i) {
      if (auto written = write_tensor(i); !written) return written;
    }
    return {};
  }

  /// Whether it failed because of what the source holds, so that resuming would fail again.
  bool is_source_unusable() const { return m_is_source_unusable; }

 private:
  bool is_cancelled() const {
    return m_options.cancelled != nullptr && m_options.cancelled->load(std::memory_order_relaxed);
  }

  Result<void> append(std::span<const std::byte> bytes) {
    if (is_cancelled()) return cancelled_error();
    if (auto written = m_file.append(bytes); !written) return written;
    if (m_options.progress) m_options.progress(m_file.size(), m_plan.layout.file_bytes);
    return {};
  }

  Result<void> write_tensor(size_t index) {
    const SourceTensor& tensor = m_plan.tensors[index];
    auto written = is_converted(tensor, m_plan.types[index]) ? convert(index) : copy(tensor);
    if (!written) return written;
    const uint64_t bytes = m_plan.layout.tensors[index].bytes;
    const std::vector<std::byte> padding((kGgufAlignment - bytes % kGgufAlignment) %
                                         kGgufAlignment);
    if (auto padded = append(padding); !padded) return padded;
    // A part that is ended is not read again, also if it is of a file that was cut meanwhile.
    if (auto whole = m_source.weights().check_whole(); !whole) return whole;
    m_source.release(tensor);
    return m_file.end_part();
  }

  /// The tensor as it is stored, in pieces; of floats only finite numbers.
  Result<void> copy(const SourceTensor& tensor) {
    std::span<const std::byte> bytes = m_source.stored(tensor);
    if (bytes.empty()) return convert_to(tensor, tensor.type);
    const auto dtype =
        find_ggml_type(tensor.type) ? find_ggml_type(tensor.type)->dtype : std::optional<DType>();
    if (dtype && !is_quantized(*dtype) && *dtype != DType::kI32) {
      return convert_to(tensor, tensor.type);
    }
    constexpr size_t kPiece = size_t{16} << 20;
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(bytes.size(), kPiece));
      if (auto written = append(piece); !written) return written;
      bytes = bytes.subspan(piece.size());
    }
    return {};
  }

  Result<void> convert(size_t index) {
    return convert_to(m_plan.tensors[index], m_plan.types[index]);
  }

  Result<void> convert_to(const SourceTensor& tensor, uint32_t type) {
    auto reader = m_source.open(tensor);
    if (!reader) return reader.error();
    const Conversion conversion(tensor, *find_ggml_type(type)->dtype, **reader,
                                importance_of(tensor));
    const int threads = m_options.num_threads > 0 ? m_options.num_threads : num_usable_cores();
    const int64_t step = std::max<int64_t>(kChunkNumbers / tensor.row_size(), 1);
    std::vector<std::byte> out;
    for (int64_t row = 0; row < tensor.num_rows(); row += step) {
      if (is_cancelled()) return cancelled_error();
      const int64_t last = std::min(row + step, tensor.num_rows());
      out.resize(static_cast<size_t>(last - row) * conversion.row_bytes());
      if (!convert_rows(conversion, row, last, threads, out.data())) {
        return not_a_number(tensor, type);
      }
      if (auto written = append(out); !written) return written;
    }
    return {};
  }

  std::span<const float> importance_of(const SourceTensor& tensor) const {
    if (m_options.importance == nullptr) return {};
    const auto at = m_options.importance->columns.find(tensor.name);
    if (at == m_options.importance->columns.end()) return {};
    const auto size = static_cast<int64_t>(at->second.size());
    const bool fits = size == tensor.row_size() ||
                      (tensor.shape.size() == 3 && size == tensor.shape[0] * tensor.row_size());
    return fits ? std::span<const float>(at->second) : std::span<const float>();
  }

  Error not_a_number(const SourceTensor& tensor, uint32_t type) {
    m_is_source_unusable = true;
    return make_error(
        ErrorCode::kCorruptFile,
        "the tensor %1 of %2 holds NaN, infinity or numbers too large for %3; "
        "download the model again, or choose F32 or BF16",
        {for_message(tensor.name), for_message(m_source.weights().where()), ggml_type_name(type)});
  }

  TensorSource& m_source;
  const QuantizeOptions& m_options;
  const QuantizePlan& m_plan;
  PartialFile& m_file;
  bool m_is_source_unusable = false;
};

/// What is written, so that another job's partial file is not continued: the source, the layout and
/// the importance.
std::string describe_job(TensorSource& source, const QuantizeOptions& options,
                         const QuantizePlan& plan) {
  Sha256 hash;
  source.weights().hash_into(hash);
  hash.update_field(plan.layout.header);
  if (options.importance != nullptr) {
    for (const auto& [name, columns] : options.importance->columns) {
      hash.update_field(name);
      hash.update(std::as_bytes(std::span(columns)));
    }
  }
  return to_hex(hash.finish());
}

Result<void> check_space(const QuantizeOptions& options, const PartialFile& file,
                         uint64_t file_bytes) {
  std::error_code failed;
  const fs::path parent =
      options.output.has_parent_path() ? options.output.parent_path() : fs::path(".");
  const fs::space_info space = fs::space(parent, failed);
  const uint64_t needed = file_bytes - std::min(file.size(), file_bytes);
  if (failed || space.available >= needed) return {};
  return make_error(
      ErrorCode::kIo,
      "the disk of %1 has %2 bytes left, and %3 more are needed; free some space, or "
      "choose another folder",
      {options.output.string(), with_separators(space.available), with_separators(needed)});
}

/// The header, then each tensor with its padding.
std::vector<uint64_t> part_bytes_of(const GgufLayout& layout) {
  std::vector<uint64_t> bytes = {layout.header.size()};
  for (const GgufTensorPlan& tensor : layout.tensors) {
    bytes.push_back((tensor.bytes + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment);
  }
  return bytes;
}

GgufMetadata metadata_of(const TensorSource& source, const QuantizeOptions& options) {
  GgufMetadata metadata = source.metadata();
  metadata.set_u32("general.file_type", options.recipe.file_type);
  metadata.set_u32("general.quantization_version", kQuantizationVersion);
  if (options.importance != nullptr) {
    metadata.set_u32("quantize.imatrix.entries_count",
                     static_cast<uint32_t>(options.importance->columns.size()));
    metadata.set_u32("quantize.imatrix.chunks_count", 1);
  }
  return metadata;
}

/// Whether the tensor can become one of that type: its numbers can be read, and rows of it fit into
/// memory.
Result<void> check_tensor(TensorSource& source, const SourceTensor& tensor, uint32_t type) {
  const std::string name = for_message(tensor.name), where = for_message(source.weights().where());
  if (tensor.row_size() > kMaxRowSize) {
    return make_error(ErrorCode::kUnsupported,
                      "the tensor %1 of %2 has rows of %3 numbers, and Quire converts at most %4; "
                      "choose another model",
                      {name, where, with_separators(static_cast<uint64_t>(tensor.row_size())),
                       with_separators(static_cast<uint64_t>(kMaxRowSize))});
  }
  const GgmlType* const from = find_ggml_type(tensor.type);
  const bool is_copied = !is_converted(tensor, type) && !source.stored(tensor).empty();
  if (from != nullptr && (is_copied || (from->dtype && is_weight_dtype(*from->dtype)))) return {};
  return make_error(ErrorCode::kUnsupported,
                    "the tensor %1 of %2 is %3, which Quire cannot convert; take the model in "
                    "F32, F16 or BF16",
                    {name, where, ggml_type_name(tensor.type)});
}

}  // namespace

Result<QuantizePlan> plan_quantization(TensorSource& source, const QuantizeOptions& options) {
  QuantizePlan plan;
  plan.tensors.assign(source.tensors().begin(), source.tensors().end());
  plan.types = choose_types(options.recipe, options.pure,
                            recipe_facts(source, options.importance != nullptr), plan.tensors);
  std::vector<GgufTensorPlan> tensors;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const SourceTensor& tensor = plan.tensors[i];
    if (auto convertible = check_tensor(source, tensor, plan.types[i]); !convertible) {
      return convertible.error();
    }
    const GgmlType* const type = find_ggml_type(plan.types[i]);
    const uint64_t elements =
        static_cast<uint64_t>(tensor.num_rows()) * static_cast<uint64_t>(tensor.row_size());
    tensors.push_back({.name = tensor.name,
                       .type = type->id,
                       .shape = tensor.shape,
                       .bytes = elements / type->block_elements * type->block_bytes});
  }
  plan.layout = lay_out_gguf(metadata_of(source, options), std::move(tensors));
  return plan;
}

Result<QuantizePlan> quantize_model(TensorSource& source, const QuantizeOptions& options) {
  auto plan = plan_quantization(source, options);
  if (!plan) return plan;
  auto file = PartialFile::open({.path = options.output,
                                 .job = describe_job(source, options, *plan),
                                 .first = plan->layout.header,
                                 .part_bytes = part_bytes_of(plan->layout),
                                 .resume = options.resume});
  if (!file) return file.error();
  if (auto space = check_space(options, *file, plan->layout.file_bytes); !space) {
    if (file->num_parts() == 0) file->discard();
    return space.error();
  }
  Job job(source, options, *plan, *file);
  if (auto done = job.run(); !done) {
    if (job.is_source_unusable()) file->discard();
    return done.error();
  }
  if (auto finished = file->finish(); !finished) return finished.error();
  return plan;
}

}  // namespace quire
