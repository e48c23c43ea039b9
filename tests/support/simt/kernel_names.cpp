#include "tests/support/simt/kernel_names.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

// A kernel is a pointer at run time; its name and its __shared__ variables are found in the table
// of symbols of the program (System V ABI, "Symbol Table"). A variable `x` in the function with the
// symbol _ZF is _ZZFE1x (Itanium C++ ABI, "Scope Encoding").
namespace simt {
namespace {

/// Where the variables of the host thread begin is told by one whose place is known twice.
thread_local char g_anchor = 0;
extern "C" char quire_simt_anchor_function();

struct Symbol {
  std::string name;
  uint64_t value;
  uint64_t bytes;
  size_t file;  ///< Names of one file's own are not those of another's; 0 for names of all.
};

bool has_prefix(const std::string& name, const std::string& prefix) {
  return name.compare(0, prefix.size(), prefix) == 0;
}

/// prefix: Symbols::own_prefix(kernel).
bool is_own(const Symbol& kernel, const std::string& prefix, const Symbol& variable) {
  return !prefix.empty() && variable.file == kernel.file && has_prefix(variable.name, prefix);
}

class Symbols {
 public:
  static const Symbols& instance() {
    static const Symbols symbols;
    return symbols;
  }
  const Symbol* kernel(const void* address) const;
  std::vector<StaticShared> variables(const Symbol& kernel) const;
  std::vector<StaticShared> reachable_variables(const Symbol& kernel) const;

 private:
  Symbols();
  void read(const std::string& program);
  void add(const Elf64_Sym& symbol, const char* name, size_t file);
  StaticShared place_of(const Symbol& variable) const;
  std::string own_prefix(const Symbol& kernel) const;

  std::map<uint64_t, Symbol> m_functions;
  std::vector<Symbol> m_variables;
  uint64_t m_bias = 0;  ///< From a value to an address.
  uint64_t m_anchor_value = 0;
  bool m_has_anchor = false;
};

/// The program, or the shared library that this is linked into with the kernels.
std::string read_program() {
  Dl_info info = {};
  dladdr(reinterpret_cast<const void*>(&quire_simt_anchor_function), &info);
  for (const char* const path : {info.dli_fname, "/proc/self/exe"}) {
    std::ifstream file(path == nullptr ? "" : path, std::ios::binary);
    if (file) return {std::istreambuf_iterator<char>(file), {}};
  }
  return "";
}

Symbols::Symbols() {
  read(read_program());
  for (const auto& [value, symbol] : m_functions) {
    if (symbol.name != "quire_simt_anchor_function") continue;
    m_bias = reinterpret_cast<uint64_t>(&quire_simt_anchor_function) - value;
  }
}

void Symbols::read(const std::string& program) {
  Elf64_Ehdr header;
  if (program.size() < sizeof header) return;
  std::memcpy(&header, program.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), program.data() + header.e_shoff,
              sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB) continue;
    const char* const names = program.data() + sections[section.sh_link].sh_offset;
    size_t file = 0;
    for (size_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, program.data() + section.sh_offset + i * sizeof symbol, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE) ++file;
      const bool is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
      add(symbol, names + symbol.st_name, is_local ? file : 0);
    }
  }
}

void Symbols::add(const Elf64_Sym& symbol, const char* name, size_t file) {
  const int type = ELF64_ST_TYPE(symbol.st_info);
  if (type == STT_FUNC && symbol.st_shndx != SHN_UNDEF) {
    m_functions[symbol.st_value] = {name, symbol.st_value, symbol.st_size, file};
  }
  if (type != STT_TLS || symbol.st_shndx == SHN_UNDEF) return;
  if (std::strncmp(name, "_ZZ", 3) == 0) {
    m_variables.push_back({name, symbol.st_value, symbol.st_size, file});
  } else if (std::strstr(name, "g_anchorE") != nullptr && std::strstr(name, "simt") != nullptr) {
    m_anchor_value = symbol.st_value;
    m_has_anchor = true;
  }
}

const Symbol* Symbols::kernel(const void* address) const {
  const auto found = m_functions.find(reinterpret_cast<uint64_t>(address) - m_bias);
  return found == m_functions.end() ? nullptr : &found->second;
}

/// What the names of the kernel's own variables begin with; empty if there are none to be found.
std::string Symbols::own_prefix(const Symbol& kernel) const {
  if (!m_has_anchor || kernel.name.compare(0, 2, "_Z") != 0) return "";
  return "_ZZ" + kernel.name.substr(2) + "E";
}

std::vector<StaticShared> Symbols::variables(const Symbol& kernel) const {
  std::vector<StaticShared> variables;
  const std::string prefix = own_prefix(kernel);
  for (const Symbol& variable : m_variables) {
    if (is_own(kernel, prefix, variable)) variables.push_back(place_of(variable));
  }
  return variables;
}

std::vector<StaticShared> Symbols::reachable_variables(const Symbol& kernel) const {
  std::vector<StaticShared> variables;
  if (!m_has_anchor) return variables;
  const std::string prefix = own_prefix(kernel);
  for (const Symbol& variable : m_variables) {
    const bool is_near = variable.file == kernel.file || variable.file == 0;
    const bool may_be_called = is_near && has_prefix(variable.name, "_ZZN5quire4cuda");
    if (may_be_called || is_own(kernel, prefix, variable)) variables.push_back(place_of(variable));
  }
  return variables;
}

StaticShared Symbols::place_of(const Symbol& variable) const {
  char* const memory =
      &g_anchor + (static_cast<int64_t>(variable.value) - static_cast<int64_t>(m_anchor_value));
  return {memory, variable.bytes};
}

extern "C" char quire_simt_anchor_function() {
  return g_anchor;
}

}  // namespace

std::string kernel_name(const void* kernel) {
  const Symbol* const symbol = Symbols::instance().kernel(kernel);
  if (symbol == nullptr) {
    char text[32];
    std::snprintf(text, sizeof text, "at %p", kernel);
    return text;
  }
  int status = 0;
  char* const readable = abi::__cxa_demangle(symbol->name.c_str(), nullptr, nullptr, &status);
  const std::string name = status == 0 ? readable : symbol->name;
  std::free(readable);
  return name;
}

const std::vector<StaticShared>& static_shared(const void* kernel) {
  static thread_local std::map<const void*, std::vector<StaticShared>> known;
  const auto [entry, is_new] = known.try_emplace(kernel);
  const Symbol* const symbol = Symbols::instance().kernel(kernel);
  if (is_new && symbol != nullptr) entry->second = Symbols::instance().variables(*symbol);
  return entry->second;
}

const std::vector<StaticShared>& reachable_shared(const void* kernel) {
  static thread_local std::map<const void*, std::vector<StaticShared>> known;
  const auto [entry, is_new] = known.try_emplace(kernel);
  const Symbol* const symbol = Symbols::instance().kernel(kernel);
  if (is_new && symbol != nullptr) entry->second = Symbols::instance().reachable_variables(*symbol);
  return entry->second;
}

size_t static_shared_bytes(const void* kernel) {
  size_t bytes = 0;
  for (const StaticShared& variable : static_shared(kernel)) bytes += variable.bytes;
  return bytes;
}

}  // namespace simt
