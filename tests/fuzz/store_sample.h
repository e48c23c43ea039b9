#pragma once

#include <string>

#include "tests/fuzz/support.h"

namespace quire::fuzz {

/// The bytes of a small quire.db with every kind of record.
std::string sample_store();
/// The bytes of a quire.db without records.
std::string empty_store();

/// `file` with the patches that `bytes` describes: an offset (4 bytes, little endian, modulo the
/// file's size), a length n (1 byte), and n bytes to be written there; the last may be cut off.
/// Bytes that begin as an SQLite file are the file itself.
std::string patched(std::string file, std::string_view bytes);

}  // namespace quire::fuzz
