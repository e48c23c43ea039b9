#include "engine/models/weight_loader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/io/text.h"
#include "engine/models/expert_layouts.h"
#include "engine/models/weight_vectors.h"

namespace quire {
namespace {

constexpr char kRemedy[] = "; download it again, or choose another conversion";
/// Numbers of one tensor, and of all tensors of a model, that are kept as f32. gpt-oss-120b, whose
/// experts have biases, has 0.7 million and 40 million.
constexpr int64_t kMaxFloats = int64_t{1} << 23;
constexpr int64_t kMaxAllFloats = int64_t{1} << 27;

float element_as_f32(ConstTensorView tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kF16:
      return f16_to_f32(tensor.as<uint16_t>()[i]);
    case DType::kBF16:
      return bf16_to_f32(tensor.as<uint16_t>()[i]);
    default:
      return tensor.as<float>()[i];
  }
}

bool has_dims(ConstTensorView tensor, const std::vector<int64_t>& shape) {
  bool is_same = tensor.rank() == static_cast<int>(shape.size());
  for (int d = 0; is_same && d < tensor.rank(); ++d) {
    is_same = tensor.dim(d) == shape[static_cast<size_t>(d)];
  }
  return is_same;
}

uint64_t span_bytes(ConstTensorView tensor) {
  return static_cast<uint64_t>(dtype_span_bytes(tensor.dtype(), tensor.num_elements()));
}

}  // namespace

WeightLoader::WeightLoader(WeightSource& source, WeightConventions conventions, Backend& backend,
                           const LoadOptions& options)
    : m_source(source),
      m_conventions(std::move(conventions)),
      m_backend(&backend),
      m_used_backends{&backend},
      m_options(options) {
  const std::string head = m_conventions.names.in_file("output.weight");
  for (const TensorInfo& tensor : source.tensors()) {
    const bool is_read = tensor.name == head || m_conventions.names.changes_results(tensor.name);
    if (is_read) m_total_bytes += tensor.bytes;
  }
}

bool WeightLoader::has(const std::string& name) const {
  return m_source.find(m_conventions.names.in_file(name)) != nullptr;
}

int64_t WeightLoader::num_rows(const std::string& name) const {
  const TensorInfo* info = m_source.find(m_conventions.names.in_file(name));
  return info == nullptr || info->shape.empty() ? 0 : info->shape[0];
}

std::unique_ptr<LinearWeight> WeightLoader::linear(std::span<const Part> parts,
                                                   int64_t num_inputs) {
  std::vector<ConstTensorView> views;
  std::vector<std::vector<std::byte>> transposed;
  std::vector<WeightRows> rows;
  uint64_t bytes = 0;
  for (const Part& part : parts) {
    rows.push_back({m_conventions.names.in_file(part.name), part.num_outputs});
    const ConstTensorView view = matrix(rows.back().name, part, num_inputs, transposed);
    if (!may_go_on()) return nullptr;
    bytes += span_bytes(view);
    append_in_order(views, view, part, m_conventions);
  }
  auto vectors = read_weight_vectors(m_source, rows, m_read);
  if (!vectors) {
    fail(vectors.error());
    return nullptr;
  }
  const bool is_read_by_rows = parts[0].is_table && parts[0].name != "output.weight";
  if (is_read_by_rows && !vectors->empty()) {
    fail_tensor(ErrorCode::kUnsupported, rows[0].name,
                "is quantised in act-order or as NVFP4, which embeddings cannot be");
    return nullptr;
  }
  vectors->append_to(views);
  auto weight = pack(views);
  for (const WeightRows& of : rows) release(of.name);
  if (weight) advance(bytes);
  return weight;
}

void WeightLoader::add_slot(Linear& linear, std::vector<Part> parts, int64_t num_inputs) {
  linear.adapters = std::make_shared<LinearAdapters>();
  m_slots.push_back({std::move(parts), num_inputs, m_conventions.format, linear.adapters});
}

