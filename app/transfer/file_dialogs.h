#pragma once

#include <QString>

namespace quire {

/// Why the window cannot ask for a file, in a sentence; empty: it can. Where the desktop lends no
/// dialog of its own, Qt draws one with a module that is a package of its own, and ends the program
/// if that is not there.
///
/// Thread: the window's.
QString fileDialogFault();

}  // namespace quire
