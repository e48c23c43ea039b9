#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace quire::test {

/// What a 64-bit ELF file says about how it is loaded (ELF-64 object file format, version 1.5).
struct ElfFile {
  bool is_position_independent = false;    ///< ET_DYN.
  bool has_relro = false;                  ///< PT_GNU_RELRO.
  bool binds_now = false;                  ///< DF_BIND_NOW or DF_1_NOW.
  bool has_executable_stack = true;        ///< Without PT_GNU_STACK the stack is executable.
  bool has_writable_code = false;          ///< A segment that is both writable and executable.
  std::set<std::string> imported_symbols;  ///< Undefined in .dynsym.

  bool imports(const std::string& name) const { return imported_symbols.contains(name); }
};

/// Errors: throws std::runtime_error for another kind of file.
ElfFile read_elf(const std::filesystem::path& path);

}  // namespace quire::test
