# For arm64 on another machine: DRIFTD_SYSROOT has its libraries and headers, as scripts/test-distributions arm64 makes it. What is built runs
# under qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DRIFTD_SYSROOT)
set(CMAKE_SYSROOT ${DRIFTD_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${DRIFTD_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${DRIFTD_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${DRIFTD_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${DRIFTD_SYSROOT}/usr/share/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${DRIFTD_SYSROOT})
set(DRIFTD_LLD OFF CACHE FILEPATH "") # the cross compiler finds no other linker than its own
