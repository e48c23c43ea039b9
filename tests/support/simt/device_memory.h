#pragma once

#include <cstddef>
#include <map>

namespace simt {

/// The memory of a fake device: a range of addresses of its own, and what is allocated of it.
///
/// Memory is filled with NaNs when it is allocated and when it is freed. Behind each allocation is
/// a strip that must stay as it is; with AddressSanitizer it is poisoned, and so is what was freed.
/// Invariant: while no DeviceAccess lives, a protected memory cannot be touched.
class DeviceMemory {
 public:
  DeviceMemory(size_t capacity, bool is_protected);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// 256-byte aligned; null if there is not enough.
  void* allocate(size_t bytes);
  /// False if nothing was allocated there.
  bool free(void* memory);
  bool owns(const void* address) const;
  /// Whether all the bytes belong to one allocation.
  bool holds(const void* address, size_t bytes) const;
  /// By their first bytes.
  std::map<char*, size_t> allocations() const;
  /// Lets kernels read and not write, until it is called with false. There is a DeviceAccess.
  void forbid_writes(bool is_forbidden) const;
  /// Ends the program if someone wrote behind an allocation. (AddressSanitizer does it earlier.)
  void check_strips() const;

  size_t capacity() const { return m_capacity; }
  size_t used_bytes() const { return m_used; }
  size_t num_allocations() const { return m_allocations.size(); }

 private:
  friend class DeviceAccess;
  bool strip_is_sound(size_t offset, size_t bytes) const;
  void allow(bool is_allowed) const;

  size_t m_capacity;
  bool m_is_protected;
  size_t m_reserved;
  void* m_mapping;
  char* m_base;
  size_t m_used = 0;
  size_t m_touched = 0;  ///< Nothing behind this was ever allocated, and nobody can touch it.
  std::map<size_t, size_t> m_allocations;  ///< Offset to bytes asked for.
  mutable int m_num_accesses = 0;
};

/// Lets the host touch a device's memory while it lives.
class DeviceAccess {
 public:
  explicit DeviceAccess(const DeviceMemory& memory);
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;

 private:
  const DeviceMemory& m_memory;
};

}  // namespace simt
