#pragma once

#include <vector>

#include "engine/cache/prefix_store.h"

namespace quire {

/// Those for whom a block is kept, or who are asked about; each once.
using PrefixOwners = std::vector<PrefixOwner>;

bool contains(const PrefixOwners& owners, const PrefixOwner& owner);

/// Whose budget a block of these owners is charged to: the personas' if one of them owns it.
PrefixOwner::Kind kindOf(const PrefixOwners& owners);

}  // namespace quire
