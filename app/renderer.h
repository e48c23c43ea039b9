#pragma once

#include <QString>

namespace quire {

/// Whether there is a graphics processor that programs may draw with, from the devices in a folder
/// such as /dev: a render node, NVIDIA's own, or the one of Windows' subsystem.
bool hasGraphicsProcessor(const QString& devices);

/// Chooses Qt Quick's software renderer on Linux where nothing but OpenGL on the processor would be
/// left: that draws the whole window for each letter, the other one what changed, and the engine
/// needs the cores. What the environment says (QT_QUICK_BACKEND, QSG_RHI_BACKEND) goes before.
/// Once, before the first window.
void chooseRenderer();

}  // namespace quire
