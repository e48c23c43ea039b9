#include "kernels/cuda/weights/linear_packer.h"

#include <algorithm>
#include <utility>

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/weights/packing/host_rows.h"
#include "kernels/cuda/weights/packing/pack_units.h"

namespace quire::cuda {
namespace {

constexpr int64_t kSegmentAlignment = 256;

int64_t round_up(int64_t n, int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

int64_t segment_bytes(const LinearSegment& s, bool has_bf16) {
  if (s.dtype == DType::kF32) return s.num_outputs * s.row_stride * int64_t{sizeof(float)};
  const int64_t groups = (s.num_outputs + kUnitOutputs - 1) / kUnitOutputs;
  return groups * s.num_units * unit_size(s.dtype, has_bf16).bytes;
}

/// Neighbouring parts of one dtype form one segment; their memory is not there yet.
std::vector<LinearSegment> cut_into_segments(std::span<const ConstTensorView> parts,
                                             int64_t num_inputs, bool has_bf16) {
  std::vector<LinearSegment> segments;
  int64_t num_outputs = 0;
  for (const ConstTensorView& part : parts) {
    CHECK(part.rank() == 2 && is_weight_dtype(part.dtype()) &&
          has_shape(part, part.dtype(), {part.dim(0), num_inputs}));
    if (part.dim(0) == 0) continue;
    const DType dtype = part.dtype();
    if (segments.empty() || segments.back().dtype != dtype) {
      const int64_t units = (num_inputs - 1) / unit_size(dtype, has_bf16).inputs + 1;
      const int64_t row_stride = dtype == DType::kF32 ? round_up(num_inputs, 4) : 0;
      segments.push_back({dtype, num_outputs, 0, units, nullptr, row_stride});
    }
    segments.back().num_outputs += part.dim(0);
    num_outputs += part.dim(0);
  }
  CHECK(!segments.empty());
  return segments;
}

}  // namespace

LinearPacker::LinearPacker(CommandQueue& queue, size_t staging_bytes)
    : m_queue(queue), m_staging_bytes(staging_bytes) {
  CHECK(staging_bytes >= size_t{16} << 10);
}

LinearPacker::~LinearPacker() {
  for (const Staging& staging : m_staging) {
    // Transfers may still read it; failures have nobody to go to here.
    if (staging.taken != nullptr) {
      cudaEventSynchronize(staging.taken);
      cudaEventDestroy(staging.taken);
    }
    if (staging.memory != nullptr) cudaFreeHost(staging.memory);
  }
}

Result<void> LinearPacker::allocate_staging() {
  for (Staging& staging : m_staging) {
    if (staging.memory == nullptr) {
      void* memory = nullptr;
      const cudaError_t status = cudaMallocHost(&memory, m_staging_bytes);
      if (status != cudaSuccess) {
        cudaGetLastError();
        return cuda_error(status, "pinning memory for the upload of weights");
      }
      staging.memory = static_cast<uint8_t*>(memory);
    }
    if (staging.taken == nullptr) {
      const cudaError_t status = cudaEventCreateWithFlags(&staging.taken, cudaEventDisableTiming);
      if (status != cudaSuccess) {
        cudaGetLastError();
        return cuda_error(status, "the upload of weights");
      }
    }
  }
  if (m_queue.workspace(m_staging_bytes) == nullptr) return m_queue.take_failure();
  return {};
}

Result<void> LinearPacker::allocate(PackedWeight& weight) {
  const bool has_bf16 = m_queue.facts().has_bf16_products;
  int64_t bytes = 0;
  std::vector<int64_t> offsets;
  for (const LinearSegment& s : weight.m_segments) {
    offsets.push_back(bytes);
    bytes = round_up(bytes + segment_bytes(s, has_bf16), kSegmentAlignment);
  }
  auto memory = allocate_device(m_queue, static_cast<size_t>(bytes));
  if (!memory) return memory.error();
  weight.m_memory = std::move(*memory);
  for (size_t i = 0; i < offsets.size(); ++i) {
    weight.m_segments[i].data = static_cast<const uint8_t*>(weight.m_memory->data()) + offsets[i];
  }
  return {};
}

Result<std::unique_ptr<LinearWeight>> LinearPacker::pack(std::span<const ConstTensorView> parts) {
  CHECK(!parts.empty() && parts[0].rank() == 2 && parts[0].dim(1) > 0);
  m_queue.activate();  // Events belong to the device that is current when they are made.
  if (failed()) return m_queue.take_failure().error();
  const int64_t num_inputs = parts[0].dim(1);
  auto segments = cut_into_segments(parts, num_inputs, m_queue.facts().has_bf16_products);
  const LinearSegment& last = segments.back();
  auto weight = std::make_unique<PackedWeight>(last.first_output + last.num_outputs, num_inputs);
  weight->m_segments = std::move(segments);
  if (Result<void> staging = allocate_staging(); !staging) return staging.error();
  if (Result<void> allocated = allocate(*weight); !allocated) return allocated.error();

  auto part = parts.begin();
  for (const LinearSegment& segment : weight->m_segments) {
    auto end = part;
    for (int64_t rows = 0; rows < segment.num_outputs; ++end) rows += end->dim(0);
    upload_segment(segment, HostRows({part, end}), num_inputs);
    part = end;
  }
  if (failed()) return m_queue.take_failure().error();
  return std::unique_ptr<LinearWeight>(std::move(weight));
}

void LinearPacker::upload_segment(const LinearSegment& segment, const HostRows& rows,
                                  int64_t num_inputs) {
  const UnitSize unit = unit_size(segment.dtype, m_queue.facts().has_bf16_products);
  // As many rows as fit, or of very long rows as many inputs of one group as fit.
  const int64_t unit_bytes = dtype_span_bytes(segment.dtype, unit.inputs) * kUnitOutputs;
  const auto staging_bytes = static_cast<int64_t>(m_staging_bytes);
  const int64_t units = std::min((num_inputs - 1) / unit.inputs + 1, staging_bytes / unit_bytes);
  const int64_t groups = staging_bytes / (units * unit_bytes);

  RawPiece piece = {};
  piece.units_per_group = segment.num_units;
  for (int64_t row = 0; row < segment.num_outputs; row += groups * kUnitOutputs) {
    piece.num_rows = std::min(groups * kUnitOutputs, segment.num_outputs - row);
    for (int64_t input = 0; input < num_inputs && !failed(); input += units * unit.inputs) {
      piece.first_unit = input / unit.inputs;
      piece.num_inputs = std::min(units * unit.inputs, num_inputs - input);
      piece.pitch_bytes = dtype_span_bytes(segment.dtype, piece.num_inputs);
      upload_piece(segment, rows, row, piece);
    }
  }
}

void LinearPacker::upload_piece(const LinearSegment& segment, const HostRows& rows,
                                int64_t first_row, RawPiece piece) {
  const bool has_bf16 = m_queue.facts().has_bf16_products;
  const UnitSize unit = unit_size(segment.dtype, has_bf16);
  Staging& staging = m_staging[m_next];
  m_next ^= 1;
  m_queue.note(cudaEventSynchronize(staging.taken), "pack_linear");
  if (failed()) return;
  const int64_t begin = dtype_span_bytes(segment.dtype, piece.first_unit * unit.inputs);
  rows.copy(first_row, piece.num_rows, begin, begin + piece.pitch_bytes, staging.memory);

  void* const raw = m_queue.workspace(m_staging_bytes);
  m_queue.note(
      cudaMemcpyAsync(raw, staging.memory, static_cast<size_t>(piece.num_rows * piece.pitch_bytes),
                      cudaMemcpyHostToDevice, m_queue.stream()),
      "pack_linear");
  m_queue.note(cudaEventRecord(staging.taken, m_queue.stream()), "pack_linear");
  piece.rows = static_cast<const uint8_t*>(raw);
  auto* const data = const_cast<uint8_t*>(segment.data);
  if (segment.dtype == DType::kF32) {
    pack_floats(m_queue, piece, reinterpret_cast<float*>(data) + first_row * segment.row_stride,
                segment.row_stride);
  } else {
    pack_units(m_queue, segment.dtype, piece,
               data + first_row / kUnitOutputs * segment.num_units * unit.bytes);
  }
}

}  // namespace quire::cuda
