#include "tests/hostile/scanned_home.h"

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

#include "tests/hostile/hostile_folder.h"

namespace quire::test {
namespace {

namespace fs = std::filesystem;

void moveTo(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::rename(from, to);
}

void addRepository(const fs::path& hub, HostileFile& file) {
  const fs::path root = hub / ("models--evil--" + file.kind + "-" + file.title);
  const fs::path snapshot = root / "snapshots" / "0123456789abcdef";
  moveTo(file.path, snapshot);
  fs::create_directories(root / "refs");
  writeFile(root / "refs" / "main", "0123456789abcdef");
  file.path = snapshot;
}

std::string digestOf(size_t number) {
  char digest[65];
  std::snprintf(digest, sizeof digest, "%064zx", number);
  return digest;
}

std::string manifestOf(const std::string& digest) {
  return R"({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": ")" + digest +
         "\"}]}";
}

void addBlob(const fs::path& ollama, HostileFile& file, size_t number) {
  const std::string digest = digestOf(number);
  const fs::path blob = ollama / "blobs" / ("sha256-" + digest);
  moveTo(file.path, blob);
  file.path = blob;
  const fs::path manifests = ollama / "manifests" / "registry.ollama.ai" / "library" / "evil";
  fs::create_directories(manifests);
  writeFile(manifests / std::to_string(number), manifestOf("sha256:" + digest));
}

/// Of Ollama and of the Hugging Face cache.
void addHostileRecords(const fs::path& ollama, const fs::path& hub) {
  const fs::path records = ollama / "manifests" / "registry.ollama.ai" / "library" / "worse";
  fs::create_directories(records);
  writeFile(records / "no-json", "nonsense");
  writeFile(records / "nested", repeated("[", 500'000));
  writeFile(records / "elsewhere", manifestOf("sha256:../../../../etc/passwd"));
  writeFile(records / "absolute", manifestOf("/etc/passwd"));
  writeFile(records / "missing", manifestOf("sha256:" + digestOf(999'999)));
  writeFile(records / "sparse", "{");
  makeSparse(records / "sparse", uint64_t{1} << 36);
  writeFile(records / "\x1b[2J\u202e", "nonsense");
  if (::mkfifo((records / "fifo").c_str(), 0600) != 0) std::abort();
  fs::create_directory_symlink(ollama / "manifests", records / "again");
  const fs::path odd = hub / "models--evil--odd";
  fs::create_directories(odd / "snapshots" / "a");
  fs::create_directories(odd / "refs");
  if (::mkfifo((odd / "refs" / "main").c_str(), 0600) != 0) std::abort();
  fs::create_directory_symlink("../..", odd / "snapshots" / "up");
  fs::create_directories(hub / "models--evil--up");
  fs::create_directory_symlink("../..", hub / "models--evil--up" / "snapshots");
}

}  // namespace

fs::path lmStudioFolder(const fs::path& home) {
  return home / ".lmstudio" / "models";
}

void spreadOverHome(const fs::path& home, std::vector<HostileFile>& files) {
  const fs::path hub = home / ".cache" / "huggingface" / "hub";
  const fs::path ollama = home / ".ollama" / "models";
  for (size_t i = 0; i < files.size(); ++i) {
    HostileFile& file = files[i];
    const bool isFolder = file.kind == "config" || file.kind == "tokenizer" || file.kind == "index";
    if (isFolder) addRepository(hub, file);
    if (file.kind == "gguf-vocabulary") addBlob(ollama, file, i);
  }
  addHostileRecords(ollama, hub);
}

}  // namespace quire::test
