#include "app/store/prefix/prefix_owners.h"

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

}  // namespace quire
