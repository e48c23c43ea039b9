#pragma once

#include <string_view>
#include <vector>

#include "engine/cache/prefix_store.h"

namespace quire::samples {

/// A chain of blocks whose content follows from its name, so that another process can tell what
/// they must hold.
std::vector<StoredBlock> chain(std::string_view name, int numBlocks, size_t payloadBytes = 1000);

std::vector<BlockKey> keysOf(const std::vector<StoredBlock>& blocks);

/// How many blocks were found, if they are the first of the chain, bit for bit; -1 if not.
int leadingEqual(const std::vector<StoredBlock>& chain, const std::vector<StoredBlock>& found);

}  // namespace quire::samples