std::unique_ptr<LinearWeight> WeightLoader::padded_table(const std::string& name,
                                                         int64_t rows_in_file, int64_t num_rows,
                                                         int64_t num_inputs) {
  const std::string file_name = m_conventions.names.in_file(name);
  const ConstTensorView view = checked(file_name, {rows_in_file, num_inputs});
  if (!may_go_on()) return nullptr;
  std::vector<ConstTensorView> views = {view};
  for (int64_t row = rows_in_file; row < num_rows; ++row) views.push_back(view.rows(0, 1));
  auto weight = pack(views);
  release(file_name);
  if (weight) advance(span_bytes(view));
  return weight;
}

DeviceTensor WeightLoader::vector(std::span<const Part> parts) {
  std::vector<float> values;
  for (const Part& part : parts) {
    const std::string file_name = m_conventions.names.in_file(part.name);
    const TensorInfo* const info = m_source.find(file_name);
    // ERNIE's files keep some vectors as matrices of one row.
    const bool is_row = info != nullptr && info->shape.size() == 2 && info->shape[0] == 1;
    std::vector<float> more =
        is_row ? floats(file_name, {1, part.num_outputs}) : floats(file_name, {part.num_outputs});
    if (!may_go_on()) return {};
    more = in_order(more, part, m_conventions);
    values.insert(values.end(), more.begin(), more.end());
  }
  const auto count = static_cast<int64_t>(values.size());
  return upload(std::move(values), {count});
}

Norm WeightLoader::norm(const std::string& name, int64_t num_elements, NormKind kind, float eps) {
  std::vector<float> values = floats(m_conventions.names.in_file(name + ".weight"), {num_elements});
  if (!may_go_on()) return {};
  const bool is_last = m_conventions.keeps_last_norm && name == "output_norm";
  if (m_conventions.norms_minus_one && !is_last) {
    for (float& value : values) value += 1.0f;
  }
  DeviceTensor weight = upload(std::move(values), {num_elements});
  if (kind == NormKind::kRms) return {std::move(weight), eps};
  DeviceTensor bias;
  const Part part[] = {{name + ".bias", num_elements}};
  if (kind == NormKind::kLayerWithBias) bias = vector(part);
  return {std::move(weight), std::move(bias), eps};
}

Norm WeightLoader::scaled_norm(const std::string& name, int64_t num_elements, double factor,
                               float eps) {
  std::vector<float> values = floats(m_conventions.names.in_file(name), {num_elements});
  if (!may_go_on()) return {};
  for (float& value : values) value = static_cast<float>(value * factor);
  return {upload(std::move(values), {num_elements}), eps};
}

/// The numbers of a tensor (rows, columns), of whose shape dimensions of 1 do not count.
std::vector<float> WeightLoader::squeezed(const std::string& name, int64_t rows, int64_t columns) {
  const std::string file_name = m_conventions.names.in_file(name);
  const auto squeeze = [](std::vector<int64_t> shape) {
    std::erase(shape, 1);
    return shape;
  };
  std::vector<int64_t> shape = {rows};
  if (columns > 1) shape.push_back(columns);
  const TensorInfo* const info = m_source.find(file_name);
  const bool is_same =
      info != nullptr && info->shape.size() <= 3 && squeeze(info->shape) == squeeze(shape);
  return floats(file_name, is_same ? info->shape : shape);
}

DeviceTensor WeightLoader::parameters(const std::string& name, int64_t rows, int64_t columns) {
  std::vector<float> values = squeezed(name, rows, columns);
  if (!may_go_on()) return {};
  return columns == 1 ? upload(std::move(values), {rows})
                      : upload(std::move(values), {rows, columns});
}

DeviceTensor WeightLoader::decays(const std::string& name, int64_t size) {
  std::vector<float> values = squeezed(name, size, 1);
  if (!may_go_on()) return {};
  if (m_conventions.stores_log_decays) {
    for (float& value : values) value = -std::exp(value);
  }
  return upload(std::move(values), {size});
}

float WeightLoader::number(const std::string& name, std::optional<float> fallback) {
  const std::string file_name = m_conventions.names.in_file(name);
  if (fallback && m_source.find(file_name) == nullptr) return *fallback;
  const std::vector<float> values = squeezed(name, 1, 1);
  if (!may_go_on()) return 0.0f;
  if (std::isfinite(values.at(0))) return values[0];
  fail_tensor(ErrorCode::kCorruptFile, file_name,
              std::string("holds something else than a finite number") + kRemedy);
  return 0.0f;
}

