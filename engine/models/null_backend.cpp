#include "engine/models/null_backend.h"

namespace quire {
namespace {

class NullWeight final : public LinearWeight {
 public:
  explicit NullWeight(std::span<const ConstTensorView> parts) : m_num_inputs(parts[0].dim(1)) {
    for (const ConstTensorView& part : parts) {
      m_num_outputs += part.dim(0);
      m_bytes += static_cast<size_t>(part.dim(0) * dtype_span_bytes(part.dtype(), m_num_inputs));
    }
  }
  int64_t num_outputs() const override { return m_num_outputs; }
  int64_t num_inputs() const override { return m_num_inputs; }
  size_t size_bytes() const override { return m_bytes; }

 private:
  int64_t m_num_outputs = 0;
  int64_t m_num_inputs;
  size_t m_bytes = 0;
};

}  // namespace

DeviceInfo NullBackend::info() const {
  DeviceInfo info;
  info.name = "null";
  return info;
}

Result<std::unique_ptr<DeviceBuffer>> NullBackend::allocate(size_t bytes) {
  static char address;  // Not to be read or written.
  return std::make_unique<DeviceBuffer>(&address, bytes, [] {});
}

Result<std::unique_ptr<LinearWeight>> NullBackend::pack_linear(
    std::span<const ConstTensorView> parts) {
  return std::unique_ptr<LinearWeight>(std::make_unique<NullWeight>(parts));
}

}  // namespace quire
