#pragma once

/// Threads, beyond the standard library. Thread: any.
namespace quire::platform {

/// Lets other threads of the machine go before the calling one and those that it starts from now
/// on, by a niceness of Linux (sched(7), 1 to 19); it never becomes less nice. Windows has three
/// steps instead, for the calling thread alone. Does nothing elsewhere, or where the system
/// refuses.
void lower_priority(int niceness);

}  // namespace quire::platform
