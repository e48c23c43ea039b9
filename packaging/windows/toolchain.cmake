# Building for Windows (x86-64) on Debian with mingw-w64; what runs there runs under Wine. QUIRE_SYSROOT holds the
# libraries for Windows (packaging/windows/make-sysroot.sh; docs/portability.md).
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES QUIRE_SYSROOT)
if(NOT QUIRE_SYSROOT)
  message(FATAL_ERROR "Say where the libraries for Windows are: -DQUIRE_SYSROOT=...")
endif()

# The variant with POSIX threads: std::thread and std::mutex need it.
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

# GCC does not align the stack to 32 or 64 bytes on Windows, but moves vectors there as if it were aligned
# (gcc.gnu.org/PR54412): the assembler turns those moves into ones that need no alignment, which cost the same. Debian's
# compiler asks for it by itself.
# Windows 10 is the oldest system; off_t has 64 bits.
set(CMAKE_C_FLAGS_INIT "-Wa,-muse-unaligned-vector-move -D_WIN32_WINNT=0x0A00 -D_FILE_OFFSET_BITS=64")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")

set(CMAKE_FIND_ROOT_PATH ${QUIRE_SYSROOT} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_LIBDIR} ${QUIRE_SYSROOT}/lib/pkgconfig)

set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/run-in-wine.sh ${QUIRE_SYSROOT})
# moc is a program of this machine.
set(QT_HOST_PATH /usr)
set(QT_HOST_PATH_CMAKE_DIR /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/cmake)
