#include "engine/models/weight_loader.h"

#include <algorithm>
#include <utility>

#include "engine/io/text.h"

namespace quire {
namespace {

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

}  // namespace

WeightLoader::WeightLoader(WeightSource& source, Backend& backend, const LoadOptions& options)
    : m_source(source), m_backend(backend), m_options(options) {
  for (const TensorInfo& tensor : source.tensors()) m_total_bytes += tensor.bytes;
}

std::unique_ptr<LinearWeight> WeightLoader::linear(std::initializer_list<Part> parts,
                                                   int64_t num_inputs) {
  std::vector<ConstTensorView> views;
  for (const Part& part : parts)
    views.push_back(checked(part.name, {part.num_outputs, num_inputs}));
  if (!may_go_on()) return nullptr;
  auto weight = m_backend.pack_linear(views);
  if (!weight) {
    fail(weight.error());
    return nullptr;
  }
  for (ConstTensorView view : views) advance(view);
  return std::move(*weight);
}

DeviceTensor WeightLoader::vector(std::initializer_list<Part> parts) {
  std::vector<float> values;
  for (const Part& part : parts) {
    const ConstTensorView view = checked(part.name, {part.num_outputs});
    if (!may_go_on()) return {};
    for (int64_t i = 0; i < part.num_outputs; ++i) values.push_back(element_as_f32(view, i));
    advance(view);
  }
  auto tensor = allocate_tensor(m_backend, DType::kF32, {static_cast<int64_t>(values.size())});
  if (!tensor) {
    fail(tensor.error());
    return {};
  }
  m_backend.upload(tensor->view.data(), values.data(), values.size() * sizeof(float));
  m_in_flight.push_back(std::move(values));
  return std::move(*tensor);
}

DeviceTensor WeightLoader::table(const std::string& name, int64_t num_rows, int64_t num_columns) {
  const ConstTensorView view = checked(name, {num_rows, num_columns});
  if (!may_go_on()) return {};
  auto tensor = allocate_tensor(m_backend, view.dtype(), {num_rows, num_columns});
  if (!tensor) {
    fail(tensor.error());
    return {};
  }
  m_backend.upload(tensor->view.data(), view.data(),
                   static_cast<size_t>(view.num_elements() * dtype_bytes(view.dtype())));
  advance(view);
  return std::move(*tensor);
}

Result<void> WeightLoader::finish() {
  auto waited = m_backend.synchronize();
  m_in_flight.clear();
  if (m_error) return *m_error;
  return waited;
}

/// The tensor, if it is there, has the shape that the config asks for and may be computed with.
ConstTensorView WeightLoader::checked(const std::string& name,
                                      std::initializer_list<int64_t> shape) {
  if (!may_go_on()) return {};
  const TensorInfo* info = m_source.find(name);
  if (info == nullptr) {
    fail({ErrorCode::kNotFound, "the tensor " + name + " is missing from the model's files"});
    return {};
  }
  if (!std::equal(shape.begin(), shape.end(), info->shape.begin(), info->shape.end())) {
    fail({ErrorCode::kCorruptFile, "the tensor " + name + " has the shape " +
                                       shape_text(info->shape) + "; config.json asks for " +
                                       shape_text(std::span(shape.begin(), shape.size()))});
    return {};
  }
  auto view = m_source.tensor(name);
  if (view && view->dtype() == DType::kI32) {
    fail({ErrorCode::kUnsupported, "the tensor " + name + " is i32; weights are f32, f16 or bf16"});
    return {};
  }
  if (!view) {
    fail(view.error());
    return {};
  }
  return *view;
}

bool WeightLoader::may_go_on() {
  if (m_options.cancelled != nullptr && m_options.cancelled->load(std::memory_order_relaxed)) {
    fail({ErrorCode::kCancelled, "loading the model was cancelled"});
  }
  return !m_error;
}

void WeightLoader::advance(ConstTensorView tensor) {
  m_done_bytes += static_cast<uint64_t>(tensor.num_elements() * dtype_bytes(tensor.dtype()));
  if (!m_options.progress || m_total_bytes == 0) return;
  // A tied embedding is loaded twice, and a file may hold tensors that are not loaded at all.
  const double fraction = static_cast<double>(m_done_bytes) / static_cast<double>(m_total_bytes);
  m_options.progress(static_cast<float>(std::min(fraction, 1.0)));
}

void WeightLoader::fail(const Error& error) {
  if (!m_error) m_error = error;
}

}  // namespace quire
