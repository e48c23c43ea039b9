#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "engine/models/null_backend.h"

namespace quire {

/// Keeps memory and copies it as late as a device may: nothing happens before synchronize(). Notes
/// when host memory is used that a copy has not come to, or changes before it was read. Computes
/// nothing.
class LateBackend : public NullBackend {
 public:
  DeviceInfo info() const override {
    DeviceInfo info = NullBackend::info();
    info.available = info.has_own_memory = true;
    info.free_bytes = info.total_bytes = uint64_t{1} << 30;
    return info;
  }

  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override {
    auto memory = allocate_plain_host(std::max<size_t>(bytes, 1));
    if (memory) std::fill_n(static_cast<std::byte*>((*memory)->data()), bytes, std::byte{0});
    return memory;
  }
  Result<std::unique_ptr<DeviceBuffer>> allocate_host(size_t bytes) override {
    host_bytes += bytes;
    return host_bytes > max_host_bytes
               ? Error{ErrorCode::kOutOfMemory, "No host memory."}
               : Result<std::unique_ptr<DeviceBuffer>>(*allocate_plain_host(bytes));
  }

  void upload(void* dst, const void* host_src, size_t bytes) override {
    const auto* from = static_cast<const std::byte*>(host_src);
    if (is_awaited(from, bytes)) ++num_violations;
    std::vector<std::byte> now(from, from + bytes);
    m_submitted.emplace_back([this, dst, from, now = std::move(now)] {
      if (!std::equal(now.begin(), now.end(), from)) ++num_violations;
      std::ranges::copy(now, static_cast<std::byte*>(dst));
    });
  }
  void download(void* host_dst, const void* src, size_t bytes) override {
    auto* to = static_cast<std::byte*>(host_dst);
    if (is_awaited(to, bytes)) ++num_violations;
    m_awaited.push_back({to, to + bytes});
    m_submitted.emplace_back([=] { std::copy_n(static_cast<const std::byte*>(src), bytes, to); });
  }
  void copy(void* dst, const void* src, size_t bytes) override {
    m_submitted.emplace_back([=] {
      std::copy_n(static_cast<const std::byte*>(src), bytes, static_cast<std::byte*>(dst));
    });
  }

  Result<void> synchronize() override {
    for (const auto& operation : m_submitted) operation();
    m_submitted.clear();
    m_awaited.clear();
    ++num_synchronized;
    if (!std::exchange(fails, false)) return {};
    return Error{ErrorCode::kDevice, "The device failed."};
  }

  bool fails = false;  ///< The next synchronize().
  size_t host_bytes = 0;
  size_t max_host_bytes = SIZE_MAX;
  int num_violations = 0;
  int num_synchronized = 0;

 private:
  bool is_awaited(const std::byte* begin, size_t bytes) const {
    return std::ranges::any_of(m_awaited, [&](const auto& range) {
      return begin < range.second && range.first < begin + bytes;
    });
  }

  std::vector<std::function<void()>> m_submitted;
  std::vector<std::pair<const std::byte*, const std::byte*>> m_awaited;
};

}  // namespace quire
