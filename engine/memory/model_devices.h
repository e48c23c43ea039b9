#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend.h"

namespace quire {

/// "cuda:0" and "cuda:1" of "cuda:0+cuda:1"; the name itself of one device.
std::vector<std::string> parts_of_device(const std::string& name);

/// The device of that name among all (list_devices), or what several are together
/// ("cuda:0+cuda:1"). Null if one is not there; if one is unavailable, so is the whole.
std::optional<DeviceInfo> find_device(std::span<const DeviceInfo> all, const std::string& name);

/// The devices that a model may be spread over, each started when it is needed. Owns the backends.
/// Thread: one at a time.
class ModelDevices {
 public:
  /// Starts the first device. Errors: as create_backend.
  static Result<ModelDevices> open(const BackendOptions& options);
  /// Devices of those names (at least one), started by `create` instead of create_backend. Errors:
  /// those of `create`.
  using Create = std::function<Result<std::unique_ptr<Backend>>(const BackendOptions& options)>;
  static Result<ModelDevices> open_with(std::vector<std::string> names, Create create,
                                        bool may_join = false);

  size_t size() const { return m_names.size(); }
  /// Starts the device if it is not running. With "auto" a GPU that does not start is left out, and
  /// the next device takes its place.
  Result<Backend*> at(size_t index);
  /// The first, which has a model's first layers.
  Backend& front() { return *m_backends.front(); }

  /// Whether the first devices may be joined: GPUs that Quire chose itself, if QUIRE_JOIN_GPUS
  /// is 1.
  bool may_join() const { return m_may_join; }
  /// The first `count` devices, all of them running, compute every layer together from now on, and
  /// are one device. Errors: those of join_devices(); they then stay apart.
  Result<Backend*> join(size_t count);
  /// Takes back the last join(), before anything was allocated on it.
  void separate();
  /// After a failure of joined devices: they start anew and stay apart. False if none are joined.
  bool separate_for_good();

  /// After a failure of the first device: closes it and leaves it out for good if "auto" was asked
  /// for and there is another device. Returns whether the next one started.
  bool leave_out_first(const Error& failure);
  /// Closes all devices; the next at() starts them anew, a lost GPU among them.
  void close() { m_backends.clear(); }

  /// Why no GPU is used although the options allow one; empty if one is used or none is allowed.
  std::string gpu_reason() const;

 private:
  ModelDevices() = default;
  void replace_first(size_t count, std::vector<std::string> names);
  bool keep_apart();
  bool leave_out(size_t index, const Error& failure);

  BackendOptions m_options;
  Create m_create = create_backend;
  std::vector<std::string> m_names;
  std::vector<std::unique_ptr<Backend>> m_backends;  ///< Of the first names.
  std::string m_gpu_reason;
  bool m_may_join = false;
  std::vector<std::string> m_joined;  ///< The names of the devices that join() made one of.
};

}  // namespace quire
