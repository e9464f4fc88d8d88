# Arm processors from an x86 Debian: g++-aarch64-linux-gnu compiles, qemu-user runs the tests. There are no third-party
# libraries for them here, so the preset `aarch64` builds only what the engine consists of (INVAR_ENGINE_ONLY).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
# qemu-user-static has the other name.
find_program(INVAR_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(INVAR_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${INVAR_QEMU} -L /usr/aarch64-linux-gnu)
endif()
