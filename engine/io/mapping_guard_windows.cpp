#include <utility>

#include "engine/io/mapping_guard.h"

namespace quire {

/// Windows refuses to shorten a file that is mapped, so that there is nothing to guard against. (A
/// disk that is taken out, or a lost connection to a server, ends the process there.)
MappingGuard::MappingGuard(std::span<const std::byte>) : m_slot(0) {}

bool MappingGuard::was_cut() const {
  return false;
}

MappingGuard::MappingGuard(MappingGuard&& other) noexcept
    : m_slot(std::exchange(other.m_slot, -1)) {}

MappingGuard& MappingGuard::operator=(MappingGuard&& other) noexcept {
  std::swap(m_slot, other.m_slot);
  return *this;
}

MappingGuard::~MappingGuard() = default;

}  // namespace quire
