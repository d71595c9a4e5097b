# The compiler flags of every target, as one interface library that the modules link.
option(DRIFTD_WERROR "Warnings are errors" OFF)
option(DRIFTD_COVERAGE "Build with gcov instrumentation" OFF)
option(DRIFTD_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(DRIFTD_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")

add_library(driftd_flags INTERFACE)
target_compile_definitions(driftd_flags INTERFACE _GNU_SOURCE)
target_compile_options(driftd_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
  -Wno-format-nonliteral -fno-strict-aliasing -fstack-protector-strong
  $<$<BOOL:${DRIFTD_WERROR}>:-Werror>
  $<$<CONFIG:RelWithDebInfo,Release>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
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
