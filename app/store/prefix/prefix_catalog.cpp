#include "app/store/prefix/prefix_catalog.h"

#include <algorithm>

namespace quire {

bool contains(const PrefixOwners& owners, const PrefixOwner& owner) {
  return std::find(owners.begin(), owners.end(), owner) != owners.end();
}

PrefixOwner::Kind kindOf(const PrefixOwners& owners) {
  const bool forPersona = std::any_of(owners.begin(), owners.end(), [](const PrefixOwner& owner) {
    return owner.kind == PrefixOwner::Kind::kPersona;
  });
  return forPersona ? PrefixOwner::Kind::kPersona : PrefixOwner::Kind::kChat;
}

const PrefixCatalog::Entry* PrefixCatalog::find(const BlockKey& key) const {
  const auto found = m_entries.find(key);
  return found == m_entries.end() ? nullptr : &found->second;
}

std::vector<BlockKey> PrefixCatalog::keys() const {
  std::vector<BlockKey> keys;
  keys.reserve(m_entries.size());
  for (const auto& [key, entry] : m_entries) keys.push_back(key);
  return keys;
}

PrefixOwners PrefixCatalog::owners() const {
  std::set<std::pair<int, int64_t>> seen;
  PrefixOwners owners;
  for (const auto& [key, entry] : m_entries) {
    for (const PrefixOwner& owner : entry.owners) {
      if (seen.emplace(static_cast<int>(owner.kind), owner.id).second) owners.push_back(owner);
    }
  }
  return owners;
}

std::vector<BlockKey> PrefixCatalog::keysOf(const PrefixOwner& owner) const {
  std::vector<BlockKey> keys;
  for (const auto& [key, entry] : m_entries) {
    if (contains(entry.owners, owner)) keys.push_back(key);
  }
  return keys;
}

void PrefixCatalog::insert(const BlockKey& key, Entry entry) {
  erase(key);
  const BlockKey parent = entry.parent;
  const int64_t used = entry.used;
  charge(key, entry);
  m_children[parent].insert(key.digest);
  m_entries.emplace(key, std::move(entry));
  markUsed(parent, used);
  // Its children may have been inserted before, because rows are read in any order.
  const auto children = m_children.find(key);
  if (children == m_children.end()) return;
  int64_t latest = used;
  for (const Digest& child : children->second) {
    latest = std::max(latest, m_entries.at(BlockKey{child}).used);
  }
  markUsed(key, latest);
}

void PrefixCatalog::erase(const BlockKey& key) {
  const auto found = m_entries.find(key);
  if (found == m_entries.end()) return;
  discharge(key, found->second);
  const auto siblings = m_children.find(found->second.parent);
  siblings->second.erase(key.digest);
  if (siblings->second.empty()) m_children.erase(siblings);
  m_entries.erase(found);
}

bool PrefixCatalog::markUsed(const BlockKey& key, int64_t now) {
  bool marked = false;
  // Ends at a head or at a block that was used as late, which also ends a cycle in a damaged file.
  for (auto it = m_entries.find(key); it != m_entries.end() && it->second.used < now;
       it = m_entries.find(it->second.parent)) {
    discharge(it->first, it->second);
    it->second.used = now;
    charge(it->first, it->second);
    marked = true;
  }
  return marked;
}

bool PrefixCatalog::addOwner(const BlockKey& key, const PrefixOwner& owner) {
  const auto found = m_entries.find(key);
  if (found == m_entries.end()) return false;
  if (contains(found->second.owners, owner)) return false;
  discharge(key, found->second);
  found->second.owners.push_back(owner);
  charge(key, found->second);
  return true;
}

void PrefixCatalog::removeOwner(const BlockKey& key, const PrefixOwner& owner) {
  const auto found = m_entries.find(key);
  if (found == m_entries.end()) return;
  discharge(key, found->second);
  std::erase(found->second.owners, owner);
  charge(key, found->second);
}

std::optional<BlockKey> PrefixCatalog::victim(PrefixOwner::Kind kind, int64_t before) const {
  const auto& byUse = charged(kind).byUse;
  if (byUse.empty() || byUse.begin()->first >= before) return {};
  BlockKey key{byUse.begin()->second};
  // Its children were used no later. The bound ends a cycle in a damaged file.
  for (size_t steps = 0; steps < m_entries.size(); ++steps) {
    const auto children = m_children.find(key);
    if (children == m_children.end()) break;
    key = BlockKey{*children->second.begin()};
  }
  return key;
}

void PrefixCatalog::charge(const BlockKey& key, const Entry& entry) {
  charged(entry).byUse.emplace(entry.used, key.digest);
  charged(entry).bytes += entry.bytes;
}

void PrefixCatalog::discharge(const BlockKey& key, const Entry& entry) {
  charged(entry).byUse.erase({entry.used, key.digest});
  charged(entry).bytes -= entry.bytes;
}

}  // namespace quire
