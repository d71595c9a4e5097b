# The compiler flags of every target, as one interface library that the modules link.
option(DRIFTD_WERROR "Warnings are errors" OFF)
option(DRIFTD_COVERAGE "Build with gcov instrumentation" OFF)
option(DRIFTD_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(DRIFTD_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")

include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported() # POSITION_INDEPENDENT_CODE alone only compiles for it

add_library(driftd_flags INTERFACE)
target_compile_definitions(driftd_flags INTERFACE _GNU_SOURCE)
target_compile_options(driftd_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
  -Wno-format-nonliteral -fno-strict-aliasing -fstack-protector-strong -fstack-clash-protection
  $<$<BOOL:${DRIFTD_WERROR}>:-Werror>
  $<$<CONFIG:RelWithDebInfo,Release>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>)
target_link_options(driftd_flags INTERFACE -Wl,-z,relro -Wl,-z,now)
if(NOT DRIFTD_SANITIZE) # which stand before functions of libraries, so that the linker would not see that these are needed
  target_link_options(driftd_flags INTERFACE -Wl,--as-needed)
endif()
# Of x86 only. The linker sets the marks of the program by itself: the start files of the C library need not have them.
check_c_compiler_flag(-fcf-protection=full DRIFTD_HAVE_CET)
if(DRIFTD_HAVE_CET)
  target_compile_options(driftd_flags INTERFACE -fcf-protection=full)
  set(driftd_marks -Wl,-z,ibt -Wl,-z,shstk)
endif()
if(DRIFTD_SANITIZE)
  add_compile_options(-fsanitize=${DRIFTD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DRIFTD_SANITIZE})
endif()
if(DRIFTD_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
if(DRIFTD_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
