#pragma once

#include <map>
#include <string>

namespace quire {

/// The connections whose refusal is held back (HttpVerdict::delay), by their addresses. They do not
/// count as connections, so that wrong keys do not lock others out. An address may have only a few,
/// which limits how many keys can be tried at once.
/// Thread: the server's.
class HeldConnections {
 public:
  static constexpr int kMostOfAddress = 64;

  /// The address may not have another one: its requests are refused before their key is looked at.
  bool is_full_for(const std::string& address) const {
    const auto found = m_counts.find(address);
    return found != m_counts.end() && found->second >= kMostOfAddress;
  }
  /// False: there are `most` of all addresses together.
  bool try_add(const std::string& address, int most) {
    if (m_total >= most) return false;
    ++m_total;
    ++m_counts[address];
    return true;
  }
  void remove(const std::string& address) {
    const auto found = m_counts.find(address);
    if (found == m_counts.end()) return;
    --m_total;
    if (--found->second == 0) m_counts.erase(found);
  }

 private:
  std::map<std::string, int> m_counts;
  int m_total = 0;
};

}  // namespace quire
