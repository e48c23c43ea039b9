#pragma once

#include "app/server/api/block_reader.h"
#include "app/server/api/field_reader.h"

namespace quire {

/// Reads `input`: a text, or items (messages, reasoning, function calls and their outputs) as
/// clients send them and get them back.
void readInputItems(FieldReader& reader, TurnBuilder& turns);

}  // namespace quire
