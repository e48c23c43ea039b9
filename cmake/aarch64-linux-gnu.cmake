# Building for AArch64 on another machine, with Debian's cross compiler; what runs there runs under
# QEMU. QUIRE_SYSROOT holds the libraries for AArch64 (packaging/make-sysroot.sh; `./dev cross`).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES QUIRE_SYSROOT)
if(NOT QUIRE_SYSROOT)
  message(FATAL_ERROR "Say where the libraries for AArch64 are: -DQUIRE_SYSROOT=...")
endif()

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT ${QUIRE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_LIBDIR}
  ${QUIRE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${QUIRE_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${QUIRE_SYSROOT})

# The processor is QEMU's best unless QEMU_CPU says otherwise.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${QUIRE_SYSROOT})
# moc is a program of this machine.
set(QT_HOST_PATH /usr)
set(QT_HOST_PATH_CMAKE_DIR /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/cmake)
