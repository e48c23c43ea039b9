#include "tests/hostile/elf_file.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace quire::test {
namespace {

/// The bytes of a file, read as structures at offsets that are checked.
class Image {
 public:
  explicit Image(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    m_bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  template <typename T>
  T at(uint64_t offset) const {
    if (offset > m_bytes.size() || sizeof(T) > m_bytes.size() - offset) {
      throw std::runtime_error("the file is too short");
    }
    T value;
    std::memcpy(&value, m_bytes.data() + offset, sizeof value);
    return value;
  }
  std::string text(uint64_t offset) const {
    if (offset >= m_bytes.size()) throw std::runtime_error("the file is too short");
    return m_bytes.c_str() + offset;
  }

 private:
  std::string m_bytes;
};

void read_segment(const Image& image, const Elf64_Phdr& segment, ElfFile& file) {
  constexpr uint32_t kWritableCode = PF_W | PF_X;
  if (segment.p_type == PT_GNU_RELRO) file.has_relro = true;
  if (segment.p_type == PT_GNU_STACK) file.has_executable_stack = (segment.p_flags & PF_X) != 0;
  if (segment.p_type == PT_LOAD && (segment.p_flags & kWritableCode) == kWritableCode) {
    file.has_writable_code = true;
  }
  if (segment.p_type != PT_DYNAMIC) return;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
    const auto entry = image.at<Elf64_Dyn>(segment.p_offset + at);
    const bool is_flag = (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_BIND_NOW) != 0) ||
                         (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NOW) != 0);
    if (entry.d_tag == DT_BIND_NOW || is_flag) file.binds_now = true;
  }
}

void read_symbols(const Image& image, const Elf64_Ehdr& header, const Elf64_Shdr& section,
                  ElfFile& file) {
  if (section.sh_type != SHT_DYNSYM) return;
  const auto names = image.at<Elf64_Shdr>(header.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
  for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
    const auto symbol = image.at<Elf64_Sym>(section.sh_offset + at);
    if (symbol.st_shndx != SHN_UNDEF) continue;
    file.imported_symbols.insert(image.text(names.sh_offset + symbol.st_name));
  }
}

}  // namespace

ElfFile read_elf(const std::filesystem::path& path) {
  const Image image(path);
  const auto header = image.at<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    throw std::runtime_error("not a 64-bit ELF file");
  }
  ElfFile file;
  file.is_position_independent = header.e_type == ET_DYN;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    read_segment(image, image.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)), file);
  }
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    read_symbols(image, header, image.at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)),
                 file);
  }
  return file;
}

}  // namespace quire::test