DeviceTensor WeightLoader::filled(int64_t num_elements, float value) {
  if (!may_go_on()) return {};
  return upload(std::vector<float>(static_cast<size_t>(num_elements), value), {num_elements});
}

void WeightLoader::place_on(Backend& backend) {
  m_backend = &backend;
  m_used_backends.insert(&backend);
}

Result<void> WeightLoader::finish() {
  if (m_options.stepped && !m_error) {
    m_options.stepped(LoadStep::kPreparing, m_done_bytes, m_total_bytes);
  }
  Result<void> waited = {};
  for (Backend* const backend : m_used_backends) {
    if (auto done = backend->synchronize(); !done && waited) waited = done.error();
  }
  m_in_flight.clear();
  if (!m_error) refuse_unread();
  if (m_error) return *m_error;
  // The total includes a head that is not read with tied embeddings.
  if (waited && m_done_bytes < m_total_bytes) advance(m_total_bytes - m_done_bytes);
  return waited;
}

/// A tensor that was not read may be a layer or a bias that the config does not mention.
void WeightLoader::refuse_unread() {
  std::ranges::sort(m_read);
  for (const TensorInfo& tensor : m_source.tensors()) {
    if (std::ranges::binary_search(m_read, &tensor)) continue;
    if (!m_conventions.names.changes_results(tensor.name)) continue;
    return fail_tensor(ErrorCode::kUnsupported, for_message(tensor.name),
                       std::string("is not one that ") + m_conventions.config_name +
                           " asks for; without it the answers would be wrong, so choose another "
                           "conversion of the model");
  }
}

/// Whether the tensor exists and has the shape that the config requires; records the error.
bool WeightLoader::has_shape(const std::string& file_name, const std::vector<int64_t>& shape) {
  if (!may_go_on()) return false;
  const TensorInfo* info = m_source.find(file_name);
  if (info == nullptr) {
    fail({ErrorCode::kNotFound, "the tensor " + file_name + " is missing from " +
                                    for_message(m_source.where()) + kRemedy});
    return false;
  }
  m_read.push_back(info);
  if (std::equal(shape.begin(), shape.end(), info->shape.begin(), info->shape.end())) return true;
  fail_tensor(ErrorCode::kCorruptFile, file_name,
              "has the shape " + shape_text(info->shape) + ", but " + m_conventions.config_name +
                  " asks for " + shape_text(shape) + kRemedy);
  return false;
}

/// The matrix (part.num_outputs, num_inputs). Where the files store it transposed, or a single row
/// as a vector, in another shape; `transposed` then holds it.
ConstTensorView WeightLoader::matrix(const std::string& file_name, const Part& part,
                                     int64_t num_inputs,
                                     std::vector<std::vector<std::byte>>& transposed) {
  const int64_t num_rows = part.num_outputs + part.first_row;
  const TensorInfo* const info = m_source.find(file_name);
  if (num_rows == 1 && info != nullptr && info->shape.size() == 1) {
    const ConstTensorView row = checked(file_name, {num_inputs});
    return row.empty() ? row : ConstTensorView(row.data(), row.dtype(), {1, num_inputs});
  }
  if (!m_conventions.transposes_linears || part.is_table) {
    const ConstTensorView view = checked(file_name, {num_rows, num_inputs});
    return view.empty() ? view : view.rows(part.first_row, part.num_outputs);
  }
  const ConstTensorView view = checked(file_name, {num_inputs, num_rows});
  if (view.empty() || m_options.check_only) {
    return {view.data(), view.dtype(), {part.num_outputs, num_inputs}};
  }
  transposed.push_back(transpose_expert(view, /*interleaved=*/false));
  return {transposed.back().data(), view.dtype(), {part.num_outputs, num_inputs}};
}

