#include "tests/hostile/hostile_folder.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace quire::test {

namespace fs = std::filesystem;

HostileFile& HostileFolder::entry(const std::string& kind, const std::string& title,
                                  const std::string& place) {
  fs::create_directories(m_root / kind);
  HostileFile& made = m_files.emplace_back();
  made.path = m_root / kind / title;
  made.kind = kind;
  made.title = title;
  made.place = place;
  made.name = title;
  return made;
}

HostileFile& HostileFolder::file(const std::string& kind, const std::string& title,
                                 const std::string& place, const std::string& bytes) {
  HostileFile& made = entry(kind, title, place);
  writeFile(made.path, bytes);
  return made;
}

HostileFile& HostileFolder::folder(const std::string& kind, const std::string& title,
                                   const std::string& place, const std::string& name) {
  HostileFile& made = entry(kind, title, place);
  fs::create_directories(made.path);
  return made.named(name);
}

void writeFile(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.good()) return;
  std::fprintf(stderr, "cannot write %s\n", path.c_str());
  std::abort();
}

std::string readFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void makeSparse(const fs::path& path, uint64_t bytes) {
  fs::resize_file(path, bytes);
}

std::string repeated(const std::string& text, size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::vector<HostileFile> makeHostileFiles(const fs::path& folder, uint32_t seed) {
  HostileFolder to(folder, seed);
  for (const auto add :
       {addGgufFiles, addGgufVocabularies, addSplitFiles, addSafetensors, addConfigs,
        addTokenizerFiles, addSentencePieces, addTemplates, addJsonInputs, addExports, addDocuments,
        addDatabases, addOddFiles, addAdapters, addQuantized, addLargeHeaders}) {
    add(to);
  }
  return {to.files().begin(), to.files().end()};
}

}  // namespace quire::test
