#pragma once

#include <string>
#include <vector>

#include "tests/hostile/hostile_files.h"
#include "tests/hostile/program_run.h"

namespace quire::test {

/// What a hostile file may take, by the acceptance of issue 22.
constexpr std::chrono::milliseconds kMostCpu(2000);
constexpr uint64_t kMostBytes = 300'000'000;

/// The sentences about the file that a run of quire-cli or hostile_reader ended with: of its
/// standard error, and those of `inspect` on why the model cannot be loaded.
std::vector<std::string> messagesOf(const ProgramRun& run);

/// What is wrong with how a run of this file ended; empty if nothing is.
std::string faultsOf(const HostileFile& file, const ProgramRun& run);
/// What is wrong with the sentences alone.
std::string faultsOf(const HostileFile& file, const std::vector<std::string>& messages);

/// Whether a text has control, bidirectional or invisible characters, or is no UTF-8. '\n' is
/// allowed.
bool hasHiddenCharacters(const std::string& text);

}  // namespace quire::test
