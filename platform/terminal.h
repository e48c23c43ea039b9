#pragma once

#include <atomic>
#include <string>
#include <vector>

/// The terminal that a program of the command line runs in. Thread: the main one, before others.
namespace quire::platform {

enum class Stream { kInput, kOutput, kError };

bool is_terminal(Stream stream);

/// For the first lines of main(): the streams pass bytes as they are, a terminal understands UTF-8
/// and escape sequences, and writing to a pipe that nobody reads is an error instead of the
/// program's end. Returns the program's arguments in UTF-8.
std::vector<std::string> prepare_program(int argc, char** argv);

/// Ctrl+C sets the flag and ends a wait for a line of input. With `only_first`, also what asks the
/// program to end sets it, and the second time ends the program. `flag` lives as long as the
/// process.
void flag_interrupts(std::atomic<bool>& flag, bool only_first);

}  // namespace quire::platform
