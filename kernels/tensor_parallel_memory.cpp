// A group's devices, memory and graphs.

#include <algorithm>
#include <chrono>
#include <utility>

#include "kernels/parallel_views.h"

namespace quire {
DeviceInfo describe_group(std::span<const DeviceInfo> devices) {
  DeviceInfo group = devices.front();
  group.num_devices = static_cast<int>(devices.size());
  group.description = std::to_string(devices.size()) + " x " + group.description;
  for (const DeviceInfo& device : devices.subspan(1)) {
    group.name += "+" + device.name;
    group.total_bytes = std::min(group.total_bytes, device.total_bytes);
    group.free_bytes = std::min(group.free_bytes, device.free_bytes);
  }
  group.total_bytes *= devices.size();
  group.free_bytes *= devices.size();
  return group;
}

Result<std::unique_ptr<Backend>> join_devices(std::vector<std::unique_ptr<Backend>>& devices) {
  CHECK(devices.size() > 1);
  std::vector<Backend*> all;
  for (const auto& device : devices) all.push_back(device.get());
  auto links = devices[0]->connect(all);
  if (!links) return links.error();
  return std::unique_ptr<Backend>(std::make_unique<TensorParallelBackend>(
      std::exchange(devices, {}), std::move(*links), TensorParallelBackend::Options{}));
}

Result<GroupSpeed> measure_group(Backend& joined) {
  return dynamic_cast<TensorParallelBackend&>(joined).measure();
}

std::vector<std::unique_ptr<Backend>> separate_devices(std::unique_ptr<Backend> joined) {
  return dynamic_cast<TensorParallelBackend&>(*joined).take_devices();
}

TensorParallelBackend::TensorParallelBackend(std::vector<std::unique_ptr<Backend>> devices,
                                             std::unique_ptr<DeviceLinks> links,
                                             const Options& options)
    : m_devices(std::move(devices)), m_links(std::move(links)), m_options(options) {}
TensorParallelBackend::~TensorParallelBackend() = default;

std::vector<std::unique_ptr<Backend>> TensorParallelBackend::take_devices() {
  for (auto& memory : m_slabs) memory.reset();
  m_links.reset();
  return std::move(m_devices);
}

Result<GroupSpeed> TensorParallelBackend::measure() {
  constexpr int kCopies = 8, kExchanges = 50;
  constexpr size_t kBytes = size_t{64} << 20, kSlabBytes = 1024 * sizeof(float);
  auto memory = allocate(2 * kBytes);
  if (!memory) return memory.error();
  auto* const begin = static_cast<std::byte*>((*memory)->data());
  std::vector<void*> slabs;
  for (size_t d = 0; d < m_devices.size(); ++d) slabs.push_back(m_memory.on(d, begin));
  Result<void> done;
  const auto wait = [&] {  // Also after a failure, which devices keep until they are asked.
    const auto waited = synchronize();
    if (done) done = waited;
  };
  const auto seconds = [&](int count, const std::function<void()>& operation) {
    operation();  // The first time takes longer.
    wait();
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) operation();
    wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count() / count;
  };
  const double of_copy = seconds(kCopies, [&] { copy(begin + kBytes, begin, kBytes); });
  const double of_exchange = seconds(kExchanges, [&] { m_links->all_gather(slabs, kSlabBytes); });
  if (!done) return done.error();
  return GroupSpeed{.exchange_seconds = of_exchange,
                    .bytes_per_second = 2 * double(kBytes) / std::max(of_copy, 1e-9)};
}

DeviceInfo TensorParallelBackend::info() const {
  std::vector<DeviceInfo> infos;
  for (const auto& device : m_devices) infos.push_back(device->info());
  return describe_group(infos);
}

// Memory -----------------------------------------------------------------------------------

Result<std::unique_ptr<DeviceBuffer>> TensorParallelBackend::allocate(size_t bytes) {
  return m_memory.allocate(m_devices, {.bytes = bytes});
}

