# driftd_revision(VARIABLE): which revision of the source this is: of a repository what git describes, of a tarball what "git archive" wrote
# into revision.txt, else "unknown". A repository around an unpacked tarball is another's.
function(driftd_revision variable)
  find_package(Git QUIET)
  set(revision "")
  if(GIT_FOUND)
    cmake_path(GET CMAKE_SOURCE_DIR PARENT_PATH parent)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${parent}
        ${GIT_EXECUTABLE} -C ${CMAKE_SOURCE_DIR} describe --always --match v[0-9]*
      OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT revision)
    file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/revision.txt revision)
    if(NOT revision MATCHES "^[0-9a-f]+$")
      set(revision unknown)
    endif()
  endif()
  set(${variable} ${revision} PARENT_SCOPE)
endfunction()
