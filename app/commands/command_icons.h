#pragma once

#include "app/commands/command_list.h"

namespace quire {

/// The name of a command's icon in the palette; three dots for one that has none of its own.
QString iconOf(const Command& command);

}  // namespace quire
