#include "engine/memory/model_devices.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

namespace quire {

std::vector<std::string> parts_of_device(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream names(name);
  for (std::string part; std::getline(names, part, '+');) parts.push_back(part);
  return parts;
}

std::optional<DeviceInfo> find_device(std::span<const DeviceInfo> all, const std::string& name) {
  std::vector<DeviceInfo> parts;
  for (const std::string& part : parts_of_device(name)) {
    const auto found = std::ranges::find(all, part, &DeviceInfo::name);
    if (found == all.end()) return std::nullopt;
    if (!found->available) return *found;
    parts.push_back(*found);
  }
  if (parts.empty()) return std::nullopt;
  return parts.size() == 1 ? parts.front() : describe_group(parts);
}

/// NCCL has not run with Quire yet, and could hang where GPUs cannot reach each other: until it
/// has, only a user who asks for it lets Quire join GPUs by itself.
static bool wants_joining() {
  const char* const value = std::getenv("QUIRE_JOIN_GPUS");
  return value != nullptr && std::string_view(value) == "1";
}

Result<ModelDevices> ModelDevices::open(const BackendOptions& options) {
  auto choice = choose_devices(options);
  if (!choice) return choice.error();
  ModelDevices devices;
  devices.m_options = options;
  devices.m_names = std::move(choice->names);
  devices.m_gpu_reason = std::move(choice->gpu_reason);
  devices.m_may_join = (options.device == "auto" || options.device == "cuda") && wants_joining();
  if (const auto first = devices.at(0); !first) return first.error();
  return devices;
}

Result<ModelDevices> ModelDevices::open_with(std::vector<std::string> names, Create create,
                                             bool may_join) {
  ModelDevices devices;
  devices.m_may_join = may_join;
  devices.m_names = std::move(names);
  devices.m_create = std::move(create);
  if (const auto first = devices.at(0); !first) return first.error();
  return devices;
}

Result<Backend*> ModelDevices::at(size_t index) {
  CHECK(index < m_names.size() && index <= m_backends.size());
  while (m_backends.size() == index) {
    BackendOptions options = m_options;
    options.device = m_names[index];
    auto backend = m_create(options);
    if (backend) {
      m_backends.push_back(std::move(*backend));
      break;
    }
    if (index == 0 && keep_apart()) continue;
    if (!leave_out(index, backend.error())) return backend.error();
  }
  return m_backends[index].get();
}

/// Removes the device, so that the next one takes its place, if there is one and "auto" was asked
/// for.
bool ModelDevices::leave_out(size_t index, const Error& failure) {
  if (m_options.device != "auto" || index + 1 >= m_names.size()) return false;
  m_gpu_reason = failure.message;
  m_names.erase(m_names.begin() + static_cast<std::ptrdiff_t>(index));
  return true;
}

void ModelDevices::replace_first(size_t count, std::vector<std::string> names) {
  names.insert(names.end(), m_names.begin() + static_cast<std::ptrdiff_t>(count), m_names.end());
  m_names = std::move(names);
}

Result<Backend*> ModelDevices::join(size_t count) {
  CHECK(count > 1 && m_backends.size() == count);
  auto group = join_devices(m_backends);
  if (!group) return group.error();
  m_joined = {m_names.begin(), m_names.begin() + static_cast<std::ptrdiff_t>(count)};
  replace_first(count, {(*group)->info().name});
  m_backends.push_back(std::move(*group));
  return m_backends.front().get();
}

void ModelDevices::separate() {
  m_backends = separate_devices(std::move(m_backends.front()));
  replace_first(1, std::exchange(m_joined, {}));
}

/// Undoes join() for devices that are not running; false if none were joined.
bool ModelDevices::keep_apart() {
  if (m_joined.empty()) return false;
  replace_first(1, std::exchange(m_joined, {}));
  m_may_join = false;
  return true;
}

bool ModelDevices::separate_for_good() {
  if (m_joined.empty()) return false;
  m_backends.clear();
  keep_apart();
  return at(0).has_value();
}

bool ModelDevices::leave_out_first(const Error& failure) {
  if (!leave_out(0, failure)) return false;
  m_backends.clear();
  return at(0).has_value();
}

std::string ModelDevices::gpu_reason() const {
  for (const auto& backend : m_backends) {
    if (backend->info().has_own_memory) return {};
  }
  return m_gpu_reason;
}

}  // namespace quire