/// The tensor, if it exists, has the required shape and a supported dtype.
ConstTensorView WeightLoader::checked(const std::string& file_name,
                                      const std::vector<int64_t>& shape) {
  if (!has_shape(file_name, shape)) return {};
  auto view = m_options.check_only ? m_source.described(file_name) : m_source.tensor(file_name);
  if (!view) {
    fail(view.error());
    return {};
  }
  // A source that lists one tensor and reads another by its name must not get past here.
  if (!has_dims(*view, shape)) {
    fail_tensor(ErrorCode::kCorruptFile, file_name,
                std::string("is listed and read in different shapes") + kRemedy);
    return {};
  }
  if (!is_weight_dtype(view->dtype())) {
    fail_tensor(ErrorCode::kUnsupported, file_name,
                std::string("is " + std::string(dtype_name(view->dtype())) +
                            "; weights are f32, f16, bf16 or quantised") +
                    kRemedy);
    return {};
  }
  return *view;
}

/// Whether there are not too many numbers that are kept as f32; records the error. A sparse file
/// can claim any number of them.
bool WeightLoader::limit_floats(const std::string& file_name, int64_t count) {
  m_num_floats += count;
  if (count <= kMaxFloats && m_num_floats <= kMaxAllFloats) return true;
  const auto most = static_cast<uint64_t>(count > kMaxFloats ? kMaxFloats : kMaxAllFloats);
  fail_tensor(
      ErrorCode::kUnsupported, file_name,
      std::string(count > kMaxFloats ? "has more numbers than Quire reads of a norm or bias, "
                                     : "has numbers beyond those that Quire reads of all norms and "
                                       "biases, ") +
          with_separators(most) + "; choose another conversion");
  return false;
}

std::vector<float> WeightLoader::floats(const std::string& file_name,
                                        const std::vector<int64_t>& shape) {
  ConstTensorView view = checked(file_name, shape);
  if (!may_go_on() || !limit_floats(file_name, view.num_elements())) return {};
  if (is_quantized(view.dtype())) {
    fail_tensor(ErrorCode::kUnsupported, file_name,
                "is " + std::string(dtype_name(view.dtype())) +
                    "; norms and biases are f32, f16 or bf16" + kRemedy);
    return {};
  }
  std::vector<float> values(static_cast<size_t>(view.num_elements()));
  // A trial reads only single numbers, which number() checks.
  if (!m_options.check_only || values.size() == 1) {
    auto aligned = m_source.tensor(file_name);
    if (!aligned) {
      fail(aligned.error());
      return {};
    }
    view = *aligned;
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = element_as_f32(view, static_cast<int64_t>(i));
    }
  }
  advance(span_bytes(view));
  m_source.release(file_name);
  return values;
}

std::unique_ptr<LinearWeight> WeightLoader::pack(std::span<const ConstTensorView> parts) {
  auto weight = m_backend->pack_linear(parts);
  if (!weight) {
    fail(weight.error());
    return nullptr;
  }
  return std::move(*weight);
}

DeviceTensor WeightLoader::upload(std::vector<float> values, std::initializer_list<int64_t> shape) {
  auto tensor = allocate_tensor(*m_backend, DType::kF32, shape);
  if (!tensor) {
    fail(tensor.error());
    return {};
  }
  m_backend->upload(tensor->view.data(), values.data(), values.size() * sizeof(float));
  if (!m_options.check_only) m_in_flight.push_back(std::move(values));
  return std::move(*tensor);
}

void WeightLoader::fail_tensor(ErrorCode code, const std::string& file_name,
                               const std::string& what) {
  fail({code, "the tensor " + file_name + " of " + for_message(m_source.where()) + " " + what});
}

bool WeightLoader::may_go_on() {
  if (m_options.cancelled != nullptr && m_options.cancelled->load(std::memory_order_relaxed)) {
    fail({ErrorCode::kCancelled, "loading the model was cancelled"});
  }
  return !m_error;
}

void WeightLoader::advance(uint64_t bytes) {
  m_done_bytes += bytes;
  if (m_options.stepped) m_options.stepped(LoadStep::kWeights, m_done_bytes, m_total_bytes);
  if (!m_options.progress || m_total_bytes == 0) return;
  const double fraction = static_cast<double>(m_done_bytes) / static_cast<double>(m_total_bytes);
  m_options.progress(static_cast<float>(std::min(fraction, 1.0)));
}

void WeightLoader::fail(const Error& error) {
  if (!m_error) m_error = error;
}

}  // namespace quire