Result<std::unique_ptr<DeviceBuffer>> TensorParallelBackend::allocate_pages(size_t block_bytes,
                                                                            int64_t count,
                                                                            int64_t num_heads) {
  const bool is_divided = num_heads % num_devices() == 0;
  return m_memory.allocate(m_devices, {.bytes = block_bytes * static_cast<size_t>(count),
                                       .item_bytes = is_divided ? block_bytes : 0});
}

/// Of divided memory each device has the same part of every item.
void TensorParallelBackend::upload(void* dst, const void* host_src, size_t bytes) {
  exchange_waiting();
  const size_t item = m_memory.item_bytes(dst);
  const size_t part = item / m_devices.size();
  CHECK(item == 0 || bytes % item == 0);
  for (size_t d = 0; d < m_devices.size(); ++d) {
    auto* const to = static_cast<std::byte*>(m_memory.on(d, dst));
    if (item == 0) m_devices[d]->upload(to, host_src, bytes);
    for (size_t i = 0; item > 0 && i < bytes / item; ++i) {
      m_devices[d]->upload(to + i * part,
                           static_cast<const std::byte*>(host_src) + i * item + d * part, part);
    }
  }
}

void TensorParallelBackend::download(void* host_dst, const void* src, size_t bytes) {
  exchange_waiting();
  const size_t item = m_memory.item_bytes(src);
  const size_t part = item / m_devices.size();
  CHECK(item == 0 || bytes % item == 0);
  if (item == 0) return m_devices[0]->download(host_dst, m_memory.on(0, src), bytes);
  for (size_t d = 0; d < m_devices.size(); ++d) {
    const auto* const from = static_cast<const std::byte*>(m_memory.on(d, src));
    for (size_t i = 0; i < bytes / item; ++i) {
      m_devices[d]->download(static_cast<std::byte*>(host_dst) + i * item + d * part,
                             from + i * part, part);
    }
  }
}

void TensorParallelBackend::copy(void* dst, const void* src, size_t bytes) {
  exchange_waiting();
  const size_t item = m_memory.item_bytes(dst);
  CHECK(m_memory.item_bytes(src) == item && (item == 0 || bytes % item == 0));
  const size_t on_each = item > 0 ? bytes / m_devices.size() : bytes;
  for (size_t d = 0; d < m_devices.size(); ++d) {
    m_devices[d]->copy(m_memory.on(d, dst), m_memory.on(d, src), on_each);
  }
}

Result<void> TensorParallelBackend::synchronize() {
  exchange_waiting();
  for (const auto& device : m_devices) {
    if (auto done = device->synchronize(); !done) note(done.error());
  }
  m_marks.clear();
  const std::optional<Error> failure = std::exchange(m_failure, std::nullopt);
  return failure ? Result<void>(*failure) : Result<void>();
}

uint64_t TensorParallelBackend::mark() {
  exchange_waiting();
  std::vector<uint64_t> marks;
  for (const auto& device : m_devices) marks.push_back(device->mark());
  m_marks.push_back(std::move(marks));
  return m_next_mark++;
}

Result<void> TensorParallelBackend::wait_for(uint64_t mark) {
  while (!m_marks.empty() && m_next_mark - m_marks.size() <= mark) {
    const std::vector<uint64_t> marks = std::move(m_marks.front());
    m_marks.pop_front();
    for (size_t d = 0; d < m_devices.size(); ++d) {
      if (auto done = m_devices[d]->wait_for(marks[d]); !done) note(done.error());
    }
  }
  const std::optional<Error> failure = std::exchange(m_failure, std::nullopt);
  return failure ? Result<void>(*failure) : Result<void>();
}

void TensorParallelBackend::launch_graph(uint64_t key, const std::function<void()>& operations) {
  exchange_waiting();
  m_links->launch_graph(key, [&] {
    operations();
    exchange_waiting();
  });
}

}  // namespace quire
