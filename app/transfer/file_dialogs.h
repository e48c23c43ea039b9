#pragma once

#include <QString>

namespace quire {

/// Why the window cannot ask for a file, in a sentence; empty if it can. Where the desktop has no
/// file dialog, Qt draws its own with a module that is a separate package, and ends the program if
/// that package is missing.
///
/// Thread: the window's.
QString fileDialogFault();

}  // namespace quire
