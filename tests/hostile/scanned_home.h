#pragma once

#include <QString>

#include <filesystem>
#include <vector>

#include "tests/hostile/hostile_files.h"

namespace quire::test {

/// Puts a corpus that was made in LM Studio's folder of this home where other applications keep
/// theirs, and adds records of theirs that are hostile themselves: folders become repositories of
/// the Hugging Face cache, vocabularies become Ollama's blobs. The paths follow.
/// Ends the program if a file cannot be moved.
void spreadOverHome(const std::filesystem::path& home, std::vector<HostileFile>& files);

/// Where LM Studio keeps its models.
std::filesystem::path lmStudioFolder(const std::filesystem::path& home);

}  // namespace quire::test
